import { describe, expect, it } from "vitest";
import { difference, type Part } from "./difference";
import { lineDiff } from "./lines";
import { changedWords } from "./words";

const side = (parts: readonly Part[], other: Part["kind"]) => parts.filter(({ kind }) => kind !== other).map(({ text }) => text);
const changed = (parts: readonly Part[]) => parts.filter(({ kind }) => kind !== "same").length;
const lines = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at));

/** The length of the longest common sequence, by the whole table. */
function longest(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const text of a) {
    const next = [0];
    b.forEach((other, at) => next.push(text === other ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!)));
    row = next;
  }
  return row.at(-1)!;
}

describe("the difference of two sequences", () => {
  it("is the edit near each end of a long file, and not the whole file", () => {
    const a = lines(1_500, (at) => `line ${at}`);
    const b = a.map((line, at) => (at === 4 || at === 1_494 ? `${line}, edited` : line));
    const { parts, smallest } = difference(a, b);
    expect(smallest).toBe(true);
    expect(parts.filter(({ kind }) => kind !== "same")).toEqual(
      [4, 1_494].flatMap((at) => [
        { kind: "removed", text: a[at] },
        { kind: "added", text: b[at] },
      ]),
    );
  });

  it("has both sequences in it and is the smallest there is", () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 300; round += 1) {
      const kinds = 1 + random(12);
      const [a, b] = [random(40), random(40)].map((count) => lines(count, () => `kind ${random(kinds)}`)) as [string[], string[]];
      const { parts, smallest } = difference(a, b);
      expect([side(parts, "added"), side(parts, "removed")]).toEqual([a, b]);
      expect(smallest).toBe(true);
      expect(changed(parts)).toBe(a.length + b.length - 2 * longest(a, b));
    }
  });

  it("is the smallest for two files that share nothing, however long they are", () => {
    const { parts, smallest } = difference(lines(20_000, (at) => `a${at}`), lines(20_000, (at) => `b${at}`));
    expect([smallest, changed(parts)]).toEqual([true, 40_000]);
  });

  it("says that it is not the smallest where that was not found", () => {
    const a = lines(4_000, (at) => `${at}`);
    const b = lines(4_000, (at) => `${(at * 1_237) % 4_000}`);
    const { parts, smallest } = difference(a, b);
    expect(smallest).toBe(false);
    expect([side(parts, "added"), side(parts, "removed")]).toEqual([a, b]);
  });
});

describe("lineDiff", () => {
  it("numbers lines on their own side and leaves out what is far", () => {
    const before = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
    const after = before.with(9, "other").concat("more");
    const { hunks, added, removed } = lineDiff(before.join("\n"), `${after.join("\n")}\n`);
    expect([added, removed]).toEqual([2, 1]);
    expect(hunks.map(({ skipped }) => skipped)).toEqual([6, 4]);
    expect(hunks[0]!.lines).toContainEqual({ kind: "removed", text: "line 10", before: 10, after: null, unended: false });
    expect(hunks[0]!.lines).toContainEqual({ kind: "added", text: "other", before: null, after: 10, unended: false });
    expect(hunks[1]!.lines.at(-1)).toEqual({ kind: "added", text: "more", before: null, after: 21, unended: false });
  });

  it("knows a file that came and one that is empty", () => {
    expect(lineDiff(null, "a\nb\n")).toMatchObject({ added: 2, removed: 0 });
    expect(lineDiff("", null).hunks).toEqual([]);
  });
});

describe("changedWords", () => {
  const told = (before: string, after: string) => {
    const [{ lines } = { lines: [] }] = lineDiff(before, after).hunks;
    const words = changedWords(lines);
    return lines.map(({ kind, text }, at) => {
      const parts = words[at]?.map((part) => (part.kind === "same" ? part.text : `[${part.text}]`)).join("");
      return `${kind === "added" ? "+" : kind === "removed" ? "-" : " "}${parts ?? text}`;
    });
  };

  it("marks the words of a line that was rewritten, and keeps the rest", () => {
    expect(told("Port 5432 is used.", "Port 5433 is used.")).toEqual(["-Port[ 5432] is used.", "+Port[ 5433] is used."]);
    expect(told("토큰은 한 번만 쓰여요", "토큰은 딱 한 번만 쓰여요")).toEqual(["-토큰은 한 번만 쓰여요", "+토큰은[ 딱] 한 번만 쓰여요"]);
    expect(told("a\nnext to it is two\nc", "a\nnext to it is three\nmore\nc")).toEqual([
      " a",
      "-next to it is[ two]",
      "+next to it is[ three]",
      "+more",
      " c",
    ]);
  });

  it("marks nothing where a line is another one", () => {
    expect(told("one thing", "no other matter")).toEqual(["-one thing", "+no other matter"]);
    expect(told("", "new")).toEqual(["+new"]);
  });

  it("loses nothing of either line, also where they are too long to compare", () => {
    const long = (of: string) => Array.from({ length: 2000 }, (_, index) => `${index % 2 ? of : "same"}${index}`).join(" ");
    for (const [before, after] of [[" a  b c ", "b a  b  "], [long("x"), long("y")]] as const) {
      const { lines } = lineDiff(before, after).hunks[0]!;
      const words = changedWords(lines);
      expect(lines.map(({ text }, at) => words[at]?.map((part) => part.text).join("") ?? text)).toEqual([before, after]);
    }
  });
});
