// When a card may be answered: once it has stood still, in sight, for a moment. A key or a click that was meant for what
// was there before (the composer, a former card, a window in front of this one) comes too soon, and waits anew.
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

/** How long, in milliseconds, it has to stand still before it is answered. */
const STILL = 700;

/** How often is looked whether it does. */
const LOOK = 100;

export interface Armed {
  armed: boolean;
  /** Whether it may be answered now. Whatever it says, the next answer waits anew. */
  take: () => boolean;
  /** Something happened that was meant for something else. */
  again: () => void;
}

/** `acts` are the answers beneath the card. Where `call` or `asked` becomes another, it waits anew; another call's beginning
 * has to have been in sight, too. */
export function useArmed(
  card: RefObject<HTMLElement | null>,
  acts: RefObject<HTMLElement | null>,
  call: string,
  asked: string,
): Armed {
  const [armed, setArmed] = useState(false);
  const stands = useRef({ at: "", since: 0, begun: false });
  const again = useCallback(() => {
    stands.current.since = performance.now();
    setArmed(false);
  }, []);
  const look = useCallback(() => {
    const now = performance.now();
    const known = stands.current;
    known.begun ||= startsInSight(card.current);
    const at = known.begun ? placeOf(card.current, acts.current) : "";
    if (at === "" || at !== known.at) Object.assign(known, { at, since: now });
    const may = at !== "" && now - known.since >= STILL;
    setArmed(may);
    return may;
  }, [card, acts]);
  const take = useCallback(() => {
    const may = look();
    // Where its beginning was never seen, or its answers are not, that is what comes first.
    const { begun, at } = stands.current;
    if (!begun) card.current?.scrollIntoView?.({ block: "start" });
    else if (at === "") acts.current?.scrollIntoView?.({ block: "nearest" });
    again();
    return may;
  }, [look, again, card, acts]);
  useEffect(() => {
    stands.current.begun = false;
  }, [call]);
  useEffect(() => {
    again();
    const timer = setInterval(look, LOOK);
    document.addEventListener("visibilitychange", again);
    window.addEventListener("focus", again);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
      window.removeEventListener("focus", again);
    };
  }, [asked, look, again]);
  return { armed, take, again };
}

/** What of the window the conversation is seen in. */
function viewOf(element: Element): { top: number; bottom: number } {
  const rect = element.closest("[role=log]")?.getBoundingClientRect();
  return { top: Math.max(0, rect?.top ?? 0), bottom: Math.min(window.innerHeight, rect?.bottom ?? Infinity) };
}

function startsInSight(card: HTMLElement | null): boolean {
  if (card === null || document.hidden) return false;
  const view = viewOf(card);
  const { top } = card.getBoundingClientRect();
  return top >= view.top - 1 && top <= view.bottom;
}

/** Where card and answers stand; empty while the answers are not wholly seen, or something lies over them. */
function placeOf(card: HTMLElement | null, acts: HTMLElement | null): string {
  if (card === null || acts === null || document.hidden) return "";
  const view = viewOf(card);
  const [outer, inner] = [card.getBoundingClientRect(), acts.getBoundingClientRect()];
  if (inner.top < view.top - 1 || inner.bottom > view.bottom + 1) return "";
  const first = acts.querySelector("button")?.getBoundingClientRect();
  // Nothing is laid out where there is no such question.
  if (first && "elementFromPoint" in document) {
    const over = document.elementFromPoint(first.left + first.width / 2, first.top + first.height / 2);
    if (!card.contains(over)) return "";
  }
  return [outer.left, outer.top, outer.right, outer.bottom, inner.top].map(Math.round).join(" ");
}
