// Picking whole lines of the shown file: with the pointer, as the window's own selection, or with Shift and the arrows.
import { useEffect, useState, type RefObject } from "react";

/** Lines from 1; the head is the end that moves. */
export interface Range {
  anchor: number;
  head: number;
}

export function useRange(box: RefObject<HTMLElement | null>): [Range | null, (range: Range) => void] {
  const [range, setRange] = useState<Range | null>(null);
  useEffect(() => {
    const changed = () => {
      const selection = document.getSelection();
      if (!selection || !box.current?.contains(selection.anchorNode)) return;
      if (selection.isCollapsed) setRange(null);
      else setRange((before) => rangeOf(selection) ?? before);
    };
    document.addEventListener("selectionchange", changed);
    return () => document.removeEventListener("selectionchange", changed);
  }, [box]);
  return [range, setRange];
}

/** Null while an end is outside the lines. A line at whose very start the selection ends is not in it. */
function rangeOf({ anchorNode, anchorOffset, focusNode, focusOffset }: Selection): Range | null {
  const anchor = lineAt(anchorNode);
  const head = lineAt(focusNode);
  if (anchor === null || head === null) return null;
  if (head > anchor && focusOffset === 0) return { anchor, head: head - 1 };
  if (anchor > head && anchorOffset === 0) return { anchor: anchor - 1, head };
  return { anchor, head };
}

function lineAt(node: Node | null): number | null {
  const element = node instanceof Element ? node : node?.parentElement;
  const line = element?.closest<HTMLElement>("[data-line]")?.dataset.line;
  return line === undefined ? null : Number(line);
}
