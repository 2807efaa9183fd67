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

/** Stands for the messages from `first` to `last`, both counted from 1. */
function fold(first: number, last: number, how: Partial<Fold> = {}): Fold {
  const coverage = { start: first - 1, count: last - first + 1, last: `m${last}` };
  const summary = { coverage, unfolded_at: null } as Fold["summary"];
  return { key: `f${first}`, summary, open: false, hides: true, ...how };
}
const opened = { open: true, hides: false };
const hiding = (folds: readonly Fold[], newest = Infinity) => ({ folds, newest });
const told = (rows: readonly Row[], folds: readonly Fold[], before = folds) => {
  const { rows: shown, inside } = shownRows(rows, hiding(folds), hiding(before));
  return shown.map(({ key }) => `${key}${inside.has(key) ? ` ${inside.get(key)}` : ""}`).join(", ");
};

describe("shownRows", () => {
  it("puts a line in the place of what a closed fold stands for, and above what an open one does", () => {
    const rows = path(1, 5);
    expect(told(rows, [fold(1, 2), fold(3, 4)])).toBe("f1, f3, m5");
    expect(told(rows, [fold(1, 2), fold(3, 4, opened)])).toBe("f1, f3, m3 open, m4 open, m5");
    expect(told(rows, [fold(1, 2, { hides: false })])).toBe("f1, m1, m2, m3, m4, m5");
  });

  it("shows the line of a fold that is loaded in part, and where it is open only with its first message", () => {
    expect(told(path(4, 6), [fold(1, 5)])).toBe("f1, m6");
    expect(told(path(4, 6), [fold(1, 5, opened)])).toBe("m4 open, m5 open, m6");
    // What a closed fold hides is never loaded for its own sake.
    expect([earliest([fold(1, 5)], 3), earliest([fold(1, 5, opened)], 3), earliest([], 3)]).toEqual([0, 3, 3]);
  });

  it("hides nothing of another branch", () => {
    expect(told([row(1), row(2, "b"), row(3, "b")], [fold(1, 2)])).toBe("m1, m2b, m3b");
  });

  it("lets go only what was not hidden before", () => {
    expect(told(path(1, 5), [fold(1, 4)], [fold(1, 2)])).toBe("f1, m3 closing, m4 closing, m5");
    expect(shownRows(path(1, 3), hiding([fold(1, 2)]), hiding([])).rows[0]).toMatchObject({ forming: true });
    expect(told(path(1, 5), [fold(1, 2, opened)], [fold(1, 2)])).toBe("f1, m1 open, m2 open, m3, m4, m5");
  });

  it("keeps the newest turn, until another one comes", () => {
    const folds = [fold(1, 4)];
    const keys = (newest: number, before: number) =>
      [...shownRows(path(1, 4), hiding(folds, newest), hiding(folds, before)).inside].join("; ");
    expect(keys(3, 3)).toBe("m3,open; m4,open");
    expect(keys(5, 3)).toBe("m3,closing; m4,closing");
    expect(keys(5, 5)).toBe("");
  });

  it("shows every message once, in its order, unless a closed fold stands for it", () => {
    const states = [{}, opened, { hides: false }];
    for (let end = 1; end <= 6; end += 1) {
      for (let from = 1; from <= 8; from += 1) {
        for (const first of states) {
          for (const second of states) {
            const folds = [fold(1, end, first), fold(end + 1, 7, second)];
            const rows = path(from, 8);
            const shown = shownRows(rows, hiding(folds)).rows;
            const hidden = (position: number) => (position <= end ? folds[0] : position <= 7 ? folds[1] : null)?.hides;
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
