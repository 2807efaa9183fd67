// The one way in for a folder, wherever it comes from: opened at once when the person has answered
// for it before, else shown in the sheet that asks. The file of a checkpoint comes in the same ways.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { closeOverlay, openOverlay, usePlace } from "@/app/actions";
import { openProject } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { call, onPathOffered, toFailure } from "@/ipc";
import { i18n } from "@/shared/i18n";
import { toast } from "@/shared/kit";

/** By its name the file of a checkpoint. */
function isCheckpoint(path: string): boolean {
  return path.endsWith(".siltstone-checkpoint");
}

export async function offerFolder(client: QueryClient, path: string): Promise<void> {
  if (await tryFolder(client, path)) return;
  if (isCheckpoint(path)) openOverlay({ kind: "checkpointFile", path });
  else toast({ text: i18n.t("onlyFolders", { ns: "drop" }), tone: "warn" });
}

/** False when it is no folder; nothing is said then. */
async function tryFolder(client: QueryClient, path: string): Promise<boolean> {
  try {
    const project = await call("project_open", { path, trust: null, this_computer_only: null, seen: [] });
    await openProject(client, project.id);
  } catch (thrown) {
    const { code } = toFailure(thrown);
    if (code === "not_a_folder") return false;
    if (code === "trust_unanswered") openOverlay({ kind: "folder", path });
    else tellFailure(thrown);
  }
  return true;
}

/** By its name a file that can be attached. The window system names what is dragged, and nothing more. */
export function isAttachable(path: string): boolean {
  return /\.(png|jpe?g|gif|webp|pdf)$/i.test(path);
}

/** What was dropped: a folder is opened, files go with the message that is being written. */
export async function takeDrop(client: QueryClient, paths: readonly string[]): Promise<void> {
  const checkpoint = paths.find(isCheckpoint);
  // A folder may be called so, too.
  if (checkpoint !== undefined && !(await tryFolder(client, checkpoint))) {
    openOverlay({ kind: "checkpointFile", path: checkpoint });
    if (paths.length > 1) toast({ text: i18n.t("fileAlone", { ns: "drop" }), tone: "warn" });
    return;
  }
  const other = paths.find((path) => !isAttachable(path));
  if (other !== undefined && (await tryFolder(client, other))) {
    if (paths.length > 1) toast({ text: i18n.t("oneAtATime", { ns: "drop" }) });
    return;
  }
  const { conversationId } = usePlace.getState();
  if (conversationId === null) {
    toast({ text: i18n.t("onlyFolders", { ns: "drop" }), tone: "warn" });
    return;
  }
  closeOverlay();
  // Came with the conversation that is open.
  const { attachDropped } = await import("@/features/attachments/draft");
  await attachDropped(client, conversationId, paths);
}

export async function pickFolder(client: QueryClient): Promise<void> {
  try {
    const path = await call("pick_folder");
    if (path !== null) await offerFolder(client, path);
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** Follows folders that another start of the program hands over, and the one this start was given. */
export function useFolderOffers(startPath: string | null): void {
  const client = useQueryClient();
  useEffect(() => onPathOffered(({ path }) => void offerFolder(client, path)), [client]);
  useEffect(() => {
    if (startPath !== null) void offerFolder(client, startPath);
  }, [client, startPath]);
}
