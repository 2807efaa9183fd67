// A notification of the system about a conversation, for who does not look at the window and wants to be told.
import type { QueryClient } from "@tanstack/react-query";
import { call, type ConversationId } from "@/ipc";
import { queries } from "@/ipc/queries";

/** More of a text is cut. */
const MOST = 120;

export async function notifyAway(client: QueryClient, id: ConversationId, text: string): Promise<void> {
  if (!document.hidden && document.hasFocus()) return;
  const settings = await client.fetchQuery(queries.settings());
  if (!settings.notify) return;
  // Not what is known of it: a title follows the first question, and word of that may still be on its way.
  const { item } = await call("conversation_get", { id });
  const body = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  await call("notify", { title: item.title, body }).catch(() => {});
}
