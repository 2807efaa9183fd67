// What a reply says and does, and how it ended, as its row shows it (Turns.tsx) and each of several that stand side by side
// (SideBySide.tsx). A streaming one takes its text from stream.ts.
import { Fragment, useMemo } from "react";
import { openOverlay } from "@/app/actions";
import { Attachments } from "@/features/attachments";
import { ChangesBar } from "@/features/changes";
import { useAsked } from "@/features/context";
import { useFailureWords } from "@/features/errors";
import { OWN_MODEL, ProviderTrouble, useIsAgent } from "@/features/models";
import { Calls, isBusy, ProposedHere, unwritten, useProgress, useToolsPlace, Verdict, type Step } from "@/features/tools";
import { ProposedChange } from "@/features/work";
import { formatCost, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import { goingOn, Markdown } from "@/shared/markdown";
import { LimitNotice } from "./LimitNotice";
import { piecesOf, type Piece } from "./pieces";
import { Reasoning } from "./Reasoning";
import type { Part, ReplyRow, RowActions, Usage } from "./rows";
import { streamParts, useReplyStream } from "./stream";
import css from "./Turns.module.css";
import { OtherModel, Waiting } from "./Waiting";

/** One of several side by side: it is asked again of its own model. */
export interface Beside {
  /** Null while it cannot be. */
  again: (() => void) | null;
  onEnterKey: () => void;
}

interface ReplyBodyProps {
  row: ReplyRow;
  actions: RowActions;
  beside?: Beside;
}

export function ReplyBody({ row, actions, beside }: ReplyBodyProps) {
  const stream = useReplyStream(row.lastId ?? row.id);
  const streaming = row.status === "streaming";
  const agent = useIsAgent()(useWhom(row) ?? "");
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
  const beginning = pieces.find(({ type }) => type === "text");
  // What came of an agent's call is in no message yet: it stands with the call alone.
  const going = Object.values(progress).some(({ status }) => status === "waiting" || status === "running");
  const busy = (steps: readonly Step[]) => (doing.length > 0 ? going : isBusy(steps));
  const waits = streaming && (last === undefined || (last.type === "calls" && !busy(last.steps)));
  const again = beside ? beside.again : () => actions.onRetry(row.id);
  const shown = (part: Exclude<Part, { type: "call" }>, open: boolean, begins: boolean) =>
    part.type === "text" ? (
      <Markdown text={begins && row.within ? goingOn(row.within, part.text) : part.text} streaming={open} said={row.key} />
    ) : part.type === "reasoning" ? (
      <Reasoning text={part.text} thinking={open} />
    ) : (
      <Attachments parts={[part]} />
    );
  return (
    <>
      {pieces.map((piece, index) =>
        piece.type === "calls" ? (
          <Calls key={index} steps={piece.steps} turnId={row.turnId} live={streaming} reasoning={shownThought} />
        ) : (
          <Fragment key={index}>{shown(piece, streaming && piece === last, piece === beginning)}</Fragment>
        ),
      )}
      {waits && <Waiting pause={stream?.waiting ?? null} others={!beside} />}
      {!row.continued && (row.status === "interrupted" || (row.status === "complete" && row.error)) && (
        <NotWhole row={row} agent={agent} actions={actions} beside={beside} />
      )}
      {row.status === "failed" &&
        (row.error?.code === "limit_reached" ? (
          <LimitNotice onAllowed={() => again?.()} />
        ) : (
          <Failed row={row} agent={agent} again={again} onEnterKey={beside?.onEnterKey ?? actions.onEnterKey} others={!beside} />
        ))}
      {!streaming && row.parts.some(remembers) && <ProposedHere messageIds={row.ids ?? [row.id]} />}
      {!streaming && <ProposedChange messageIds={row.ids ?? [row.id]} />}
      {row.turnId && row.recorded && !streaming && (agent || row.parts.some(mayChange)) && <ChangesBar of={{ of: "turn", id: row.turnId }} />}
      {row.turnId && <Verdict turnId={row.turnId} />}
    </>
  );
}

/** The provider that was asked, where its name or its kind is wanted. */
export function useWhom({ turnId, status, model }: ReplyRow): string | undefined {
  return useAsked(turnId, status !== "streaming" && (model === OWN_MODEL || status === "failed"));
}

interface FailedProps {
  row: ReplyRow;
  agent: boolean;
  again: (() => void) | null;
  onEnterKey: () => void;
  /** Another model can be asked in its place. */
  others: boolean;
}

/** Why no answer came, and what can be done; of an agent that is another thing. */
function Failed({ row, agent, again, onEnterKey, others }: FailedProps) {
  const { t } = useTranslation(["chat", "keys"]);
  const code = row.error?.code ?? "";
  return (
    <ProviderTrouble
      past
      agent={agent}
      failure={{ code: "internal", message: "", hint: "", ...row.error }}
      onEnterKey={onEnterKey}
      onSolved={() => again?.()}
      actions={
        <>
          {again && <Button onClick={again}>{t("actions.retry")}</Button>}
          {agent && code === "provider_unreachable" && (
            <Button onClick={() => openOverlay({ kind: "settings", tab: "models" })}>{t("toModels", { ns: "keys" })}</Button>
          )}
          {others && ANOTHER_HELPS.has(code) && <OtherModel />}
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
  "reply_empty",
  "reply_withheld",
]);

const remembers = (part: Part) => part.type === "call" && part.call.name === "remember";

/**
 * Whether it may have changed files, also where it failed; whether it did is the host's to say. An agent may without telling.
 */
const mayChange = (part: Part) => part.type === "call";

const shownThought = (text: string) => <Reasoning text={text} thinking={false} />;

/** Stopped by the person, cut off or less than a whole answer: then with the reason. It is gone on with, or, beside others, asked again. */
function NotWhole({ row: { id, lastId, status, error }, agent, actions, beside }: ReplyBodyProps & { agent: boolean }) {
  const { t } = useTranslation("chat");
  const words = useFailureWords();
  const goOn = () => actions.onContinue(lastId ?? id);
  const run = beside ? beside.again : goOn;
  const way = run && <Button onClick={run}>{t(beside ? "actions.retry" : "actions.continue")}</Button>;
  if (!error) {
    return (
      <p className={css.stopped}>
        {t("status.interrupted")}
        {way}
      </p>
    );
  }
  const { title, hint } = words(error.code, agent);
  return (
    <Notice tone="warn" title={title} actions={way}>
      {status === "complete" ? hint : t("status.kept")}
    </Notice>
  );
}

/** Tokens and, when the price is known, what they cost. */
export function Counted({ usage: { input, output, cached, exact, cost } }: { usage: Usage }) {
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
