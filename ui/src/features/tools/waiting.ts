// Which conversations wait for the person, whether they are on screen or not: asked for whenever the host says that it may
// have changed, told once for each call, by the status line and, to who looks away, by a notification.
import type { QueryClient } from "@tanstack/react-query";
import { notifyAway } from "@/features/conversations";
import { call, onChanged, type Approval, type ConversationId, type Unlisten } from "@/ipc";
import { queries } from "@/ipc/queries";
import { i18n } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import { setWaiting } from "./live";
import { toolName } from "./names";

/** Calls of which the person was told, by what would be done. */
const told = new Set<string>();

/** The number of the last look at each conversation: an answer that comes after a later one says nothing. */
const looks = new Map<ConversationId, number>();

export function followWaiting(client: QueryClient): Unlisten {
  return onChanged(({ topics }) => {
    if (!topics.some(({ type }) => type === "tools")) return;
    for (const topic of topics) {
      if (topic.type === "conversation") void lookForWaiting(client, topic.id);
    }
  });
}

export async function lookForWaiting(client: QueryClient, id: ConversationId): Promise<void> {
  const look = (looks.get(id) ?? 0) + 1;
  looks.set(id, look);
  // A conversation that is gone waits for nothing.
  const approvals = await call("approval_list", { id }).catch((): Approval[] => []);
  if (looks.get(id) !== look) return;
  client.setQueryData(queries.approvals(id).queryKey, approvals);
  setWaiting(id, approvals.length);
  for (const { call_id, hash, command, change, tool } of approvals) {
    const key = `${id} ${call_id} ${hash}`;
    if (told.has(key)) continue;
    told.add(key);
    const words = i18n.t("needed", { ns: "tools", about: command ?? change?.path ?? toolName(tool) });
    announce(words);
    await notifyAway(client, id, words);
  }
}
