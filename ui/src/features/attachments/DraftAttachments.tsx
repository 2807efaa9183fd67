// The chips above the text that is being written: what goes with it, what is still being read, what was refused and
// why, and whether the model that will be asked is known not to read it.
import { useQueryClient } from "@tanstack/react-query";
import { FileText, Paperclip, TextCursorInput, X } from "lucide-react";
import { useRef, type KeyboardEvent } from "react";
import { useChords } from "@/app/actions";
import { tellFailure, useFailureWords } from "@/features/errors";
import type { ConversationDetail } from "@/ipc";
import { formatBytes, formatTokens, useTranslation } from "@/shared/i18n";
import { IconButton, quiet, Spinner } from "@/shared/kit";
import { PastedName } from "./Attachments";
import css from "./attachments.module.css";
import { dismissRefused, pickAttachments, removeAttachment, turnIntoText, useArriving } from "./draft";
import { draftOf, nameOf, usePicture, type Drafted } from "./picture";

interface DraftAttachmentsProps {
  conversation: ConversationDetail;
  /** The model that will be asked, as it is shown. */
  model: string;
  /** A pasted text is wanted in the field after all. */
  onText: (text: string) => void;
  /** The last chip is gone: the focus goes on. */
  onEmpty: () => void;
}

/** Most bytes of a pasted text that a field can be expected to hold. */
const TURNED = 200_000;

export function DraftAttachments({ conversation, model, onText, onEmpty }: DraftAttachmentsProps) {
  const { t } = useTranslation("attach");
  const client = useQueryClient();
  const list = useRef<HTMLUListElement>(null);
  const { item } = conversation;
  const attachments = draftOf(conversation);
  const { reading, refused } = useArriving(item.id);
  const unread = unreadBy(conversation);
  if (attachments.length === 0 && reading.length === 0 && refused.length === 0) return null;

  const remove = async (attached: Drafted) => {
    const chips = [...list.current!.children];
    const at = attachments.indexOf(attached);
    const next = [...(chips[at + 1] ?? chips[at - 1])?.querySelectorAll("button") ?? []].at(-1);
    try {
      await removeAttachment(client, item.id, attached);
      // Whoever writes on meanwhile is not led away.
      if (document.activeElement instanceof HTMLTextAreaElement) return;
      if (next) next.focus();
      else onEmpty();
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  return (
    <div className={css.draft}>
      <ul ref={list} className={css.chips} aria-label={t("draft")}>
        {attachments.map((attached) => (
          <Chip
            key={attached.part.hash}
            attached={attached}
            onText={() => void turnIntoText(client, item.id, attached, onText).catch(tellFailure)}
            onRemove={() => void remove(attached)}
          />
        ))}
        {reading.map((name, index) => (
          <li key={index} className={css.chip}>
            <Spinner label={t("reading", { name })} />
            <span className={css.name}>{name}</span>
          </li>
        ))}
      </ul>
      <Refused id={item.id} refused={refused} />
      {unread && (
        <p className={css.warning} role="status">
          {t(`unread.${unread}`, { model })}
        </p>
      )}
    </div>
  );
}

/** What of the draft the model is known not to read. */
function unreadBy({ attachments, takes_images, takes_files }: ConversationDetail): "image" | "file" | null {
  const has = (type: string) => attachments.some(({ part }) => part.type === type);
  if (takes_images === false && has("image")) return "image";
  return takes_files === false && has("file") ? "file" : null;
}

interface ChipProps {
  attached: Drafted;
  onText: () => void;
  onRemove: () => void;
}

function Chip({ attached: { part, size }, onText, onRemove }: ChipProps) {
  const { t } = useTranslation("attach");
  const name = nameOf(part);
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    onRemove();
  };
  return (
    <li className={css.chip} onKeyDown={keyDown}>
      {part.type === "image" && <Miniature hash={part.hash} />}
      {part.type === "file" && <FileText aria-hidden />}
      {part.type === "pasted" ? (
        <PastedName pasted={part} />
      ) : (
        <span className={css.name} title={name}>
          {name}
        </span>
      )}
      <span className={`${quiet.note} ${css.size}`} data-numeric>
        {t("facts", { size: formatBytes(size), n: formatTokens(part.tokens) })}
      </span>
      {part.type === "pasted" && size <= TURNED && (
        <IconButton label={t("toText", { name })} icon={<TextCursorInput aria-hidden />} onClick={onText} />
      )}
      <IconButton label={t("remove", { name })} icon={<X aria-hidden />} onClick={onRemove} />
    </li>
  );
}

function Miniature({ hash }: { hash: string }) {
  const picture = usePicture(hash);
  return <span className={css.miniature}>{picture.state === "ready" && <img src={picture.url} alt="" />}</span>;
}

function Refused({ id, refused }: { id: string; refused: ReturnType<typeof useArriving>["refused"] }) {
  const { t } = useTranslation("attach");
  const words = useFailureWords();
  return (
    <div role="alert">
      {refused.length > 0 && (
        <div className={css.refused}>
          <ul>
            {refused.map(({ name, failure }, index) => {
              const { title, hint } = words(failure.code);
              return <li key={index}>{t("refused", { name, why: `${title} ${hint}` })}</li>;
            })}
          </ul>
          <IconButton
            label={t("close", { ns: "common" })}
            icon={<X aria-hidden />}
            onClick={() => dismissRefused(id)}
          />
        </div>
      )}
    </div>
  );
}

/** Asks for files with the system's dialog. */
export function AttachButton({ id }: { id: string }) {
  const { t } = useTranslation("attach");
  const chord = useChords();
  const client = useQueryClient();
  return (
    <IconButton
      label={t("pick")}
      shortcut={chord("attach")}
      icon={<Paperclip aria-hidden />}
      onClick={() => void pickAttachments(client, id)}
    />
  );
}
