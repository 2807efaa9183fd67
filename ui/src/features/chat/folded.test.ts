// Which rows folds leave in sight: by hand, and for every small conversation against what they must never do.
import { describe, expect, it } from "vitest";
import type { Fold } from "@/features/summaries";
import { earliest, shownRows } from "./folded";
import type { Row } from "./rows";

const row = (position: number, branch = ""): Row => ({
  kind: "user", key: `m${position}${branch}`, id: `m${position}${branch}`, position, at: 0, parts: [],
});
const path = (first: number, last: number): Row[] =>
  Array.from({ length: last - first + 1 }, (_, index) => row(first + index));

/** Stands for the messages from `first` to `last`, both counted from 1; closed up to one of them. */
function fold(first: number, last: number, closed = last): Fold {
  const coverage = { start: first - 1, count: last - first + 1, last: `m${last}` };
  return { key: `f${first}`, summary: { coverage } as Fold["summary"], closed };
}
const told = (rows: readonly Row[], folds: readonly Fold[]) => {
  const { rows: shown, beside } = shownRows(rows, folds);
  return shown.map(({ key }) => `${key}${beside.has(key) ? " |" : ""}`).join(", ");
};

describe("shownRows", () => {
  it("puts a line in the place of what a closed fold stands for, and a rule beside what an open one does", () => {
    const rows = path(1, 5);
    expect(told(rows, [fold(1, 2), fold(3, 4)])).toBe("f1, f3, m5");
    expect(told(rows, [fold(1, 2), fold(3, 4, 0)])).toBe("f1, m3 |, m4 |, m5");
    expect(told(rows, [fold(1, 2, 0)])).toBe("m1 |, m2 |, m3, m4, m5");
  });

  it("leaves in sight what a closed fold has come to stand for since", () => {
    expect(told(path(1, 5), [fold(1, 4, 2)])).toBe("f1, m3 |, m4 |, m5");
  });

  it("shows the line of a fold that is loaded in part", () => {
    expect(told(path(4, 6), [fold(1, 5)])).toBe("f1, m6");
    expect(told(path(4, 6), [fold(1, 5, 0)])).toBe("m4 |, m5 |, m6");
    expect(shownRows(path(4, 6), [fold(1, 5)]).rows[0]).toMatchObject({ ids: ["m4", "m5"] });
    // What a closed fold hides is never loaded for its own sake.
    expect([earliest([fold(1, 5)], 3), earliest([fold(1, 5, 0)], 3), earliest([], 3)]).toEqual([0, 3, 3]);
  });

  it("hides nothing of another branch", () => {
    expect(told([row(1), row(2, "b"), row(3, "b")], [fold(1, 2)])).toBe("m1, m2b, m3b");
  });

  it("shows every message once, in its order, unless a closed fold stands for it", () => {
    for (let end = 1; end <= 6; end += 1) {
      for (let from = 1; from <= 8; from += 1) {
        for (const first of [0, 1, end]) {
          for (const second of [0, 7]) {
            const folds = [fold(1, end, Math.min(first, end)), fold(end + 1, 7, second)];
            const rows = path(from, 8);
            const shown = shownRows(rows, folds).rows;
            const hidden = (position: number) => position <= (position <= end ? Math.min(first, end) : second) && position <= 7;
            const messages = shown.filter(({ kind }) => kind !== "fold");
            expect(messages).toEqual(rows.filter(({ position }) => !hidden(position)));
            const positions = shown.map(({ position }) => position);
            expect(positions).toEqual(positions.toSorted((a, b) => a - b));
            const lines = shown.filter(({ kind }) => kind === "fold").map(({ key }) => key);
            expect(new Set(lines).size).toBe(lines.length);
          }
        }
      }
    }
  });
});
