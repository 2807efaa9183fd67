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
import { NOTHING_YET, replyStream } from "./stream";

/** An answer shorter than this is waited for; its end needs no notification. */
const LONG = 20_000;
/** Between two looks for another reply, so that a host that says "open" for ever is not asked in a rush. */
const BREATH = 250;

const followed = new Set<ConversationId>();

export async function followReplies(client: QueryClient, id: ConversationId): Promise<void> {
  if (followed.has(id)) return;
  followed.add(id);
  try {
    for (;;) {
      const follower = follow(client, id);
      await stream("turn_watch", { id }, follower);
      const { open_turn } = await client.fetchQuery({ ...queries.conversation(id), staleTime: 0 });
      if (open_turn === null) return;
      await new Promise((rest) => setTimeout(rest, BREATH));
    }
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
  { reply_id, status }: Extract<TurnEvent, { type: "done" }>,
  took: number,
): Promise<void> {
  const text = replyStream.get(reply_id)?.text ?? "";
  // The stored reply first, then the stream goes: the row never shows less than it did.
  await client.invalidateQueries({ queryKey: ["conversation", id] });
  const path = await client.fetchQuery(pathQuery(id)).catch(() => null);
  announce(howItEnded(status, path?.messages.find((one) => one.id === reply_id)?.fault ?? null, text));
  replyStream.drop(reply_id);
  callsEnded(id);
  if (took > LONG) await notifyAway(client, id, text);
}

/** In the words of its row, so that a reply that was cut is no more done to the ear than to the eye. */
function howItEnded(status: MessageStatus, fault: TurnFault | null, text: string): string {
  const { t } = i18n;
  if (status === "failed") return t("status.failed", { ns: "chat" });
  if (fault === null) {
    return status === "complete"
      ? t("status.done", { ns: "chat", count: countWords(text) })
      : t("status.interrupted", { ns: "chat" });
  }
  const { title, hint } = failureWords(fault.code);
  return `${title} ${status === "complete" ? hint : t("status.kept", { ns: "chat" })}`;
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
