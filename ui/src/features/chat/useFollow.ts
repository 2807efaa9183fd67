// Keeps the list at its end while new text arrives, and only while the person wants it: any move
// up stops it, moving down to within 80 px of the end resumes it. The engine's own scroll
// anchoring is no help (WebKitGTK has none), so the list calls `settle` after every change of size.
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

const NEAR = 80;

export interface Follow {
  /** The end is out of sight and not followed: offer the way back. */
  away: boolean;
  /** The list scrolled. */
  scrolled: () => void;
  /** Sizes changed: stay at the end when following. */
  settle: () => void;
  toEnd: () => void;
  stop: () => void;
  /** Whether the list is kept at its end. */
  following: () => boolean;
}

/** `ends`: the last row is the conversation's last. The end of what happens to be loaded is not followed. */
export function useFollow(scroller: RefObject<HTMLElement | null>, ends: boolean): Follow {
  const following = useRef(true);
  const last = useRef(ends);
  useLayoutEffect(() => {
    last.current = ends;
    if (!ends) following.current = false;
  }, [ends]);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);

  const distance = useCallback(() => {
    const { scrollHeight, scrollTop, clientHeight } = scroller.current!;
    return scrollHeight - scrollTop - clientHeight;
  }, [scroller]);

  const settle = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    if (following.current) {
      element.scrollTop = element.scrollHeight;
      lastTop.current = element.scrollTop;
    }
    setAway(!following.current && distance() > NEAR);
  }, [scroller, distance]);

  const stop = useCallback(() => {
    following.current = false;
  }, []);

  const toEnd = useCallback(() => {
    following.current = last.current;
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
    settle();
  }, [scroller, settle]);

  const isFollowing = useCallback(() => following.current, []);

  const scrolled = useCallback(() => {
    const { scrollTop } = scroller.current!;
    const far = distance() > NEAR;
    // Growth alone never moves the position up; only a person (or a jump to a message) does.
    if (scrollTop > lastTop.current && !far) following.current = last.current;
    else if (scrollTop < lastTop.current - 1 && far) following.current = false;
    lastTop.current = scrollTop;
    setAway(!following.current && far);
  }, [scroller, distance]);

  useEffect(() => {
    const element = scroller.current!;
    const wheel = (event: WheelEvent) => {
      if (event.deltaY < 0) following.current = false;
    };
    const key = (event: KeyboardEvent) => {
      if (["ArrowUp", "PageUp", "Home"].includes(event.key)) following.current = false;
    };
    element.addEventListener("wheel", wheel, { passive: true });
    element.addEventListener("keydown", key);
    return () => {
      element.removeEventListener("wheel", wheel);
      element.removeEventListener("keydown", key);
    };
  }, [scroller]);

  return { away, scrolled, settle, toEnd, stop, following: isFollowing };
}
