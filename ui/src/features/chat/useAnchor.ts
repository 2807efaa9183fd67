// Keeps what is read in its place when rows above it go or come in the middle of the list, as folds make them. Rows that
// come in front are the list's own matter.
import { useCallback, useLayoutEffect, useRef, type RefObject } from "react";
import type { VirtualizerHandle } from "virtua";
import type { FoldRow } from "./folded";
import { placeOf, type Row } from "./rows";

interface Anchor {
  place: string;
  position: number;
  index: number;
  /** Pixels of the row that are above the edge. */
  into: number;
}

interface Given {
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
  rows: readonly (Row | FoldRow)[];
  /** Rows came in front. */
  shift: boolean;
  /** The list is kept at its end. */
  following: () => boolean;
}

/** Gives what is to be called when the list was scrolled. */
export function useAnchor({ list, scroller, rows, shift, following }: Given): () => void {
  const anchor = useRef<Anchor | null>(null);
  useLayoutEffect(() => {
    const known = anchor.current;
    if (!known || !list.current || following()) return;
    let index = rows.findIndex((row) => placeOf(row) === known.place);
    // Its row is in a fold now: the line takes its place.
    const gone = index < 0;
    if (gone) index = rows.findLastIndex(({ position }) => position <= known.position);
    if (index < 0 || (index === known.index && !gone)) return;
    anchor.current = { ...known, place: placeOf(rows[index]!), index };
    if (!shift) list.current.scrollToIndex(index, { align: "start", offset: gone ? 0 : known.into });
  }, [rows, list, shift, following]);

  return useCallback(() => {
    const { scrollTop } = scroller.current!;
    const index = list.current?.findItemIndex(scrollTop) ?? -1;
    const row = rows[index];
    if (!row) return;
    const into = scrollTop - list.current!.getItemOffset(index);
    anchor.current = { place: placeOf(row), position: row.position, index, into };
  }, [rows, list, scroller]);
}
