// Editing a sent message in its place. Sending makes a sibling; the original stays.
import { useEffect, useRef, type KeyboardEvent } from "react";
import { useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import { proseLanguage } from "@/shared/markdown";
import css from "./Turns.module.css";

export interface EditTurnProps {
  text: string;
  onSave: (text: string) => void;
  onCancel: () => void;
}

export function EditTurn({ text, onSave, onCancel }: EditTurnProps) {
  const { t } = useTranslation("chat");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current!;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, []);

  const save = () => {
    const edited = field.current!.value.trim();
    if (edited !== "" && edited !== text.trim()) onSave(edited);
    else onCancel();
  };
  // Enter is a newline here: a long text is edited, not fired off. Mod+Enter sends.
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      className={css.edit}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        ref={field}
        className={css.editField}
        defaultValue={text}
        lang={proseLanguage(text)}
        rows={Math.min(16, text.split("\n").length + 2)}
        aria-label={t("actions.editLabel")}
        onKeyDown={keyDown}
      />
      <div className={css.editFoot}>
        <span className={css.editHint}>{t("actions.editHint")}</span>
        <Button variant="quiet" onClick={onCancel}>
          {t("cancel", { ns: "common" })}
        </Button>
        <Button variant="primary" type="submit">
          {t("actions.save")}
        </Button>
      </div>
    </form>
  );
}
