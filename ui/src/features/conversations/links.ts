// Where a link leads: a message, a summary, a line of a project file, or outside after a question.
// Anything else leads nowhere.
import { goToMessage, jumpTo, openOverlay, showSummaries } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, type ConversationItem } from "@/ipc";

const MESSAGE = /^silt:message\/([\w-]+)$/;
const SUMMARY = /^silt:summary\/([\w-]+)$/;
const FILE = /^silt:file\/([^\s?#]+?)(?:\?line=(\d+))?$/;

export async function followLink(
  url: string,
  from: Pick<ConversationItem, "id" | "project_id">,
): Promise<void> {
  const message = MESSAGE.exec(url);
  if (message) {
    await followMessage(message[1]!, from);
    return;
  }
  const summary = SUMMARY.exec(url);
  if (summary) {
    showSummaries(summary[1]!);
    return;
  }
  const file = FILE.exec(url);
  if (file) {
    const path = decoded(file[1]!);
    if (path === null || from.project_id === null) return;
    const line = file[2] === undefined ? null : Number(file[2]);
    openOverlay({ kind: "file", projectId: from.project_id, path, line });
    return;
  }
  if (/^(https?:\/\/|mailto:)/i.test(url)) openOverlay({ kind: "link", url });
}

async function followMessage(id: string, from: Pick<ConversationItem, "id">): Promise<void> {
  try {
    const { conversation_id } = await call("conversation_locate", { id });
    if (conversation_id === from.id) {
      jumpTo(conversation_id, { messageId: id });
      return;
    }
    const { item } = await call("conversation_get", { id: conversation_id });
    goToMessage(conversation_id, item.project_id, id);
  } catch (thrown) {
    tellFailure(thrown);
  }
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
