// Two texts that the window has as a difference of lines, in the shape in which the host gives one. Pure.
import { difference } from "./difference";

/** A line of a difference, numbered on its own side from 1. */
export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
  before: number | null;
  after: number | null;
  /** Whether the text ends with it and no line end follows. */
  unended: boolean;
}

/** Changes that stand near each other, with equal lines around them, below so many that are not shown. */
export interface Hunk {
  skipped: number;
  lines: DiffLine[];
}

/** How a text becomes another one: what the host says of it, too. */
export interface Difference {
  hunks: Hunk[];
  /** Equal lines below the last one that are not shown. */
  skipped: number;
  added: number;
  removed: number;
  /** Whether no smaller difference exists. */
  smallest: boolean;
}

/** Equal lines that are shown around a change. */
const AROUND = 3;

/** How `before` becomes `after`, with equal lines around; null is a text that is not there. */
export function lineDiff(before: string | null, after: string | null, around = AROUND): Difference {
  let [was, is] = [0, 0];
  const { parts, smallest } = difference(linesOf(before), linesOf(after));
  const lines = parts.map(({ kind, text }): DiffLine => ({
    kind,
    text,
    before: kind === "added" ? null : (was += 1),
    after: kind === "removed" ? null : (is += 1),
    unended: false,
  }));
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { ...hunksOf(lines, around), added: count("added"), removed: count("removed"), smallest };
}

function linesOf(text: string | null): string[] {
  if (text === null || text === "") return [];
  const lines = text.split("\n");
  // The end of the last line is no line of its own.
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Without the equal lines that are far from every change. */
function hunksOf(lines: readonly DiffLine[], around: number): Pick<Difference, "hunks" | "skipped"> {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") near.fill(1, Math.max(0, at - around), at + around + 1);
  });
  const hunks: Hunk[] = [];
  let skipped = 0;
  lines.forEach((line, at) => {
    if (!near[at]) skipped += 1;
    else if (skipped > 0 || hunks.length === 0) {
      hunks.push({ skipped, lines: [line] });
      skipped = 0;
    } else hunks.at(-1)!.lines.push(line);
  });
  return { hunks, skipped };
}
