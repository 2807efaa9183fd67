// The one way in for a folder, wherever it comes from: opened at once when the person has answered
// for it before, else shown in the sheet that asks.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { openOverlay } from "@/app/actions";
import { openProject } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { call, onFolderOffered, toFailure } from "@/ipc";
import { i18n } from "@/shared/i18n";
import { toast } from "@/shared/kit";

export async function offerFolder(client: QueryClient, path: string): Promise<void> {
  try {
    const project = await call("project_open", { path, trust: null });
    await openProject(client, project.id);
  } catch (thrown) {
    const { code } = toFailure(thrown);
    if (code === "trust_unanswered") openOverlay({ kind: "folder", path });
    else if (code === "not_a_folder") toast({ text: i18n.t("onlyFolders", { ns: "drop" }), tone: "warn" });
    else tellFailure(thrown);
  }
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
  useEffect(() => onFolderOffered(({ path }) => void offerFolder(client, path)), [client]);
  useEffect(() => {
    if (startPath !== null) void offerFolder(client, startPath);
  }, [client, startPath]);
}
