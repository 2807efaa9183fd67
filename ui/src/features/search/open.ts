// Opens what a search found at its place.
import {
  goToCheckpoints,
  goToConversation,
  goToMemory,
  goToMemoryLine,
  goToMessage,
  goToToday,
  openOverlay,
  showSummaries,
} from "@/app/actions";
import { readLink } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { call, type Found } from "@/ipc";

export async function openFound(found: Found): Promise<void> {
  const linked = readLink(found.link);
  const { project_id: projectId, conversation_id: conversationId } = found;
  try {
    switch (linked?.to) {
      case "message": {
        const { conversation_id } = await call("conversation_locate", { id: linked.id });
        const { item } = await call("conversation_get", { id: conversation_id });
        goToMessage(item.id, item.project_id, linked.id, found.snippet.find(({ hit }) => hit)?.text);
        break;
      }
      case "summary": {
        const { conversation_id } = await call("summary_get", { id: linked.id });
        goToConversation((await call("conversation_get", { id: conversation_id })).item);
        showSummaries(linked.id);
        break;
      }
      case "decision":
        if (projectId !== null) goToToday(projectId, linked.id);
        break;
      case "memory":
        goToMemory({ projectId, conversationId }, linked.path, linked.line ?? 1);
        break;
      case "memory-line":
        goToMemoryLine({ projectId, conversationId }, linked.id);
        break;
      case "file":
        if (projectId !== null) openOverlay({ kind: "file", projectId, path: linked.path, line: linked.line });
        break;
      case "checkpoint":
        if (projectId !== null) goToCheckpoints({ projectId, conversationId }, linked.id);
        break;
      case "session":
      case undefined:
    }
  } catch (thrown) {
    tellFailure(thrown);
  }
}
