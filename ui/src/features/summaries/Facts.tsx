// Facts of messages, each with its kind, the way to the message that says it, and at most one act.
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { jumpTo } from "@/app/actions";
import type { ConversationId, FactCategory, MessageId } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, IconButton, quiet } from "@/shared/kit";
import css from "./summaries.module.css";

const ICONS = { add: Plus, remove: X };

/** Facts that are shown at once. */
const MOST = 8;

export interface Fact {
  text: string;
  category: FactCategory;
  message: MessageId;
}

export interface FactAct {
  /** What its button is called. */
  label: (text: string) => string;
  icon: keyof typeof ICONS;
  run: (text: string) => void;
}

interface FactsProps<F extends Fact> {
  facts: readonly F[];
  /** Null where the place is not to be left: there is no way to the messages. */
  conversationId: ConversationId | null;
  disabled?: boolean;
  act: (fact: F) => FactAct | null;
}

export function Facts<F extends Fact>({ facts, conversationId, disabled, act }: FactsProps<F>) {
  const { t } = useTranslation("summaries");
  const [all, setAll] = useState(false);
  return (
    <>
      <ul>
        {(all ? facts : facts.slice(0, MOST)).map((fact) => {
          const { text, category, message } = fact;
          const can = act(fact);
          const Icon = can && ICONS[can.icon];
          return (
            <li key={`${category} ${text}`} className={css.fact}>
              <span className={css.factText}>
                <span className={quiet.note}>{t(`receipt.category.${category}`)}</span>{" "}
                {conversationId === null ? (
                  text
                ) : (
                  <button
                    type="button"
                    className={css.factSource}
                    onClick={() => jumpTo(conversationId, { messageId: message, words: text })}
                  >
                    {text}
                  </button>
                )}
              </span>
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
