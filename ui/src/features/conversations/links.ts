// Where a link leads: a message, what was said in a kept session, a summary, a line of a project file, or outside after a question. What a search found may
// also be a decision, a line of memory or a checkpoint; from a text these lead nowhere, as anything else does.
import { goToMessage, goToVault, jumpTo, openOverlay, showSummaries } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, type ConversationId, type ProjectId } from "@/ipc";

const THING = /^silt:(message|summary|decision|checkpoint|memory-line)\/([\w-]+)$/;
const SAID = /^silt:session\/([a-z-]+)\/([^\s?#]+)\?message=(\d+)$/;
const LINE = /^silt:(file|memory)\/([^\s?#]*)(?:\?line=(\d+))?$/;

/** What a `silt:` link names. A path in it is of the project that is known beside it. */
export type Linked =
  | { to: "message" | "summary" | "decision" | "checkpoint" | "memory-line"; id: string }
  | { to: "session"; id: string; number: number }
  | { to: "file" | "memory"; path: string; line: number | null };

export function readLink(url: string): Linked | null {
  const thing = THING.exec(url);
  if (thing) return { to: thing[1] as "message", id: thing[2]! };
  const said = SAID.exec(url);
  const session = said && decoded(said[2]!);
  if (said && session !== null) return { to: "session", id: session, number: Number(said[3]) };
  const line = LINE.exec(url);
  const path = line && decoded(line[2]!);
  if (!line || path === null || path === "") return null;
  return { to: line[1] as "file", path, line: line[3] === undefined ? null : Number(line[3]) };
}

/** The conversation that the link stands in, null outside of any, and the project. */
interface From {
  id: ConversationId | null;
  project_id: ProjectId | null;
}

export async function followLink(
  url: string,
  from: From,
): Promise<void> {
  const linked = readLink(url);
  if (linked?.to === "message") await followMessage(linked.id, from);
  else if (linked?.to === "summary") showSummaries(linked.id);
  else if (linked?.to === "session") goToVault({ id: linked.id, version: null }, linked.number);
  else if (linked?.to === "file" && from.project_id !== null) {
    openOverlay({ kind: "file", projectId: from.project_id, path: linked.path, line: linked.line });
  } else if (/^(https?:\/\/|mailto:)/i.test(url)) openOverlay({ kind: "link", url });
}

async function followMessage(id: string, from: From): Promise<void> {
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
