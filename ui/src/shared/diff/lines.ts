// Two texts as the lines of a unified diff. Pure.
import { difference } from "./difference";

export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
  /** Its number before and after, from 1. */
  before: number | null;
  after: number | null;
}

/** Equal lines that are not shown. */
export interface Gap {
  kind: "gap";
  count: number;
}

export interface LineDiff {
  rows: (DiffLine | Gap)[];
  added: number;
  removed: number;
  /** Whether no smaller difference exists. */
  smallest: boolean;
}

/** Equal lines that are shown around a change. */
const AROUND = 3;

/** How `before` becomes `after`; null is a text that is not there. */
export function lineDiff(before: string | null, after: string | null): LineDiff {
  let [was, is] = [0, 0];
  const { parts, smallest } = difference(linesOf(before), linesOf(after));
  const lines = parts.map(({ kind, text }): DiffLine => ({
    kind,
    text,
    before: kind === "added" ? null : (was += 1),
    after: kind === "removed" ? null : (is += 1),
  }));
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { rows: shortened(lines), added: count("added"), removed: count("removed"), smallest };
}

function linesOf(text: string | null): string[] {
  if (text === null || text === "") return [];
  const lines = text.split("\n");
  // The end of the last line is no line of its own.
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Without the equal lines that are far from every change. */
function shortened(lines: readonly DiffLine[]): (DiffLine | Gap)[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") near.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const rows: (DiffLine | Gap)[] = [];
  lines.forEach((line, at) => {
    const last = rows.at(-1);
    if (near[at]) rows.push(line);
    else if (last?.kind === "gap") last.count += 1;
    else rows.push({ kind: "gap", count: 1 });
  });
  return rows;
}
