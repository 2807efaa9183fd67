// The foot of the conversation: trouble with its retry, waiting messages, and the composer with its
// model and the Context Bar.
import { X } from "lucide-react";
import type { Ref } from "react";
import { ContextBar } from "@/features/context";
import { ErrorNotice } from "@/features/errors";
import { ModelPicker } from "@/features/models";
import type { ConversationDetail } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, IconButton } from "@/shared/kit";
import css from "./ChatScreen.module.css";
import { Composer, type ComposerHandle } from "./Composer";
import { useDraft } from "./useDraft";
import type { Turns } from "./useTurns";

interface ChatComposerProps {
  ref: Ref<ComposerHandle>;
  detail: ConversationDetail;
  turns: Turns;
  onEditLast: () => void;
}

export function ChatComposer({ ref, detail, turns, onEditLast }: ChatComposerProps) {
  const { t } = useTranslation("talk");
  const { item, draft, queued, open_turn } = detail;
  const onDraftChange = useDraft(item.id, draft);
  const { trouble } = turns;
  return (
    <div className={css.foot}>
      <div className={css.footColumn}>
        {trouble && (
          <ErrorNotice
            failure={trouble.failure}
            actions={
              <>
                <Button onClick={trouble.retry}>{t("again")}</Button>
                <Button variant="quiet" onClick={turns.dismiss}>
                  {t("close", { ns: "common" })}
                </Button>
              </>
            }
          />
        )}
        {queued.length > 0 && (
          <ul className={css.queue} aria-label={t("queue")}>
            {queued.map(({ id, text }) => (
              <li key={id} className={css.queued}>
                <span className={css.queuedText}>{text}</span>
                <IconButton
                  label={t("unqueue")}
                  icon={<X size={14} aria-hidden />}
                  onClick={() => turns.unqueue(id)}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
      <Composer
        ref={ref}
        initialText={draft}
        answering={open_turn !== null}
        onSend={turns.send}
        onStop={turns.stop}
        onEditLast={onEditLast}
        onDraftChange={onDraftChange}
        modelPicker={<ModelPicker conversation={detail} />}
        hint={<ContextBar conversationId={item.id} />}
      />
    </div>
  );
}
