// Files that are offered while `@` and letters are typed in the composer. Enter picks where it would send, so that it
// commits a Hangul syllable and picks with one press, in every engine's order of events.
import { useCallback, useEffect, useState, useRef, type KeyboardEvent, type RefObject } from "react";
import type { PathHit } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import { mentionAt, written } from "./mention";

/** How long typing rests before files are looked for, in milliseconds. */
const REST = 100;

export type FindPaths = (query: string) => Promise<readonly PathHit[]>;

export interface Mentions {
  /** None while nothing is offered. */
  hits: readonly PathHit[];
  active: number;
  setActive: (index: number) => void;
  /** The text or the caret changed. */
  look: () => void;
  /** Whether the key was for the list. */
  keyDown: (event: KeyboardEvent) => boolean;
  /** Writes a file, the active one unless told; false when none is offered. */
  pick: (index?: number) => boolean;
  close: () => void;
}

const NONE: readonly PathHit[] = [];

export function useMentions(
  field: RefObject<HTMLTextAreaElement | null>,
  find: FindPaths | undefined,
  onPicked: () => void,
): Mentions {
  const { t } = useTranslation("chat");
  const [query, setQuery] = useState<string | null>(null);
  const [hits, setHits] = useState(NONE);
  const [active, setActive] = useState(0);
  /** Where the `@` stands whose list was closed: it stays so until another one is typed. */
  const closed = useRef<number | null>(null);

  const close = useCallback(() => {
    setQuery(null);
    setHits(NONE);
  }, []);

  const look = useCallback(() => {
    // The system may tell of a selection after the composer went.
    if (!field.current) return;
    const { value, selectionStart, selectionEnd } = field.current;
    const found = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : null;
    if (found?.from !== closed.current || found?.query === "") closed.current = null;
    if (found && closed.current === null) setQuery(found.query);
    else close();
  }, [field, close]);

  useEffect(() => {
    if (query === null || !find) return;
    let live = true;
    const take = (found: readonly PathHit[]) => {
      if (!live) return;
      setHits(found);
      setActive(0);
      if (found.length > 0) announce(t("mention.count", { count: found.length }));
    };
    const timer = setTimeout(() => void find(query).then(take, () => take(NONE)), REST);
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [query, find, t]);

  const pick = useCallback(
    (index = active) => {
      const { value, selectionStart } = field.current!;
      const hit = hits[index];
      const found = mentionAt(value, selectionStart);
      if (!hit || !found) return false;
      const after = value.slice(found.to);
      const goesOn = /^[\s\p{P}]/u.test(after);
      field.current!.setRangeText(written(hit.path) + (goesOn ? "" : " "), found.from, found.to, "end");
      closed.current = found.from;
      close();
      onPicked();
      return true;
    },
    [active, close, field, hits, onPicked],
  );

  const keyDown = (event: KeyboardEvent): boolean => {
    const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
    if (hits.length === 0 || shiftKey || ctrlKey || altKey || metaKey) return false;
    if (key === "ArrowDown") setActive((active + 1) % hits.length);
    else if (key === "ArrowUp") setActive((active - 1 + hits.length) % hits.length);
    else if (key === "Tab") pick();
    else if (key === "Escape") {
      closed.current = mentionAt(field.current!.value, field.current!.selectionStart)?.from ?? null;
      close();
    } else return false;
    return true;
  };

  return { hits, active, setActive, look, keyDown, pick, close };
}
