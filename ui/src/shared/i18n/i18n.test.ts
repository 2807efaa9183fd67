// Both languages have the same keys and placeholders, every plural is complete, and the formats
// read as people write them.
import { afterEach, describe, expect, it } from "vitest";
import { formatBytes, formatCost, formatDay, formatTokens, i18n, setLanguage } from ".";

const files = import.meta.glob<Record<string, unknown>>("./{en,ko}/**/*.json", {
  eager: true,
  import: "default",
});

function flat(node: Record<string, unknown>, prefix = ""): Map<string, string> {
  const out = new Map<string, string>();
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === "string") out.set(prefix + key, value);
    else flat(value as Record<string, unknown>, `${prefix}${key}.`).forEach((v, k) => out.set(k, v));
  }
  return out;
}

function strings(language: string): Map<string, string> {
  const out = new Map<string, string>();
  for (const [path, content] of Object.entries(files)) {
    if (!path.startsWith(`./${language}/`)) continue;
    flat(content, `${path.slice(path.lastIndexOf("/") + 1, -".json".length)}:`).forEach((v, k) => out.set(k, v));
  }
  return out;
}

const plural = /_(zero|one|two|few|many|other)$/;
const placeholders = (text: string) => [
  ...new Set([...text.matchAll(/\{\{\s*([\w.]+)/g)].map((m) => m[1]!)),
];

/** Keys without their plural suffix, each with its placeholders and the plural forms it has. */
function shape(all: Map<string, string>) {
  const out = new Map<string, { names: Set<string>; forms: Set<string> }>();
  for (const [key, text] of all) {
    const entry = out.get(key.replace(plural, "")) ?? { names: new Set(), forms: new Set() };
    placeholders(text).forEach((name) => entry.names.add(name));
    const form = plural.exec(key)?.[1];
    if (form) entry.forms.add(form);
    out.set(key.replace(plural, ""), entry);
  }
  return out;
}

describe("translations", () => {
  const en = shape(strings("en"));
  const ko = shape(strings("ko"));

  it("have the same keys", () => {
    expect([...ko.keys()].sort()).toEqual([...en.keys()].sort());
    expect(en.size).toBeGreaterThan(50);
  });

  it("have the same placeholders", () => {
    const names = (of: typeof en) =>
      Object.fromEntries([...of].sort().map(([key, { names }]) => [key, [...names].sort()]));
    expect(names(ko)).toEqual(names(en));
  });

  it("have the plural forms of their language", () => {
    for (const [language, all] of [["en", en], ["ko", ko]] as const) {
      const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort();
      for (const [key, { forms }] of all) {
        if (forms.size > 0) expect([...forms].sort(), `${language} ${key}`).toEqual(needed);
      }
    }
    const asPlural = (of: typeof en) => [...of].filter(([, e]) => e.forms.size > 0).map(([k]) => k);
    expect(asPlural(ko).sort()).toEqual(asPlural(en).sort());
  });

  it("are never empty and Korean is Korean", () => {
    for (const text of [...strings("en").values(), ...strings("ko").values()]) {
      expect(text.trim()).not.toBe("");
    }
    const untranslated = [...strings("ko")].filter(
      ([key, text]) => text === strings("en").get(key) && /[a-z]{3}/i.test(text.replace(/\{\{.*?\}\}/g, "")),
    );
    expect(untranslated.map(([key]) => key)).toEqual([]);
  });
});

describe("formats", () => {
  afterEach(() => setLanguage("en"));

  it("follow a live switch of the language", () => {
    const now = new Date(2026, 4, 20, 9).getTime();
    setLanguage("ko");
    expect(document.documentElement.lang).toBe("ko");
    expect(formatDay(new Date(2026, 4, 19, 23), now)).toBe("어제");
    expect(formatDay(new Date(2026, 4, 17), now)).toBe("3일 전");
    expect(formatDay(new Date(2025, 4, 17), now)).toBe("2025년 5월 17일");
    setLanguage("en");
    expect(i18n.language).toBe("en");
    expect(formatDay(new Date(2026, 4, 19, 23), now)).toBe("Yesterday");
    expect(formatDay(new Date(2026, 4, 1), now)).toBe("May 1");
  });

  it("show a cost with the digits that count", () => {
    const costs = [0, 12, 42_000, 4_249_000, 42_490_000, 99_900_000, 1_234_567_000_000];
    const english = ["$0.00", "<$0.000001", "$0.000042", "$0.0042", "$0.042", "$0.10", "$1,234.57"];
    expect(costs.map(formatCost)).toEqual(english);
    setLanguage("ko");
    expect(costs.map(formatCost)).toEqual(english);
  });

  it("shorten tokens and bytes", () => {
    expect([950, 1200, 18_204, 200_000, 999_800].map(formatTokens)).toEqual([
      "950", "1.2k", "18.2k", "200k", "1M",
    ]);
    expect([12, 1500, 6_240_000, 500_000_000].map(formatBytes)).toEqual([
      "12 B", "1.5 kB", "6.2 MB", "500 MB",
    ]);
  });
});
