// The rows of a conversation: what the person wrote, the replies, and notices. Each is memoised by
// its row object; a streaming reply takes its text from stream.ts.
import { BookmarkPlus, Layers, Pencil, RotateCcw } from "lucide-react";
import { Fragment, memo, useEffect, useMemo } from "react";
import { openOverlay, useChords, usePlace } from "@/app/actions";
import { Attachments, FIELD_BYTES, type Attachment } from "@/features/attachments";
import { ChangesBar } from "@/features/changes";
import { ReceiptLine, useAsked } from "@/features/context";
import { useFailureWords } from "@/features/errors";
import { OWN_MODEL, ProviderTrouble, useIsAgent, useModelNames } from "@/features/models";
import { Calls, isBusy, JudgeButton, ProposedHere, unwritten, useProgress, useToolsPlace, Verdict, type Step } from "@/features/tools";
import { ProposedChange } from "@/features/work";
import { formatCost, formatMoment, formatNumber, formatTime, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, CopyButton, IconButton, Notice } from "@/shared/kit";
import { Markdown } from "@/shared/markdown";
import { EditTurn } from "./EditTurn";
import { LimitNotice } from "./LimitNotice";
import { piecesOf, type Piece } from "./pieces";
import { Reasoning } from "./Reasoning";
import {
  attachmentsOf,
  startOf,
  textOf,
  type NoticeRow,
  type Part,
  type ReplyRow,
  type RowActions,
  type Usage,
  type UserRow,
} from "./rows";
import { SiblingSwitch } from "./SiblingSwitch";
import { streamParts, useReplyStream } from "./stream";
import css from "./Turns.module.css";
import { OtherModel, Waiting } from "./Waiting";

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
  onWhole: (key: string) => void;
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
        <Folded id={row.id} text={text} all={whole} onAll={() => onWhole(row.key)} />
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
function Folded({ id, text, all, onAll }: { id: string; text: string; all: boolean; onAll: () => void }) {
  const { t } = useTranslation("chat");
  const start = useMemo(() => startOf(text), [text]);
  const fits = text.length <= FIELD_BYTES;
  const sought = usePlace(({ jump }) => jump !== null && "words" in jump.to && jump.to.messageId === id) && fits;
  useEffect(() => {
    // It stays open when other words are gone to.
    if (sought && !all) onAll();
  });
  if (text === "") return null;
  if (start === text || all || sought) return <Markdown text={text} said={id} />;
  const open = () => (fits ? onAll() : openOverlay({ kind: "text", name: t("you"), text, hash: "" }));
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

export const Reply = memo(function Reply({ row, actions }: TurnProps<ReplyRow>) {
  const { t } = useTranslation("chat");
  const chord = useChords();
  const stream = useReplyStream(row.lastId ?? row.id);
  const streaming = row.status === "streaming";
  const asked = useAsked(row.turnId, !streaming && (row.model === OWN_MODEL || row.status === "failed"));
  const agent = useIsAgent()(asked ?? "");
  const { alone } = useModelNames();
  const { settled = 0 } = row;
  const heard = streaming && settled !== null ? stream : undefined;
  const end = heard ? (settled ?? 0) : row.parts.length;
  // What was said before stays as it is while more is heard.
  const before = useMemo(() => row.parts.slice(0, end), [row.parts, end]);
  const earlier = useMemo(() => piecesOf(before), [before]);
  const now = heard ? streamParts(heard) : [];
  const conversationId = useToolsPlace()?.conversationId;
  const progress = useProgress(streaming ? conversationId : undefined);
  const written = new Set(row.parts.flatMap((part) => (part.type === "call" ? [part.call.id] : [])));
  const doing = unwritten(progress, written, row.lastId ?? row.id);
  const pieces: readonly Piece[] = [
    ...earlier,
    ...piecesOf(now),
    ...(doing.length > 0 ? [{ type: "calls" as const, steps: doing }] : []),
  ];
  const last = pieces.at(-1);
  // What came of an agent's call is in no message yet: it stands with the call alone.
  const going = Object.values(progress).some(({ status }) => status === "waiting" || status === "running");
  const busy = (steps: readonly Step[]) => (doing.length > 0 ? going : isBusy(steps));
  const text = textOf([...before, ...now]);
  const shown = (part: Exclude<Part, { type: "call" }>, open: boolean) =>
    part.type === "text" ? (
      <Markdown text={part.text} streaming={open} said={row.key} />
    ) : part.type === "reasoning" ? (
      <Reasoning text={part.text} thinking={open} />
    ) : (
      <Attachments parts={[part]} />
    );
  return (
    <div className={css.turn}>
      {pieces.map((piece, index) =>
        piece.type === "calls" ? (
          <Calls key={index} steps={piece.steps} turnId={row.turnId} live={streaming} reasoning={shownThought} />
        ) : (
          <Fragment key={index}>{shown(piece, streaming && piece === last)}</Fragment>
        ),
      )}
      {streaming && (last === undefined || (last.type === "calls" && !busy(last.steps))) && <Waiting pause={stream?.waiting ?? null} />}
      {row.status === "interrupted" && <Interrupted row={row} actions={actions} />}
      {row.status === "failed" && row.error?.code === "limit_reached" && (
        <LimitNotice onAllowed={() => actions.onRetry(row.id)} />
      )}
      {row.status === "failed" && row.error?.code !== "limit_reached" && (
        <Failed row={row} actions={actions} agent={agent} />
      )}
      {!streaming && row.parts.some(remembers) && <ProposedHere messageIds={row.ids ?? [row.id]} />}
      {!streaming && <ProposedChange messageIds={row.ids ?? [row.id]} />}
      {row.turnId && row.recorded && !streaming && (agent || row.parts.some(mayChange)) && <ChangesBar of={{ of: "turn", id: row.turnId }} />}
      {row.turnId && <Verdict turnId={row.turnId} />}
      <div className={css.foot}>
        {row.model && row.model !== OWN_MODEL && <span>{row.model}</span>}
        {row.model === OWN_MODEL && asked !== undefined && <span>{alone(row.model, asked)}</span>}
        {row.usage && <Counted usage={row.usage} />}
        {!streaming && row.recorded && row.turnId ? <ReceiptLine turnId={row.turnId} /> : <span className={css.space} />}
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
});

/** Why no answer came, and what can be done; of an agent that is another thing. */
function Failed({ row, actions, agent }: TurnProps<ReplyRow> & { agent: boolean }) {
  const { t } = useTranslation(["chat", "keys"]);
  const code = row.error?.code ?? "";
  return (
    <ProviderTrouble
      past
      agent={agent}
      failure={{ code: "internal", message: "", hint: "", ...row.error }}
      onEnterKey={actions.onEnterKey}
      onSolved={() => actions.onRetry(row.id)}
      actions={
        <>
          <Button onClick={() => actions.onRetry(row.id)}>{t("actions.retry")}</Button>
          {agent && code === "provider_unreachable" && (
            <Button onClick={() => openOverlay({ kind: "settings", tab: "models" })}>{t("toModels", { ns: "keys" })}</Button>
          )}
          {ANOTHER_HELPS.has(code) && <OtherModel />}
        </>
      }
    />
  );
}

/** Failures that are one model's or one provider's, and may be none of another's. */
const ANOTHER_HELPS: ReadonlySet<string> = new Set([
  "rate_limited",
  "no_credit",
  "provider_unreachable",
  "provider_timed_out",
  "provider_not_local",
]);

const remembers = (part: Part) => part.type === "call" && part.call.name === "remember";

/**
 * Whether it may have changed files, also where it failed; whether it did is the host's to say. An agent may without telling.
 */
const mayChange = (part: Part) => part.type === "call";

const shownThought = (text: string) => <Reasoning text={text} thinking={false} />;

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

/** Stopped by the person, or cut off: then with the reason. */
function Interrupted({ row: { id, lastId, error }, actions }: TurnProps<ReplyRow>) {
  const { t } = useTranslation("chat");
  const words = useFailureWords();
  const goOn = () => actions.onContinue(lastId ?? id);
  if (!error) {
    return (
      <p className={css.stopped}>
        {t("status.interrupted")}
        <Button onClick={goOn}>{t("actions.continue")}</Button>
      </p>
    );
  }
  return (
    <Notice tone="warn" title={words(error.code).title} actions={<Button onClick={goOn}>{t("actions.continue")}</Button>}>
      {t("status.kept")}
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

/** Tokens and, when the price is known, what they cost. */
function Counted({ usage: { input, output, cached, exact, cost } }: { usage: Usage }) {
  const { t } = useTranslation("chat");
  const about = exact ? "" : "≈\u202f";
  return (
    <>
      <span
        title={t(cached > 0 ? "usageCached" : "usageTitle", {
          input: formatNumber(input),
          output: formatNumber(output),
          cached: formatNumber(cached),
        })}
        data-numeric
      >
        {about}
        {t("usage", { input: formatTokens(input), output: formatTokens(output) })}
      </span>
      {cost !== null && cost > 0 && (
        <span data-numeric>
          {about}
          {formatCost(cost)}
        </span>
      )}
    </>
  );
}
