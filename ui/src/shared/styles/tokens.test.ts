// Every pair of text and background tokens that the interface puts together keeps 4.5:1 in both
// themes, and the edges of controls keep 3:1.
import { describe, expect, it } from "vitest";
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

const grounds = ["paper", "surface", "sunken"];
const texts = ["ink", "muted", "accent", "danger", "warn", "ok"];
const code = ["keyword", "string", "number", "comment", "title", "type"].map((n) => `code-${n}`);
const pairs: [string, string, number][] = [
  ...[...texts, ...code].flatMap((t) => grounds.map((g) => [t, g, 4.5] as [string, string, number])),
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
