// Acts on memory that several places offer: remember, forget, carry out a command. Each can be taken back from the
// toast that tells of it.
import { goToMemory } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, toFailure, type AddedFor, type ConversationId, type MemoryLine, type ProjectId } from "@/ipc";
import { readSettings, writeSettings } from "@/ipc/settings";
import { i18n } from "@/shared/i18n";
import { toast } from "@/shared/kit";

/** Where memory is added to or cleared. */
export interface Where {
  projectId: ProjectId | null;
  conversationId: ConversationId | null;
}

const t = i18n.getFixedT(null, "memory");

/** The beginning of a text, for a line of words. */
export function startOf(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function told(line: MemoryLine): void {
  const undo = { label: t("undo"), run: () => void call("memory_remove", { id: line.id }).catch(tellFailure) };
  // Memory lists all of them, and forgets each there.
  toast({ kind: "remembered", text: t("line.added", { text: startOf(line.text) }), action: undo });
}

/** Remembers a text for the whole project, or for one conversation when that is what is meant. */
export async function remember({ projectId, conversationId }: Where, text: string, source: string | null): Promise<void> {
  try {
    told(await call("memory_add", { project_id: projectId, conversation_id: conversationId, text, source }));
  } catch (thrown) {
    tellFailure(thrown);
  }
}

export async function forget(id: string): Promise<void> {
  try {
    await call("memory_remove", { id });
    const undo = { label: t("undo"), run: () => void call("memory_undo", { id }).catch(tellFailure) };
    toast({ text: t("line.removed"), action: undo });
  } catch (thrown) {
    tellFailure(thrown);
  }
}

function cleared(lines: readonly MemoryLine[]): void {
  if (lines.length === 0) return void toast({ text: t("line.nothing") });
  const back = () => void Promise.all(lines.map(({ id }) => call("memory_undo", { id }))).catch(tellFailure);
  toast({ text: t("line.cleared", { count: lines.length }), action: { label: t("undo"), run: back } });
}

export async function clearLines({ projectId, conversationId }: Where): Promise<void> {
  try {
    cleared(await call("memory_clear", { project_id: projectId, conversation_id: conversationId, dir: null }));
  } catch (thrown) {
    tellFailure(thrown);
  }
}

export async function refreshMemory({ projectId, conversationId }: Where): Promise<void> {
  try {
    await call("memory_refresh", { project_id: projectId, conversation_id: conversationId, dir: null });
    toast({ text: t("refreshed") });
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** From now on lines last so long, and this one does. */
export async function keepFor({ projectId, conversationId }: Where, line: MemoryLine, lasts: AddedFor): Promise<void> {
  try {
    const settings = await readSettings();
    await writeSettings(settings, { ...settings, memory: { ...settings.memory, added_for: lasts } });
    if (lasts !== "conversation") return;
    const { text, source } = line;
    await call("memory_add", { project_id: projectId, conversation_id: conversationId, text, source });
    await call("memory_remove", { id: line.id });
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** Whether a text is meant for memory and not for the model. */
export function isCommand(text: string): boolean {
  return /^\s*\/memory(\s|$)/.test(text);
}

/** Carries out `/memory …`; false, with the reason told, when it could not. `ask` is given the first line that is added. */
export async function runCommand(where: Where, text: string, ask: (line: MemoryLine) => void): Promise<boolean> {
  const adds = /^\s*\/memory\s+add\b/.test(text);
  try {
    const { added_for } = (await readSettings()).memory;
    const here = !adds || added_for === "conversation";
    const conversation_id = here ? where.conversationId : null;
    const answer = await call("memory_command", { project_id: where.projectId, conversation_id, text });
    if (answer.did === "added") {
      told(answer.line);
      if (added_for === null) ask(answer.line);
    }
    else if (answer.did === "cleared") cleared(answer.lines);
    else if (answer.did === "refreshed") toast({ text: t("refreshed") });
    else goToMemory(where);
    return true;
  } catch (thrown) {
    if (toFailure(thrown).code === "bad_request") toast({ text: t("slash.usage"), tone: "warn" });
    else tellFailure(thrown);
    return false;
  }
}
