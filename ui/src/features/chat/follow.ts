// Follows the replies of a conversation while they are written, whether or not it is on screen:
// text goes to the stream store, the end is announced, and a long answer that ends while nobody
// looks makes a notification.
import type { QueryClient } from "@tanstack/react-query";
import { call, stream, type ConversationId, type MessageId, type TurnEvent } from "@/ipc";
import { queries } from "@/ipc/queries";
import { i18n } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import { replyStream } from "./stream";

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
    followed.delete(id);
  }
}

function follow(client: QueryClient, id: ConversationId): (event: TurnEvent) => void {
  let reply: MessageId | null = null;
  let startedAt = 0;
  return (event) => {
    switch (event.type) {
      case "started":
        reply = event.reply_id;
        startedAt = Date.now();
        replyStream.set(reply, { text: event.text, reasoning: event.reasoning });
        announce(i18n.t("status.answering", { ns: "chat" }));
        break;
      case "text":
      case "reasoning":
        if (reply !== null) replyStream.append(reply, event.type, event.text);
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
  announce(
    status === "complete"
      ? i18n.t("status.done", { ns: "chat", count: countWords(text) })
      : i18n.t(status === "failed" ? "status.failed" : "status.interrupted", { ns: "chat" }),
  );
  // The stored reply first, then the stream goes: the row never shows less than it did.
  await client.invalidateQueries({ queryKey: ["conversation", id] });
  replyStream.drop(reply_id);
  if (took > LONG && (document.hidden || !document.hasFocus())) await notify(client, id, text);
}

async function notify(client: QueryClient, id: ConversationId, text: string): Promise<void> {
  const settings = await client.fetchQuery(queries.settings());
  if (!settings.notify) return;
  const { item } = await client.fetchQuery(queries.conversation(id));
  const body = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  await call("notify", { title: item.title, body }).catch(() => {});
}

export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    if (isWordLike) count += 1;
  }
  return count;
}
