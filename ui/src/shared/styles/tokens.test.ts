// Every pair of text and background tokens that the interface puts together keeps 4.5:1 in both
// themes, and the edges of controls keep 3:1; hues that mean something else are told apart; and no sheet has a size, a
// weight, a layer or a colour of its own. Fonts that come along are what is asked for first.
import { describe, expect, it } from "vitest";
import fonts from "./fonts.css?raw";
import licence from "./fonts.txt?raw";
import page from "./global.css?raw";
import css from "./tokens.css?raw";

const base = css.slice(0, css.indexOf("@media"));
const tokens = new Map(
  [...base.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((m) => [
    m[1]!,
    [m[2]!, m[3]!] as const,
  ]),
);

function luminance(hex: string): number {
  const channel = (at: number) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** As people see it: CIE L*a*b* under D65. */
function lab(hex: string): [number, number, number] {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** How far apart two colours are seen: CIEDE2000. */
function distance(one: string, other: string): number {
  const [l1, a1, b1] = lab(one);
  const [l2, a2, b2] = lab(other);
  const degrees = (radians: number) => (((radians * 180) / Math.PI) + 360) % 360;
  const sin = (angle: number) => Math.sin((angle * Math.PI) / 180);
  const cos = (angle: number) => Math.cos((angle * Math.PI) / 180);
  const seventh = (c: number) => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const grey = 1.5 - seventh((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2) / 2;
  const [c1, c2] = [Math.hypot(grey * a1, b1), Math.hypot(grey * a2, b2)];
  const [h1, h2] = [degrees(Math.atan2(b1, grey * a1)), degrees(Math.atan2(b2, grey * a2))];
  const turn = ((h2 - h1 + 540) % 360) - 180;
  const [l, c, h] = [(l1 + l2) / 2, (c1 + c2) / 2, (h1 + turn / 2 + 360) % 360];
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const dl = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const dc = (c2 - c1) / (1 + 0.045 * c);
  const dh = (2 * Math.sqrt(c1 * c2) * sin(turn / 2)) / (1 + 0.015 * c * t);
  const rotation = -2 * seventh(c) * sin(60 * Math.exp(-(((h - 275) / 25) ** 2)));
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh);
}

const grounds = ["paper", "surface", "sunken"];
const texts = ["ink", "muted", "accent", "danger", "warn", "ok"];
const code = ["keyword", "string", "number", "comment", "title", "type"].map((n) => `code-${n}`);
const pairs: [string, string, number][] = [
  ...[...texts, ...code].flatMap((t) => grounds.map((g) => [t, g, 4.5] as [string, string, number])),
  ["ink", "fill", 4.5],
  ["on-accent", "accent", 4.5],
  ["ink", "accent-soft", 4.5],
  ["accent", "accent-soft", 4.5],
  ["ink", "danger-soft", 4.5],
  ["danger", "danger-soft", 4.5],
  ["ink", "warn-soft", 4.5],
  ["warn", "warn-soft", 4.5],
  ["ink", "selection", 4.5],
  ...grounds.map((g) => ["edge", g, 3] as [string, string, number]),
];

describe("colour tokens", () => {
  it.each(pairs)("%s on %s keeps %d:1", (text, ground, least) => {
    for (const theme of [0, 1] as const) {
      const ratio = contrast(tokens.get(text)![theme], tokens.get(ground)![theme]);
      expect(ratio, theme === 0 ? "light" : "dark").toBeGreaterThanOrEqual(least);
    }
  });
});

describe("hues", () => {
  it("of what is chosen and of what destroys are 30 apart, and a warning's is 20 from both", () => {
    // The measure itself, at its ends.
    expect(distance("#ffffff", "#ffffff")).toBe(0);
    expect(distance("#ffffff", "#000000")).toBeCloseTo(100, 0);
    for (const theme of [0, 1] as const) {
      const of = (name: string) => tokens.get(name)![theme];
      expect(distance(of("accent"), of("danger"))).toBeGreaterThanOrEqual(30);
      expect(distance(of("accent"), of("warn"))).toBeGreaterThanOrEqual(20);
      expect(distance(of("danger"), of("warn"))).toBeGreaterThanOrEqual(20);
    }
  });
});

const sheets = import.meta.glob<string>("/src/**/*.module.css", { query: "?raw", import: "default", eager: true });
const parts = import.meta.glob<string>("/src/**/*.tsx", { query: "?raw", import: "default", eager: true });

/** What a token exists for, and values that are none in it: none at all, what is around it, a length in proportion. */
const HELD: readonly [RegExp, RegExp][] = [
  [/^font(-size|-weight)?$/, /^(inherit|var\(--[\w-]+\)( var\(--[\w-]+\))*( \/ var\(--[\w-]+\))?( var\(--[\w-]+\))*)$/],
  [/^line-height$/, /^(inherit|var\(--[\w-]+\))$/],
  [/^z-index$/, /^var\(--z-[\w-]+\)$/],
  [/^box-shadow$/, /^(none|var\(--[\w-]+\))$/],
  [/^letter-spacing$/, /^(normal|var\(--[\w-]+\))$/],
  [/^border(-\w+)*-radius$/, /^(0|inherit|(var\(--radius[\w-]*\)|0)( (var\(--radius[\w-]*\)|0))*)$/],
  [/^(transition|animation)(-duration)?$/, /^(?!.*\b\d+m?s\b)/],
];

describe("sheets", () => {
  it("have sizes, weights, layers, elevations, corners, times and colours from the tokens alone", () => {
    const raw = Object.entries(sheets).flatMap(([path, css]) =>
      [...css.replaceAll(/\/\*[\s\S]*?\*\//g, "").matchAll(/([\w-]+):\s*([^;{}]+);/g)].flatMap(([, property = "", value = ""]) => {
        const flat = value.replaceAll(/\s+/g, " ").trim();
        const held = HELD.find(([name]) => name.test(property));
        return (held && !held[1].test(flat)) || /#[0-9a-f]{3,8}\b|\brgba?\(/i.test(flat) ? [`${path}: ${property}: ${flat}`] : [];
      }),
    );
    expect(Object.keys(sheets).length).toBeGreaterThan(30);
    expect(raw).toEqual([]);
  });

  it("wrap no text in a way that takes the page with it", () => {
    const rules = (text: string) => text.replace(/\/\*[^]*?\*\//g, "");
    const all = Object.entries({ ...sheets, "global.css": page });
    const pretty = all.filter(([, text]) => /text-wrap(-style)?:\s*pretty/.test(rules(text)));
    expect(pretty.map(([path]) => path)).toEqual([]);
  });
  it("have the size of every icon", () => {
    const sized = Object.entries(parts).filter(([path, text]) => !path.includes(".test.") && /<[A-Z]\w* size=\{\d/.test(text));
    expect(sized.map(([path]) => path)).toEqual([]);
  });
});

describe("fonts", () => {
  it("that come with the program are those first asked for; nothing waits for them, and their licence names them", () => {
    const first = [...css.matchAll(/--font-\w+:\s*"([^"]+)"/g)].map(([, name]) => name!);
    expect(first).toEqual(["Pretendard Variable", "D2Coding"]);
    const faces = [...fonts.matchAll(/@font-face\s*\{[^}]*\}/g)].map(([face]) => face);
    for (const name of first) {
      const own = faces.filter((face) => new RegExp(`font-family:\\s*["']${name}["']`).test(face));
      expect(own.length, name).toBeGreaterThan(0);
      expect(own.filter((face) => !/font-display:\s*swap/.test(face)), name).toEqual([]);
      expect(licence).toMatch(new RegExp(`^${name.split(" ")[0]}$`, "m"));
    }
    expect(licence).toContain("SIL OPEN FONT LICENSE Version 1.1");
  });
});
