// Facts of messages, each with its kind, the way to the message that says it, and at most one act.
import { BookmarkPlus, Plus, X } from "lucide-react";
import { useState } from "react";
import { jumpTo } from "@/app/actions";
import type { ConversationId, FactCategory, MessageId } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, IconButton, quiet } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./summaries.module.css";

const ICONS = { add: Plus, remove: X, remember: BookmarkPlus };

/** Facts that are shown at once. */
const MOST = 8;

export interface Fact {
  text: string;
  category: FactCategory;
}

export interface FactAct {
  /** What its button is called. */
  label: (text: string) => string;
  icon: keyof typeof ICONS;
  run: (text: string) => void;
}

interface FactsProps<F extends Fact> {
  facts: readonly F[];
  /** Shows who says it. Null where the place is not to be left. */
  onSource: ((fact: F) => void) | null;
  /** What that is called, where it is not plain. */
  sourceTitle?: string;
  disabled?: boolean;
  /** What can be done with it, or a word on why nothing can. */
  act: (fact: F) => FactAct | string | null;
}

/** To the message of a conversation that says it. */
export const toMessage =
  (conversationId: ConversationId) =>
  ({ message, text }: Fact & { message: MessageId }): void =>
    jumpTo(conversationId, { messageId: message, words: text });

export function Facts<F extends Fact>({ facts, onSource, sourceTitle, disabled, act }: FactsProps<F>) {
  const { t } = useTranslation("summaries");
  const [all, setAll] = useState(false);
  return (
    <>
      <ul>
        {(all ? facts : facts.slice(0, MOST)).map((fact) => {
          const { text, category } = fact;
          const does = act(fact);
          const can = typeof does === "string" ? null : does;
          const Icon = can && ICONS[can.icon];
          return (
            <li key={`${category} ${text}`} className={css.fact}>
              <span className={css.factText}>
                <span className={quiet.note}>{t(`receipt.category.${category}`)}</span>{" "}
                {onSource === null ? (
                  <Revealed text={text} />
                ) : (
                  <button type="button" className={css.factSource} title={sourceTitle} onClick={() => onSource(fact)}>
                    <Revealed text={text} />
                  </button>
                )}
              </span>
              {typeof does === "string" && <span className={quiet.note}>{does}</span>}
              {can && Icon && (
                <IconButton
                  label={can.label(text)}
                  disabled={disabled}
                  icon={<Icon aria-hidden />}
                  onClick={() => can.run(text)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {!all && facts.length > MOST && (
        <p>
          <Button variant="quiet" onClick={() => setAll(true)}>
            {t("receipt.more", { count: facts.length - MOST, n: formatNumber(facts.length - MOST) })}
          </Button>
        </p>
      )}
    </>
  );
}
