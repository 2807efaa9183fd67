// Follows the replies of a conversation while they are written, whether or not it is on screen:
// text goes to the stream store, the end is announced, and a long answer that ends while nobody
// looks makes a notification.
import type { QueryClient } from "@tanstack/react-query";
import { stream, type ConversationId, type MessageId, type MessageStatus, type TurnEvent, type TurnFault } from "@/ipc";
import { queries } from "@/ipc/queries";
import { notifyAway } from "@/features/conversations";
import { failureWords } from "@/features/errors";
import { callProgressed, callsEnded, callSaid, callsStarted, lookForWaiting, waits } from "@/features/tools";
import { i18n } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import { pathQuery } from "./path";
import { textOf } from "./rows";
import { NOTHING_YET, replyStream } from "./stream";
import { toParts } from "./toRows";

/** An answer shorter than this is waited for; its end needs no notification. */
const LONG = 20_000;
/** Between two looks for another reply, so that a host that says "open" for ever is not asked in a rush. */
const BREATH = 250;

/** Conversations whose replies are followed: watched, not watched any more, or then to be watched once again. */
const followed = new Map<ConversationId, "watched" | "over" | "again">();

/** Of each conversation the reply whose end was told last. */
const told = new Map<ConversationId, MessageId>();

/** The end of a reply that was asked for at `since`, in milliseconds, or later is told even if it came before anybody followed. */
export async function followReplies(client: QueryClient, id: ConversationId, since = 0): Promise<void> {
  if (followed.has(id)) {
    if (followed.get(id) === "over") followed.set(id, "again");
    return;
  }
  try {
    do {
      followed.set(id, "watched");
      await stream("turn_watch", { id }, follow(client, id));
      followed.set(id, "over");
      const { open_turn } = await client.fetchQuery({ ...queries.conversation(id), staleTime: 0 });
      if (open_turn === null) await tellMissed(client, id, since);
      else {
        followed.set(id, "again");
        await new Promise((rest) => setTimeout(rest, BREATH));
      }
    } while (followed.get(id) === "again");
  } catch {
    // Without the stream the reply still arrives: the path is read again when it is stored.
  } finally {
    callsEnded(id);
    void lookForWaiting(client, id);
    followed.delete(id);
  }
}

function follow(client: QueryClient, id: ConversationId): (event: TurnEvent) => void {
  let reply: MessageId | null = null;
  let startedAt = 0;
  /** Calls that the path that is shown was read again for. */
  let known = new Set<string>();
  return (event) => {
    switch (event.type) {
      case "started":
        reply = event.reply_id;
        startedAt = Date.now();
        replyStream.set(reply, { text: event.text, reasoning: event.reasoning, waiting: event.waiting });
        known = new Set(event.calls.map(({ call_id }) => call_id));
        callsStarted(id, event.calls);
        // Whoever comes to it late may have read the path before the reply made them.
        if (event.calls.length > 0) void readAgain(client, id);
        if (event.calls.some(({ status }) => status === "waiting")) void lookForWaiting(client, id);
        // What waits for an answer was said, and is what matters.
        if (!waits(id)) announce(i18n.t("status.answering", { ns: "chat" }));
        break;
      case "text":
      case "reasoning":
        if (reply !== null) replyStream.append(reply, event.type, event.text);
        break;
      case "reply": {
        const before = reply;
        reply = event.reply_id;
        replyStream.set(reply, NOTHING_YET);
        // What was said before it is stored, and so are the results; the row shows them from there.
        void readAgain(client, id).then(() => before !== null && replyStream.drop(before));
        break;
      }
      case "tool":
        callProgressed(id, event.call);
        if (!known.has(event.call.call_id)) {
          known.add(event.call.call_id);
          void readAgain(client, id);
        }
        if (event.call.status === "waiting") void lookForWaiting(client, id);
        break;
      case "waiting":
        if (reply !== null) replyStream.wait(reply, event.waiting);
        break;
      case "output":
        callSaid(id, event.call_id, event.text);
        break;
      case "done":
        void ended(client, id, event, Date.now() - startedAt);
        reply = null;
        break;
    }
  };
}

async function ended(
  client: QueryClient,
  id: ConversationId,
  { reply_id, status, fault }: Extract<TurnEvent, { type: "done" }>,
  took: number,
): Promise<void> {
  const text = replyStream.get(reply_id)?.text ?? "";
  tell(id, reply_id, status, fault, text);
  // The stored reply first, then the stream goes: the row never shows less than it did.
  await client.invalidateQueries({ queryKey: ["conversation", id] });
  replyStream.drop(reply_id);
  callsEnded(id);
  if (took > LONG) await notifyAway(client, id, text);
}

async function tellMissed(client: QueryClient, id: ConversationId, since: number): Promise<void> {
  const { messages } = await client.fetchQuery({ ...pathQuery(id), staleTime: 0 });
  const last = messages.findLast(({ role }) => role === "assistant");
  if (!last || last.status === "streaming" || told.get(id) === last.id || Date.parse(last.created_at) < since) return;
  tell(id, last.id, last.status, last.fault, textOf(toParts(last)));
}

/** In the words of its row, so that a reply that was cut is no more done to the ear than to the eye. */
function tell(id: ConversationId, reply: MessageId, status: MessageStatus, fault: TurnFault | null, text: string): void {
  const { t } = i18n;
  told.set(id, reply);
  if (status === "failed") announce(t("status.failed", { ns: "chat" }));
  else if (fault !== null) {
    const { title, hint } = failureWords(fault.code);
    announce(`${title} ${status === "complete" ? hint : t("status.kept", { ns: "chat" })}`);
  } else if (status === "complete") announce(t("status.done", { ns: "chat", count: countWords(text) }));
  else announce(t("status.interrupted", { ns: "chat" }));
}

async function readAgain(client: QueryClient, id: ConversationId): Promise<void> {
  const keys = [pathQuery(id).queryKey, ["conversation", id, "versions"]];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    if (isWordLike) count += 1;
  }
  return count;
}
