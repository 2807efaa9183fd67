// Beside the conversation's model: further ones that the next message is asked of, each a chip, and the way to choose one.
// What is chosen is kept in features/context, whose lines show it; useTurns.ts sends it.
import { Columns2, X } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { useAction } from "@/app/actions";
import { chooseAlso, MOST_ALSO, useAlso } from "@/features/context";
import { AnotherModel, useAnyModel, useIsAgent, useModelNames } from "@/features/models";
import type { ConversationDetail, DefaultModel } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { announce, IconButton } from "@/shared/kit";
import css from "./Composer.module.css";

interface AlsoAskedProps {
  conversation: ConversationDetail;
  /** What had the focus is gone, or something was chosen: it is written on. */
  onLeave: () => void;
}

export function AlsoAsked({ conversation, onLeave }: AlsoAskedProps) {
  const { t } = useTranslation(["chat", "actions"]);
  const { alone } = useModelNames();
  const agent = useIsAgent()(conversation.provider);
  const any = useAnyModel() && !agent;
  const also = useAlso(conversation);
  const [open, setOpen] = useState(false);
  const full = also.length >= MOST_ALSO;
  useAction("askAlso", () => setOpen(true), any ? (full ? t("fullAlso", { ns: "actions" }) : null) : t("noModel", { ns: "actions" }));
  if (!any) return null;
  const { id } = conversation.item;
  const { provider, model } = conversation;
  const nameOf = (choice: DefaultModel) => alone(choice.model, choice.provider);
  const label = t("also.ask");
  return (
    <>
      {also.length > 0 && (
        <ul className={css.also} aria-label={t("also.label")}>
          {also.map((choice) => {
            const remove = () => {
              onLeave();
              chooseAlso(id, also.filter((other) => other !== choice));
            };
            const keyDown = (event: KeyboardEvent) => {
              if (event.key !== "Delete" && event.key !== "Backspace") return;
              event.preventDefault();
              remove();
            };
            return (
              <li key={`${choice.provider} ${choice.model}`} className={css.alsoChip} onKeyDown={keyDown}>
                <span className={css.alsoName} title={choice.provider}>
                  + {nameOf(choice)}
                </span>
                <IconButton label={t("also.remove", { model: nameOf(choice) })} icon={<X aria-hidden />} onClick={remove} />
              </li>
            );
          })}
        </ul>
      )}
      {!full && (
        <AnotherModel
          name={label}
          open={open}
          onOpenChange={setOpen}
          without={[{ provider, model }, ...also]}
          onChoose={(choice) => {
            onLeave();
            chooseAlso(id, [...also, choice]);
            announce(t("also.added", { model: nameOf(choice) }));
          }}
          trigger={<IconButton label={label} icon={<Columns2 aria-hidden />} />}
        />
      )}
    </>
  );
}
