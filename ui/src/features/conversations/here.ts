// What is at hand: the project of the page or conversation that is open, or else the one the rail shows.
import { useQuery } from "@tanstack/react-query";
import { usePlace } from "@/app/actions";
import type { ConversationId, ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";

export interface Here {
  projectId: ProjectId | null;
  /** The conversation that is open, unless it is in the trash, or the Today page or the copies of a project lie over it. */
  conversationId: ConversationId | null;
}

export function useHere(): Here {
  const page = usePlace((place) => place.today ?? place.copies);
  const projectId = usePlace((place) => place.projectId);
  const conversationId = usePlace((place) => place.conversationId);
  const { data: conversations } = useQuery(queries.conversations(null));
  const listed = conversations?.find(({ id }) => id === conversationId);
  // One that nothing was said in is told of by nobody.
  const unlisted = conversationId !== null && conversations !== undefined && listed === undefined;
  const { data: detail } = useQuery({ ...queries.conversation(conversationId ?? ""), enabled: unlisted });
  if (page) return { projectId: page.projectId, conversationId: null };
  const open = listed ?? (unlisted && detail?.item.deleted_at === null ? detail.item : undefined);
  return open ? { projectId: open.project_id, conversationId } : { projectId, conversationId: null };
}
