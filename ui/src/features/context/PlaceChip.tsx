// Before a conversation has begun: where the work stopped, taken or offered, in the line of the request, and above it whether
// what was said in other conversations may go. Opened, it is exactly what would be sent.
import { Plus, X } from "lucide-react";
import type { KeyboardEvent } from "react";
import { tellFailure } from "@/features/errors";
import { call, type ConversationItem } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button, IconButton, Popover } from "@/shared/kit";
import css from "./LineChip.module.css";
import { useRequestPreview } from "./preview";

interface PlaceChipProps {
  conversation: Pick<ConversationItem, "id" | "project_id">;
  /** It was answered: the focus goes on. */
  onLeave: () => void;
}

/** A chip of the line. */
export function PlaceChip({ conversation, onLeave }: PlaceChipProps) {
  const { t } = useTranslation("context");
  const { id } = conversation;
  const place = useRequestPreview(conversation).data?.place ?? null;
  if (place === null) return null;
  const tokens = formatTokens(place.tokens);
  const take = (taken: boolean) => {
    onLeave();
    void call("place_take", { conversation_id: id, take: taken }).catch(tellFailure);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (!place.taken || (event.key !== "Delete" && event.key !== "Backspace")) return;
    event.preventDefault();
    take(false);
  };
  return (
    <div className={css.chip} data-offered={!place.taken || undefined} role="group" aria-label={t("place.label")} onKeyDown={keyDown}>
      {!place.taken && (
        <IconButton className={css.act} label={t("place.take")} icon={<Plus aria-hidden />} onClick={() => take(true)} />
      )}
      <Popover
        title={t("place.text")}
        trigger={
          <button type="button" className={css.name} aria-label={t(place.taken ? "place.taken" : "place.offered", { tokens })}>
            {t("line.stopped")} <span data-numeric>{tokens}</span>
          </button>
        }
      >
        <div className={css.text} role="region" aria-label={t("place.text")} tabIndex={0} data-selectable>
          {place.sections.map((section) => (
            <p key={section.id}>{section.text}</p>
          ))}
        </div>
      </Popover>
      {place.taken && (
        <IconButton className={css.act} label={t("place.leave")} icon={<X aria-hidden />} onClick={() => take(false)} />
      )}
    </div>
  );
}

/** Asked once a project, when something was found: whether what was said in one conversation may go in another. */
export function OthersAsked({ conversation, onLeave }: PlaceChipProps) {
  const { t } = useTranslation("context");
  const { project_id } = conversation;
  const count = useRequestPreview(conversation).data?.others ?? 0;
  if (project_id === null || count === 0) return null;
  const answer = (allow: boolean) => {
    onLeave();
    void call("others_allow", { project_id, allow }).catch(tellFailure);
  };
  return (
    <div className={css.asked} role="group" aria-label={t("others.label")}>
      <span>{t("others.found", { count })}</span>
      <Button onClick={() => answer(true)}>{t("others.allow")}</Button>
      <Button variant="quiet" onClick={() => answer(false)}>
        {t("others.refuse")}
      </Button>
    </div>
  );
}
