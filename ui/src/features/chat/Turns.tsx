// The rows of a conversation: what the person wrote, the replies, and notices. Each is memoised by
// its row object; what a reply says is drawn by ReplyBody.tsx.
import { useQuery } from "@tanstack/react-query";
import { BookmarkPlus, Columns2, Layers, Pencil, RotateCcw } from "lucide-react";
import { memo, useEffect, useMemo, useState } from "react";
import { openOverlay, useChords, usePlace } from "@/app/actions";
import { Attachments, FIELD_BYTES, type Attachment } from "@/features/attachments";
import { ReceiptLine } from "@/features/context";
import { AnotherModel, OWN_MODEL, useAnyModel, useModelNames } from "@/features/models";
import { JudgeButton, useToolsPlace } from "@/features/tools";
import { ProposedChange } from "@/features/work";
import type { ConversationDetail, DefaultModel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatMoment, formatNumber, formatTime, useTranslation } from "@/shared/i18n";
import { Button, CopyButton, IconButton, Notice } from "@/shared/kit";
import { Markdown } from "@/shared/markdown";
import { EditTurn } from "./EditTurn";
import { Counted, ReplyBody, useWhom } from "./ReplyBody";
import { attachmentsOf, startOf, textOf, type NoticeRow, type ReplyRow, type RowActions, type UserRow } from "./rows";
import { SiblingSwitch } from "./SiblingSwitch";
import { SideBySide } from "./SideBySide";
import { showSides, useSidesShown } from "./sides";
import css from "./Turns.module.css";

interface TurnProps<T> {
  row: T;
  actions: RowActions;
}

export const UserTurn = memo(function UserTurn({
  row,
  actions,
  editing,
  drafted,
  onEditing,
  whole,
  onWhole,
}: TurnProps<UserRow> & {
  editing: boolean;
  /** What is attached to the draft, while this is edited. */
  drafted: readonly Attachment[];
  onEditing: (id: string | null) => void;
  /** A long message is shown to its end: the list knows it, because it lets go of rows that are out of sight. */
  whole: boolean;
  /** `pressed` by its button; else words of it are gone to. */
  onWhole: (key: string, pressed: boolean) => void;
}) {
  const { t } = useTranslation("chat");
  const text = textOf(row.parts);
  if (editing) {
    return (
      <EditTurn
        text={text}
        attachments={attachmentsOf(row.parts)}
        drafted={drafted}
        pasting={actions.pasting}
        onCancel={() => onEditing(null)}
        onSave={(edited, attachments) => {
          onEditing(null);
          actions.onEdit(row.id, edited, attachments);
        }}
      />
    );
  }
  return (
    <div className={css.turn}>
      <div className={css.surface} data-wordless={text === "" || undefined}>
        <Attachments parts={attachmentsOf(row.parts)} />
        <Folded id={row.id} text={text} all={whole} onAll={(pressed) => onWhole(row.key, pressed)} />
      </div>
      <ProposedChange messageIds={[row.id]} />
      <div className={css.foot}>
        <time dateTime={new Date(row.at).toISOString()} title={formatMoment(row.at)}>
          {formatTime(row.at)}
        </time>
        <span className={css.space} />
        <SiblingSwitch siblings={row.siblings} onSibling={actions.onSibling} />
        <span className={css.acts}>
          <IconButton
            label={t("actions.edit")}
            icon={<Pencil aria-hidden />}
            onClick={() => onEditing(row.id)}
          />
          <CopyButton text={text} label={t("actions.copy")} />
          {text !== "" && <Remember id={row.id} text={text} actions={actions} />}
        </span>
      </div>
    </div>
  );
});

/**
 * What the person wrote, read as a reply is. A long message is folded until it or words of it are asked for; one that is
 * longer than a field takes opens by itself.
 */
function Folded({ id, text, all, onAll }: { id: string; text: string; all: boolean; onAll: (pressed: boolean) => void }) {
  const { t } = useTranslation("chat");
  const start = useMemo(() => startOf(text), [text]);
  const fits = text.length <= FIELD_BYTES;
  const sought = usePlace(({ jump }) => jump !== null && "words" in jump.to && jump.to.messageId === id) && fits;
  useEffect(() => {
    // It stays open when other words are gone to.
    if (sought && !all) onAll(false);
  });
  if (text === "") return null;
  if (start === text || all || sought) return <Markdown text={text} said={id} />;
  const open = () => (fits ? onAll(true) : openOverlay({ kind: "text", name: t("you"), text, hash: "" }));
  return (
    <>
      <Markdown text={start} said={id} />
      <div className={css.more}>
        …
        <Button variant="quiet" onClick={open}>
          {t("showAll", { n: formatNumber(text.length) })}
        </Button>
      </div>
    </>
  );
}

/** A reply, or all of them to its question where they are shown side by side. */
export const Reply = memo(function Reply({ row, actions }: TurnProps<ReplyRow>) {
  const conversationId = useToolsPlace()?.conversationId;
  const streaming = row.status === "streaming";
  const waits = useQuery({ ...queries.conversation(conversationId ?? ""), enabled: conversationId !== undefined, select: hasOthers }).data ?? false;
  const several = (row.siblings?.count ?? 0) > 1 || (streaming && waits);
  const shown = useSidesShown(row.question);
  const one = <One key={row.key} row={row} actions={actions} several={several} />;
  // One that was opened stays while a reply is on its way: what is known of the others may be a moment behind.
  const sides = conversationId !== undefined && row.question !== undefined && shown && (several || streaming);
  return sides ? <SideBySide conversationId={conversationId} question={row.question!} row={row} actions={actions} alone={one} /> : one;
});

const hasOthers = ({ also }: ConversationDetail) => also.length > 0;

/** `several`: there are, or will be, others to its question. */
function One({ row, actions, several }: TurnProps<ReplyRow> & { several: boolean }) {
  const { t } = useTranslation("chat");
  const chord = useChords();
  const { alone } = useModelNames();
  const asked = useWhom(row);
  const streaming = row.status === "streaming";
  const text = textOf(row.parts);
  const { question } = row;
  return (
    <div className={css.turn}>
      <ReplyBody row={row} actions={actions} />
      <div className={css.foot}>
        {row.model && row.model !== OWN_MODEL && <span>{row.model}</span>}
        {row.model === OWN_MODEL && asked !== undefined && <span>{alone(row.model, asked)}</span>}
        {row.usage && <Counted usage={row.usage} />}
        {!streaming && row.recorded && row.turnId ? <ReceiptLine turnId={row.turnId} /> : <span className={css.space} />}
        {several && question !== undefined && (
          <Button
            variant="quiet"
            className={css.sides}
            onClick={({ currentTarget }) => {
              // The button goes.
              currentTarget.closest<HTMLElement>("[data-row]")?.focus({ preventScroll: true });
              showSides(question, true);
            }}
          >
            {t("sides.open")}
          </Button>
        )}
        <SiblingSwitch siblings={row.siblings} onSibling={actions.onSibling} />
        {!streaming && (
          <span className={css.acts}>
            {text !== "" && <CopyButton text={text} label={t("actions.copy")} />}
            {text !== "" && <Remember id={row.id} text={text} actions={actions} />}
            {row.turnId && row.recorded && text !== "" && <JudgeButton turnId={row.turnId} />}
            <IconButton
              label={t("actions.saw")}
              shortcut={chord("sawReply")}
              icon={<Layers aria-hidden />}
              onClick={() => actions.onSaw(row.id)}
            />
            {row.status === "complete" && question !== undefined && (
              <AskAnother onChoose={(model) => actions.onAsk(row.id, question, model)} />
            )}
            <IconButton
              label={t("actions.regenerate")}
              shortcut={chord("regenerate")}
              icon={<RotateCcw aria-hidden />}
              onClick={() => actions.onRegenerate(row.id)}
            />
          </span>
        )}
      </div>
    </div>
  );
}

/** The same question to another model. */
function AskAnother({ onChoose }: { onChoose: (model: DefaultModel) => void }) {
  const { t } = useTranslation("chat");
  const [open, setOpen] = useState(false);
  if (!useAnyModel()) return null;
  const label = t("actions.askAnother");
  return (
    <AnotherModel
      name={label}
      open={open}
      onOpenChange={setOpen}
      onChoose={onChoose}
      trigger={<IconButton label={label} icon={<Columns2 aria-hidden />} />}
    />
  );
}

function Remember({ id, text, actions }: { id: string; text: string; actions: RowActions }) {
  const { t } = useTranslation("memory");
  return (
    <IconButton
      label={t("remember.message")}
      icon={<BookmarkPlus aria-hidden />}
      onClick={() => actions.onRemember(id, text)}
    />
  );
}

export const NoticeTurn = memo(function NoticeTurn({ row }: { row: NoticeRow }) {
  const { action } = row;
  return (
    <div className={css.turn}>
      <Notice
        tone={row.tone}
        actions={action && <Button onClick={action.run}>{action.label}</Button>}
      >
        {row.text}
      </Notice>
    </div>
  );
});
