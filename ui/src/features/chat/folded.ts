// Which rows are in sight: all but those of folds that the person closed, each of which is a row of its own in their place.
// A fold that is made closes nothing: it stands beside its messages.
import { useMemo } from "react";
import { covers, endOf, type Fold } from "@/features/summaries";
import type { Row } from "./rows";

export interface FoldRow {
  kind: "fold";
  key: string;
  position: number;
  fold: Fold;
  /** The messages it stands for, as far as they are loaded. */
  ids: readonly string[];
}

export interface Shown {
  rows: readonly (Row | FoldRow)[];
  /** The fold beside a row, by the row's key. */
  beside: ReadonlyMap<string, Fold>;
}

export function shownRows(rows: readonly Row[], folds: readonly Fold[]): Shown {
  const shown: (Row | FoldRow)[] = [];
  const beside = new Map<string, Fold>();
  const holding = ofPath(folds, rows);
  let at = 0;
  let line = null as { fold: Fold; ids: string[] } | null;
  for (const row of rows) {
    const index = row.position - 1;
    while (at < holding.length && endOf(holding[at]!.summary) <= index) at += 1;
    const fold = holding[at];
    if (!fold || !covers(fold, index)) {
      shown.push(row);
    } else if (index >= fold.closed) {
      shown.push(row);
      beside.set(row.key, fold);
    } else {
      if (line?.fold !== fold) {
        line = { fold, ids: [] };
        shown.push({ kind: "fold", key: fold.key, position: fold.summary.coverage.start + 1, ...line });
      }
      line.ids.push(row.key, ...((row.kind === "assistant" && row.ids) || []));
    }
  }
  return { rows: shown, beside };
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
  return folds.find((fold) => start < fold.closed && covers(fold, start))?.summary.coverage.start ?? start;
}

/** A row that is being edited keeps its fold from hiding it. */
export function useShown(rows: readonly Row[], folds: readonly Fold[], editing: string | null): Shown {
  const edited = rows.find(({ key }) => key === editing)?.position;
  return useMemo(() => {
    const holds = (fold: Fold) => edited !== undefined && covers(fold, edited - 1);
    return shownRows(rows, folds.map((fold) => (holds(fold) ? { ...fold, closed: 0 } : fold)));
  }, [rows, folds, edited]);
}
