// Which rows are in sight: those that a closed fold stands for are not, and each fold is a row of its own before them.
// The newest turn stays: a reply may be folded the moment it is complete, and nobody has read it yet.
// `shownRows` is pure; `useShown` lets the rows of a fold that has just closed draw together before they go.
import { useEffect, useMemo, useState } from "react";
import { covers, endOf, type Fold } from "@/features/summaries";
import type { Row } from "./rows";

export interface FoldRow {
  kind: "fold";
  key: string;
  position: number;
  fold: Fold;
  /** Its messages are about to go into it. */
  forming: boolean;
}

export interface Hiding {
  folds: readonly Fold[];
  /** From this position on everything is in sight. */
  newest: number;
}

export interface Shown {
  rows: readonly (Row | FoldRow)[];
  /** Rows that lie in an open fold, and those that are about to go into a closed one. */
  inside: ReadonlyMap<string, "open" | "closing">;
}

/** How long turns draw together, in milliseconds; as long as the line settles. */
const DRAWING = 180;

/** What was not hidden a moment ago is still in sight. */
export function shownRows(rows: readonly Row[], now: Hiding, before: Hiding = now): Shown {
  const shown: (Row | FoldRow)[] = [];
  const inside = new Map<string, "open" | "closing">();
  const holding = ofPath(now.folds, rows);
  let at = 0;
  let line = null as FoldRow | null;
  for (const row of rows) {
    const index = row.position - 1;
    while (at < holding.length && endOf(holding[at]!.summary) <= index) at += 1;
    const fold = holding[at];
    if (!fold || !covers(fold, index)) {
      shown.push(row);
      continue;
    }
    // The line of messages that are in sight is above all of them, so it comes with the first.
    const { start } = fold.summary.coverage;
    if (line?.fold !== fold && (fold.hides || index === start)) {
      line = { kind: "fold", key: fold.key, position: start + 1, fold, forming: false };
      shown.push(line);
    }
    const newest = row.position >= now.newest;
    if (!fold.hides || newest) {
      shown.push(row);
      if (fold.open || newest) inside.set(row.key, "open");
    } else if (row.position >= before.newest || !before.folds.some((it) => it.hides && covers(it, index))) {
      shown.push(row);
      inside.set(row.key, "closing");
      if (line) line.forming = true;
    }
  }
  return { rows: shown, inside };
}

/** A summary of another branch ends in another message than this path has there. */
function ofPath(folds: readonly Fold[], rows: readonly Row[]): Fold[] {
  const keys = new Map(rows.map((row) => (row.kind === "assistant" && row.ids ? [row.end, row.ids.at(-1)] : [row.position, row.key])));
  return folds.filter(({ summary }) => {
    const last = keys.get(endOf(summary));
    return last === undefined || last === summary.coverage.last;
  });
}

/** The index of the first message that is in sight or stood for by a line that is: before it there may be more to load. */
export function earliest(folds: readonly Fold[], start: number): number {
  return folds.find((fold) => fold.hides && covers(fold, start))?.summary.coverage.start ?? start;
}

/** A row that is being edited keeps its fold from hiding it. `ends`: the last row is the conversation's last. */
export function useShown(rows: readonly Row[], folds: readonly Fold[], ends: boolean, editing: string | null): Shown {
  const edited = rows.find(({ key }) => key === editing)?.position;
  const newest = (ends && rows.findLast(({ kind }) => kind === "user")?.position) || Infinity;
  const now = useMemo(() => {
    const holds = (fold: Fold) => edited !== undefined && covers(fold, edited - 1);
    return { folds: folds.map((fold) => (holds(fold) ? { ...fold, hides: false } : fold)), newest };
  }, [folds, newest, edited]);
  const before = useSettled(now);
  return useMemo(() => shownRows(rows, now, before), [rows, now, before]);
}

function useSettled(now: Hiding): Hiding {
  const [settled, setSettled] = useState(now);
  const [still] = useState(() => window.matchMedia("(prefers-reduced-motion: reduce)").matches);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(now), DRAWING);
    return () => clearTimeout(timer);
  }, [now]);
  return still ? now : settled;
}
