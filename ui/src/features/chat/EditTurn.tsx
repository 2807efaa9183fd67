// Editing a sent message in its place. Sending makes a sibling; the original stays, with its attachments.
import { Plus, X } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { nameOf, takePaste, type Attachment, type Pasting } from "@/features/attachments";
import { useTranslation } from "@/shared/i18n";
import { Button, IconButton } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./Turns.module.css";

export interface EditTurnProps {
  text: string;
  attachments: readonly Attachment[];
  /** What is attached to the draft: it can go with this message instead, and does when it comes while this is edited. */
  drafted: readonly Attachment[];
  pasting: Pasting;
  /** The text, and the hashes of the attachments that go with it. */
  onSave: (text: string, attachments: string[]) => void;
  onCancel: () => void;
}

export function EditTurn({ text, attachments, drafted, pasting, onSave, onCancel }: EditTurnProps) {
  const { t } = useTranslation("chat");
  const field = useRef<HTMLTextAreaElement>(null);
  const own = attachments.map(({ hash }) => hash);
  const others = drafted.filter(({ hash }) => !own.includes(hash));
  const [without, setWithout] = useState(() => others.map(({ hash }) => hash));
  const all = [...attachments, ...others];
  useEffect(() => {
    const element = field.current!;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, []);

  const save = () => {
    const edited = field.current!.value.trim();
    const kept = all.map(({ hash }) => hash).filter((hash) => !without.includes(hash));
    const says = edited !== "" || kept.length > 0;
    const changed = edited !== text.trim() || kept.join() !== own.join();
    if (says && changed) onSave(edited, kept);
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
      {all.length > 0 && (
        <ul className={css.editAttachments} aria-label={t("label", { ns: "attach" })}>
          {all.map((part) => {
            const { hash } = part;
            const name = nameOf(part);
            const left = without.includes(hash);
            return (
              <li key={hash} className={css.editAttachment} data-left={left || undefined}>
                <span>{name}</span>
                <IconButton
                  label={t(left ? "restore" : "remove", { ns: "attach", name })}
                  icon={left ? <Plus aria-hidden /> : <X aria-hidden />}
                  onClick={() => setWithout(left ? without.filter((other) => other !== hash) : [...without, hash])}
                />
              </li>
            );
          })}
        </ul>
      )}
      <textarea
        ref={field}
        className={css.editField}
        defaultValue={text}
        lang={proseLanguage(text)}
        rows={Math.min(16, text.split("\n").length + 2)}
        aria-label={t("actions.editLabel")}
        onKeyDown={keyDown}
        onPaste={(event) => takePaste(event, pasting)}
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
