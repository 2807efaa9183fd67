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
  const { item } = await client.fetchQuery(queries.conversation(id));
  const body = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  await call("notify", { title: item.title, body }).catch(() => {});
}
