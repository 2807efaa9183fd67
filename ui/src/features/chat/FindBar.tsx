// Finding in the open conversation: every place where the words stand, in order, one at a time. What is drawn of them is
// painted; where they stand in what is not drawn is counted in the texts.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { jumpTo } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import type { ConversationId } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { announce, IconButton } from "@/shared/kit";
import css from "./ChatScreen.module.css";
import { drawnIn, highlight } from "./highlight";
import { occurrencesIn, type Occurrence } from "./occurrences";
import { wholeQuery } from "./path";

const REST = 150;

const NONE: readonly Occurrence[] = [];

interface FindBarProps {
  conversationId: ConversationId;
  /** Grows each time it is asked for. */
  asked: number;
  onClose: () => void;
}

export function FindBar({ conversationId, asked, onClose }: FindBarProps) {
  const { t } = useTranslation("talk");
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [asked]);
  useEffect(() => {
    const timer = setTimeout(() => {
      setQuery(text.trim());
      setAt(0);
    }, REST);
    return () => clearTimeout(timer);
  }, [text]);

  const whole = useQuery(wholeQuery(conversationId));
  const messages = whole.data?.messages;
  const found = useMemo(() => (messages ? occurrencesIn(messages, query) : NONE), [messages, query]);
  // Messages may have gone since.
  const place = Math.min(at, found.length - 1);
  const { messageId, nth } = found[place] ?? { messageId: undefined, nth: 0 };
  useEffect(() => {
    if (messageId !== undefined) jumpTo(conversationId, { messageId, words: query, nth }, false);
  }, [conversationId, messageId, nth, query]);
  usePainted(field, query, messageId, nth);

  const number = { at: formatNumber(place + 1), n: formatNumber(found.length) };
  const count = query === "" || !messages ? "" : found.length > 0 ? t("find.place", number) : t("find.none");
  useEffect(() => {
    if (count !== "") announce(count);
  }, [count]);

  const step = (by: number) => {
    if (messageId === undefined) return;
    // Who scrolled away from the only one comes back to it.
    if (found.length === 1) jumpTo(conversationId, { messageId, words: query, nth }, false);
    setAt((place + by + found.length) % found.length);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={css.find} role="search" aria-label={t("find.label")} onKeyDown={keyDown}>
      <input
        ref={field}
        className={css.findField}
        value={text}
        aria-label={t("find.field")}
        placeholder={t("find.field")}
        onChange={(event) => setText(event.target.value)}
      />
      <span className={css.findCount} data-numeric>
        {count}
      </span>
      <IconButton
        label={t("find.previous")}
        shortcut="Shift+Enter"
        icon={<ChevronUp aria-hidden />}
        disabled={found.length === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        label={t("find.next")}
        shortcut="Enter"
        icon={<ChevronDown aria-hidden />}
        disabled={found.length === 0}
        onClick={() => step(1)}
      />
      <IconButton label={t("find.close")} icon={<X aria-hidden />} onClick={onClose} />
      {whole.isError && <ErrorNotice failure={whole.error} />}
    </div>
  );
}

/** Paints the words in all that is drawn of the conversation, now and as it changes, the ones that were gone to apart. */
function usePainted(inside: RefObject<HTMLElement | null>, words: string, messageId: string | undefined, nth: number): void {
  useEffect(() => {
    const screen = inside.current!.closest("main")!;
    let frame = 0;
    const paint = () => {
      frame = 0;
      const drawn = drawnIn(screen, words);
      const here = messageId === undefined ? undefined : drawn.get(messageId)?.[nth];
      highlight(here ?? null, [...drawn.values()].flat().filter((range) => range !== here));
    };
    const observer = new MutationObserver(() => {
      frame ||= requestAnimationFrame(paint);
    });
    observer.observe(screen, { childList: true, subtree: true, characterData: true });
    paint();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      highlight(null);
    };
  }, [inside, words, messageId, nth]);
}
