// The conversation that a question of the first screen begins. It is made as soon as something is written, so that what would
// be sent can be shown before anything is; while nothing is in it, no list has it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { goToConversation } from "@/app/actions";
import { call, type ConversationItem } from "@/ipc";
import { useWriting } from "./writing";

const queryKey = ["first"];
const queryFn = () => call("conversation_create", { project_id: null });

export function useFirst(): { conversation: ConversationItem | null; ask: (text: string) => Promise<void> } {
  const client = useQueryClient();
  // One for as long as it is not used.
  const made = { queryKey, queryFn, staleTime: Infinity, gcTime: Infinity };
  const begun = useWriting(({ text }) => text !== "");
  const { data } = useQuery({ ...made, enabled: begun });
  const ask = async (text: string) => {
    const item = await client.fetchQuery(made);
    await call("send", { conversation_id: item.id, text, attachments: [] });
    goToConversation(item);
    client.removeQueries({ queryKey });
  };
  return { conversation: data ?? null, ask };
}
