// What a request is without, and why; what the person left out of the next one can be taken back.
import { useRef } from "react";
import { tellFailure } from "@/features/errors";
import { call, type ConversationId, type LeftOut } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { announce, Button } from "@/shared/kit";
import css from "./ContextPane.module.css";
import { useBlockWords } from "./words";

/** Rows that are shown at once. */
const MOST = 200;

/** What the person can do about it, by why it is out. */
const TAKEN_BACK = { by_you: "takeBack", unreadable: "unpin", small_talk: "pin" } as const;

interface LeftOutListProps {
  items: readonly LeftOut[];
  /** Whose next request it is of; undefined for one that was sent. */
  conversationId?: ConversationId;
}

export function LeftOutList({ items, conversationId }: LeftOutListProps) {
  const { t } = useTranslation("context");
  const { leftOutName, leftOutWhy } = useBlockWords();
  const summary = useRef<HTMLElement>(null);

  // What a greeting goes without is wanted all the same where it is pinned.
  const takeBack = async ({ id, source, why }: LeftOut & { id: string }, name: string) => {
    const pins = why === "small_talk";
    try {
      await call("section_wish", { conversation_id: conversationId!, id, source, wish: pins ? "pinned" : null });
      summary.current?.focus();
      announce(t(pins ? "wish.pinned" : "wish.takenBack", { name }));
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const mayTakeBack = (item: LeftOut): item is LeftOut & { id: string; why: keyof typeof TAKEN_BACK } =>
    conversationId !== undefined && item.id !== null && item.why in TAKEN_BACK;
  return (
    <details className={css.leftOut}>
      <summary ref={summary}>{t("leftOut", { count: items.length })}</summary>
      <ul>
        {items.slice(0, MOST).map((item, at) => {
          const name = leftOutName(item);
          return (
            // Two pictures of one name are two rows.
            <li key={`${item.id ?? item.source}:${item.why}:${at}`} className={css.left}>
              <span className={css.leftName}>{name}</span>
              <span data-numeric>{formatTokens(item.tokens)}</span>
              <span className={css.leftWhy}>{leftOutWhy(item)}</span>
              {mayTakeBack(item) && (
                <Button
                  variant="quiet"
                  className={css.takeBack}
                  aria-label={t(`wish.${TAKEN_BACK[item.why]}Name`, { name })}
                  onClick={() => void takeBack(item, name)}
                >
                  {t(`wish.${TAKEN_BACK[item.why]}`)}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
