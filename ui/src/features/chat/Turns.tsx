// The rows of a conversation: what the person wrote, the replies, and notices. Each is memoised by
// its row object; a streaming reply takes its text from stream.ts.
import { ChevronLeft, ChevronRight, Layers, Pencil, RotateCcw } from "lucide-react";
import { memo, useState, type ReactNode } from "react";
import { useFailureWords } from "@/features/errors";
import { ProviderTrouble } from "@/features/models";
import { formatBytes, formatMoment, formatTime, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, CopyButton, IconButton, Notice, Spinner } from "@/shared/kit";
import { Markdown, proseLanguage } from "@/shared/markdown";
import { EditTurn } from "./EditTurn";
import { textOf, type NoticeRow, type Part, type ReplyRow, type RowActions, type Siblings, type UserRow } from "./rows";
import { streamParts, useReplyStream } from "./stream";
import css from "./Turns.module.css";

interface TurnProps<T> {
  row: T;
  actions: RowActions;
}

export const UserTurn = memo(function UserTurn({
  row,
  actions,
  editing,
  onEditing,
}: TurnProps<UserRow> & { editing: boolean; onEditing: (id: string | null) => void }) {
  const { t } = useTranslation("chat");
  const text = textOf(row.parts);
  if (editing) {
    return (
      <EditTurn
        text={text}
        onCancel={() => onEditing(null)}
        onSave={(edited) => {
          onEditing(null);
          actions.onEdit(row.id, edited);
        }}
      />
    );
  }
  return (
    <div className={css.turn}>
      <div className={css.surface} lang={proseLanguage(text)} data-selectable>
        <Attachments parts={row.parts} />
        {text}
      </div>
      <div className={css.foot}>
        <time dateTime={new Date(row.at).toISOString()} title={formatMoment(row.at)}>
          {formatTime(row.at)}
        </time>
        <span className={css.space} />
        <SiblingSwitch siblings={row.siblings} onSibling={actions.onSibling} />
        <span className={css.acts}>
          <IconButton
            label={t("actions.edit")}
            icon={<Pencil size={15} aria-hidden />}
            onClick={() => onEditing(row.id)}
          />
          <CopyButton text={text} label={t("actions.copy")} />
        </span>
      </div>
    </div>
  );
});

export const Reply = memo(function Reply({ row, actions }: TurnProps<ReplyRow>) {
  const { t } = useTranslation("chat");
  const stream = useReplyStream(row.id);
  const streaming = row.status === "streaming";
  const parts = streaming && stream ? streamParts(stream) : row.parts;
  const last = parts.length - 1;
  const text = textOf(parts);
  return (
    <div className={css.turn}>
      {parts.map((part, index) =>
        part.type === "text" ? (
          <Markdown key={index} text={part.text} streaming={streaming && index === last} />
        ) : part.type === "reasoning" ? (
          <Reasoning key={index} text={part.text} open={streaming && index === last} />
        ) : (
          <Attachments key={index} parts={[part]} />
        ),
      )}
      {streaming && parts.length === 0 && <Spinner label={t("status.waiting")} />}
      {row.status === "interrupted" && <Interrupted row={row} actions={actions} />}
      {row.status === "failed" && (
        <ProviderTrouble
          past
          failure={{ code: "internal", message: "", hint: "", ...row.error }}
          onEnterKey={actions.onEnterKey}
          onSolved={() => actions.onRetry(row.id)}
          actions={<Button onClick={() => actions.onRetry(row.id)}>{t("actions.retry")}</Button>}
        />
      )}
      <div className={css.foot}>
        {row.model && <span>{row.model}</span>}
        {row.usage && (
          <span title={t("usageTitle", usage(row))} data-numeric>
            {t("usage", usage(row))}
          </span>
        )}
        <span className={css.space} />
        <SiblingSwitch siblings={row.siblings} onSibling={actions.onSibling} />
        {!streaming && (
          <span className={css.acts}>
            {text !== "" && <CopyButton text={text} label={t("actions.copy")} />}
            <IconButton
              label={t("actions.saw")}
              icon={<Layers size={15} aria-hidden />}
              onClick={() => actions.onSaw(row.id)}
            />
            <IconButton
              label={t("actions.regenerate")}
              icon={<RotateCcw size={15} aria-hidden />}
              onClick={() => actions.onRegenerate(row.id)}
            />
          </span>
        )}
      </div>
    </div>
  );
});

/** Stopped by the person, or cut off: then with the reason. */
function Interrupted({ row: { id, error }, actions }: TurnProps<ReplyRow>) {
  const { t } = useTranslation("chat");
  const words = useFailureWords();
  return (
    <Notice
      tone="warn"
      title={error && words(error.code).title}
      actions={<Button onClick={() => actions.onContinue(id)}>{t("actions.continue")}</Button>}
    >
      {t(error ? "status.kept" : "status.interrupted")}
    </Notice>
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

function usage(row: ReplyRow): { input: string; output: string } {
  return { input: formatTokens(row.usage?.input ?? 0), output: formatTokens(row.usage?.output ?? 0) };
}

/** Folded unless the person opens it; its name alone tells that the model still thinks. */
function Reasoning({ text, open }: { text: string; open: boolean }) {
  const { t } = useTranslation("chat");
  const [shown, setShown] = useState(false);
  return (
    <details className={css.reasoning} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        {open ? t("reasoningOpen") : t("reasoning")}
        {open && <Spinner label={t("reasoningOpen")} />}
      </summary>
      {shown && <Markdown text={text} streaming={open} />}
    </details>
  );
}

function SiblingSwitch({ siblings, onSibling }: { siblings?: Siblings; onSibling: (id: string) => void }) {
  const { t } = useTranslation("chat");
  if (!siblings || siblings.count < 2) return null;
  const { index, count, ids } = siblings;
  const to = (target: number) => {
    const id = ids[target];
    if (id !== undefined) onSibling(id);
  };
  return (
    <span
      className={css.siblings}
      role="group"
      aria-label={t("siblings.label", { index: index + 1, count })}
    >
      <IconButton
        label={t("siblings.previous")}
        shortcut="Alt+Left"
        icon={<ChevronLeft size={15} aria-hidden />}
        disabled={index === 0}
        onClick={() => to(index - 1)}
      />
      <span aria-hidden data-numeric>
        {index + 1}/{count}
      </span>
      <IconButton
        label={t("siblings.next")}
        shortcut="Alt+Right"
        icon={<ChevronRight size={15} aria-hidden />}
        disabled={index === count - 1}
        onClick={() => to(index + 1)}
      />
    </span>
  );
}

function Attachments({ parts }: { parts: readonly Part[] }): ReactNode {
  const { t } = useTranslation("chat");
  return parts.map((part, index) => {
    if (part.type === "file") {
      return (
        <span key={index} className={css.file}>
          {t("file", { name: part.name })}
          {part.bytes !== null && <span data-numeric>{formatBytes(part.bytes)}</span>}
        </span>
      );
    }
    if (part.type !== "image") return null;
    return part.source !== null && /^(data:image\/|blob:)/.test(part.source) ? (
      <img key={index} className={css.picture} src={part.source} alt={t("image", { name: part.name })} />
    ) : (
      <span key={index} className={css.file}>
        {t("imageMissing", { name: part.name })}
      </span>
    );
  });
}
