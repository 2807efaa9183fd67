// Whether anybody is at work in a copy.
import { useQueries, useQuery } from "@tanstack/react-query";
import type { ConversationId, ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";

/** Its conversations in which a reply is being written. */
export function useWorking(id: ProjectId): ConversationId[] {
  const talks = useQuery(queries.conversations(id)).data ?? [];
  const details = useQueries({ queries: talks.map((talk) => queries.conversation(talk.id)) });
  return details.flatMap(({ data }) => (data && data.open_turn !== null ? [data.item.id] : []));
}
