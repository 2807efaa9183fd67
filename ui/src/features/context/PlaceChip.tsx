// Above the composer of a conversation that has not begun: where the work stopped, taken or offered, and whether what was
// said in other conversations may go. Opened, it is exactly what would be sent.
import { ChevronRight, History, Plus, X } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { tellFailure } from "@/features/errors";
import { call, type ConversationItem } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button, IconButton } from "@/shared/kit";
import css from "./PlaceChip.module.css";
import { useRequestPreview } from "./preview";

interface PlaceChipProps {
  conversation: Pick<ConversationItem, "id" | "project_id">;
  /** It was answered: the focus goes on. */
  onLeave: () => void;
}

export function PlaceChip({ conversation, onLeave }: PlaceChipProps) {
  const { t } = useTranslation("context");
  const [open, setOpen] = useState(false);
  const { id } = conversation;
  const place = useRequestPreview(conversation).data?.place ?? null;
  if (place === null) return null;
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
    <div className={css.place}>
      <div className={css.chip} data-taken={place.taken || undefined} role="group" aria-label={t("place.label")} onKeyDown={keyDown}>
        <History aria-hidden />
        <button type="button" className={css.name} aria-expanded={open} onClick={() => setOpen(!open)}>
          <ChevronRight aria-hidden data-open={open || undefined} />
          {t(place.taken ? "place.taken" : "place.offered", { tokens: formatTokens(place.tokens) })}
        </button>
        {place.taken ? (
          <IconButton label={t("place.leave")} icon={<X aria-hidden />} onClick={() => take(false)} />
        ) : (
          <IconButton label={t("place.take")} icon={<Plus aria-hidden />} onClick={() => take(true)} />
        )}
      </div>
      {open && (
        <div className={css.text} role="region" aria-label={t("place.text")} tabIndex={0} data-selectable>
          {place.sections.map((section) => (
            <p key={section.id}>{section.text}</p>
          ))}
        </div>
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
