// Starting, deleting with undo, exporting and importing conversations; opening a project's place.
import type { QueryClient } from "@tanstack/react-query";
import { goToConversation, goToToday, leaveConversation, showProject, usePlace } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, type ConversationId, type ConversationItem, type ExportFormat, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { i18n, useTranslation } from "@/shared/i18n";
import { toast } from "@/shared/kit";
import { written } from "@/shared/saved";
import { linesOf, neighbourOf } from "./groups";
import { importAll, showImport } from "./importing";

/** A conversation's title, or the words for one that has none yet. */
export function useTitle(): (conversation: Pick<ConversationItem, "title">) => string {
  const { t } = useTranslation("rail");
  return ({ title }) => title.trim() || t("untitled");
}

/** Opens an empty conversation: one that waits unused, or a new one. */
export async function startConversation(client: QueryClient, project_id: ProjectId | null): Promise<void> {
  try {
    const all = await client.fetchQuery({ ...queries.conversations(project_id), staleTime: 0 });
    const unused = all.find(
      (item) => item.project_id === project_id && item.message_count === 0 && item.title === "",
    );
    goToConversation(unused ?? (await call("conversation_create", { project_id })));
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** Shows a project: its Today page, or, where there is nothing to go on with, its latest conversation or a new one. */
export async function openProject(client: QueryClient, project_id: ProjectId): Promise<void> {
  showProject(project_id);
  if ((await client.fetchQuery({ ...queries.resume(project_id), staleTime: 0 })) !== null) return goToToday(project_id);
  const all = await client.fetchQuery({ ...queries.conversations(project_id), staleTime: 0 });
  const latest = all.reduce<ConversationItem | undefined>(
    (best, item) => (best && best.updated_at >= item.updated_at ? best : item),
    undefined,
  );
  if (latest) goToConversation(latest);
  else await startConversation(client, project_id);
}

/** Moves to the trash at once; a toast offers the way back. */
export async function deleteConversation(item: Pick<ConversationItem, "id" | "title">): Promise<void> {
  const { id } = item;
  let next: ConversationId | null = null;
  try {
    next = await neighbour(id);
    await call("conversation_delete", { id });
  } catch (thrown) {
    tellFailure(thrown);
    return;
  }
  const wasOpen = leaveConversation(id, next);
  const title = item.title.trim() || i18n.t("untitled", { ns: "rail" });
  toast({
    // Whoever throws several away finds them all in the trash.
    kind: "deleted",
    text: i18n.t("deleted", { ns: "rail", title }),
    action: {
      label: i18n.t("undo", { ns: "common" }),
      run: () => void restore(id, wasOpen),
    },
  });
}

/** Who stands beside it in the list that the person sees. */
async function neighbour(id: ConversationId): Promise<ConversationId | null> {
  const { projectId, conversationId } = usePlace.getState();
  if (conversationId !== id) return null;
  const [all, projects] = await Promise.all([call("conversation_list", { project_id: projectId, trashed: false }), call("project_list")]);
  return neighbourOf(id, linesOf(all, projects, projectId));
}

async function restore(id: string, reopen: boolean): Promise<void> {
  try {
    await call("conversation_restore", { id });
    if (reopen) goToConversation((await call("conversation_get", { id })).item);
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** Without its secrets, unless the person wants it as it is. */
export async function exportConversation(id: string, format: ExportFormat, as_is = false): Promise<void> {
  try {
    const saved = await call("export_to_file", { id, format, as_is });
    if (saved) toast({ text: written(i18n.t("exported", { ns: "rail", path: saved.path }), saved) });
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** One conversation, or all of an export of another service; while such an import goes on, shows how far it is. */
export async function importConversation(): Promise<void> {
  if (showImport()) return;
  try {
    const found = await call("import_from_file");
    if (found?.kind === "many") return await importAll(found.import_id);
    if (!found) return;
    goToConversation(found.item);
    const [first, ...others] = found.warnings;
    if (!first) return;
    const { kind, ...values } = first;
    const text = i18n.t(`importWarning.${kind}`, { ns: "rail", ...values });
    const more = others.length > 0 ? i18n.t("importWarning.more", { ns: "rail", count: others.length }) : "";
    toast({ text: `${text} ${more}`.trimEnd(), tone: "warn", timeout: 0 });
  } catch (thrown) {
    tellFailure(thrown);
  }
}
