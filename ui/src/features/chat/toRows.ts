// Messages of the host as rows of the list. What a turn said, called and got back is one row, from the first message
// after its question to the last. Messages that stay the same objects stay the same row.
import { modelName } from "@/features/models";
import { goingOn, openFence } from "@/shared/markdown";
import { useMemo } from "react";
import type { Call } from "@/features/tools";
import type { MessageItem, Part as HostPart, TurnId } from "@/ipc";
import type { Part, ReplyRow, Row, Siblings, Status, Usage } from "./rows";

interface Known {
  messages: readonly MessageItem[];
  open: boolean;
  continued: boolean;
  within: string | null;
  row: Row;
  /** The fence of the block of code that the next row goes on in. */
  leaves: string | null;
}

/** `openTurn` is under way, whether its model is heard, or a tool is waited for. */
export function useRows(messages: readonly MessageItem[], openTurn: TurnId | null): readonly Row[] {
  const known = useMemo(() => new WeakMap<MessageItem, Known>(), []);
  return useMemo(() => {
    let leaves: string | null = null;
    return byTurn(messages).flatMap((together, at, all) => {
      const first = together[0]!;
      const continued = all[at + 1]?.[0]!.role === "assistant";
      const open = openTurn !== null && first.turn_id === openTurn;
      const within = leaves;
      const before = known.get(first);
      const stays = before?.open === open && before.continued === continued && before.within === within;
      if (stays && same(before.messages, together)) {
        leaves = before.leaves;
        return [before.row];
      }
      const row = toRow(together, open, continued, within);
      leaves = row?.kind === "assistant" ? leftOpen(row) : null;
      if (row === null) return [];
      known.set(first, { messages: together, open, continued, within, row, leaves });
      return [row];
    });
  }, [messages, openTurn, known]);
}

/** What the row that goes on with this one begins in. */
function leftOpen({ continued, parts, within }: ReplyRow): string | null {
  const last = parts.at(-1);
  if (!continued || last?.type !== "text") return null;
  const isFirst = parts.find(({ type }) => type === "text") === last;
  return openFence(within && isFirst ? goingOn(within, last.text) : last.text);
}

function same(a: readonly MessageItem[], b: readonly MessageItem[]): boolean {
  return a.length === b.length && a.every((message, index) => message === b[index]);
}

/** What a model and its tools said in one turn belongs together; everything else stands alone. */
export function byTurn(messages: readonly MessageItem[]): MessageItem[][] {
  const all: MessageItem[][] = [];
  for (const message of messages) {
    const last = all.at(-1)?.[0];
    const answers = ({ role }: MessageItem) => role === "assistant" || role === "tool";
    const joins = last && message.turn_id !== null && last.turn_id === message.turn_id && answers(last) && answers(message);
    if (joins) all.at(-1)!.push(message);
    else all.push([message]);
  }
  return all;
}

function toRow(together: readonly MessageItem[], open: boolean, continued: boolean, within: string | null): Row | null {
  const first = together[0]!;
  const { id } = first;
  const at = Date.parse(first.created_at);
  const position = first.index + 1;
  switch (first.role) {
    case "user":
      return { kind: "user", key: id, position, id, parts: toParts(first), at, siblings: toSiblings(first) };
    case "system": {
      const text = toParts(first).map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
      return { kind: "notice", key: id, position, tone: "info", text };
    }
    case "assistant":
      return { ...toReply(together, open), continued, within: within ?? undefined };
    case "tool":
      return null;
  }
}

function toReply(together: readonly MessageItem[], open: boolean): ReplyRow {
  const first = together[0]!;
  const last = together.at(-1)!;
  const reply = together.findLast(({ role }) => role === "assistant")!;
  const parts: Part[] = [];
  let settled = 0;
  /** Calls of the message before, by their ids: a provider may use an id again. */
  let asked = new Map<string, Call>();
  for (const message of together) {
    if (message.role === "tool") {
      for (const part of message.parts) {
        const call = part.type === "tool_result" && asked.get(part.call_id);
        if (call) call.result = { messageId: message.id, text: part.text, isError: part.is_error, kept: part.kept };
      }
      continue;
    }
    settled = parts.length;
    const own = toParts(message);
    asked = new Map(own.flatMap((part) => (part.type === "call" ? [[part.call.id, part.call]] : [])));
    parts.push(...own);
  }
  const { model, fault } = reply;
  const unanswered = [...asked.values()].some(({ result }) => result === null);
  const heard: Status = last.role === "tool" || (unanswered && last.status === "complete") ? "interrupted" : last.status;
  return {
    kind: "assistant",
    key: first.id,
    position: first.index + 1,
    end: last.index + 1,
    id: first.id,
    question: first.parent_id ?? undefined,
    lastId: reply.id,
    ids: together.length > 1 ? together.map(({ id }) => id) : undefined,
    turnId: first.turn_id ?? undefined,
    recorded: reply.recorded,
    parts,
    settled: last.status === "streaming" ? settled : null,
    at: Date.parse(first.created_at),
    status: open ? "streaming" : heard,
    siblings: toSiblings(first),
    model: model !== null && model !== "offline" ? modelName(model) : undefined,
    usage: toUsage(together.findLast(({ usage }) => usage !== null) ?? reply),
    error: fault ?? undefined,
  };
}

function toSiblings({ siblings }: MessageItem): Siblings {
  return { index: siblings.position, count: siblings.ids.length, ids: siblings.ids };
}

/** Quotes of the offline answer have not been sent to anybody; there is nothing to count. */
function toUsage({ usage, model, cost }: MessageItem): Usage | undefined {
  if (!usage || model === "offline") return undefined;
  const { input_tokens: input, output_tokens: output, cached_input_tokens: cached, exact } = usage;
  return { input, output, cached, exact, cost };
}

/** Thoughts that follow each other are one, however many pieces the provider sealed them in. */
export function toParts({ id: replyId, parts }: { id: string; parts: readonly HostPart[] }): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === "tool_result") continue;
    if (part.type === "tool_call") {
      const { id, name, arguments: written } = part;
      out.push({ type: "call", call: { id, name, arguments: written, replyId, result: null } });
    } else if (part.type !== "reasoning") out.push(part);
    else if (last?.type !== "reasoning") out.push({ type: "reasoning", text: part.text });
    else out[out.length - 1] = { type: "reasoning", text: [last.text, part.text].filter(Boolean).join("\n\n") };
  }
  return out;
}
