// Going on from a checkpoint, and what is said after a restore and after it was undone.
import { create } from "zustand";
import { goToConversation, openOverlay } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, type CheckpointId, type ImportedCheckpoint, type ProjectId, type Restored } from "@/ipc";
import { i18n } from "@/shared/i18n";
import { toast } from "@/shared/kit";

/** The project of the last restore, until it is undone, and the way to take away what offers that. */
export const useUndoable = create<{ projectId: ProjectId | null; dismiss: () => void }>(() => ({
  projectId: null,
  dismiss: () => undefined,
}));

const say = (key: "restored" | "undone" | "takenBack" | "merged", values: Record<string, string | number> = {}) =>
  i18n.t(`said.${key}`, { ns: "checkpoints", ...values });

/** A new branch from where the conversation stood; no file is touched. */
export async function continueFrom(id: CheckpointId, project_id: ProjectId): Promise<void> {
  try {
    goToConversation({ ...(await call("checkpoint_continue", { id })), project_id });
    toast({ text: i18n.t("said.continued", { ns: "checkpoints" }) });
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** After a restore: what could not be written stays in sight, and the way back is offered. */
export function tellRestored(restored: Restored, projectId: ProjectId, when: string): void {
  tellDone([say("restored", { when }), ...counts(restored)].join(" "), restored, projectId);
}

/** The same after what a turn changed was taken back. */
export function tellTakenBack(restored: Restored, projectId: ProjectId): void {
  tellDone(say("takenBack", { count: restored.done }), restored, projectId);
}

/** The same after what was changed in a copy was taken over. */
export function tellMerged(restored: Restored, projectId: ProjectId, name: string): void {
  tellDone(say("merged", { count: restored.done, name }), restored, projectId);
}

function tellDone(text: string, restored: Restored, projectId: ProjectId): void {
  const dismiss = toast({
    text,
    tone: restored.failed.length > 0 ? "warn" : "info",
    timeout: 20_000,
    action: { label: i18n.t("undo", { ns: "common" }), run: () => void undoRestore(projectId) },
  });
  useUndoable.setState({ projectId, dismiss });
  showFailed(restored);
}

/** Puts back what was there before the last restore of the project. */
export async function undoRestore(id: ProjectId): Promise<void> {
  try {
    const restored = await call("checkpoint_undo", { id });
    useUndoable.getState().dismiss();
    useUndoable.setState({ projectId: null });
    toast({ text: [say("undone"), ...counts(restored)].join(" ") });
    showFailed(restored);
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** After one came from elsewhere: what of it was not as it says. */
export function tellImported({ item, notes, warnings }: ImportedCheckpoint): void {
  const t = i18n.getFixedT(null, "checkpoints");
  const lacking = notes.length + warnings.length;
  const said = t("said.imported", { name: item.tag ?? t("reason.imported") });
  toast({
    text: lacking === 0 ? said : `${said} ${t("said.lacking", { count: lacking })}`,
    tone: lacking === 0 ? "info" : "warn",
  });
}

function counts({ done }: Restored): string[] {
  return done > 0 ? [i18n.t("said.files", { ns: "checkpoints", count: done })] : [];
}

function showFailed({ failed }: Restored): void {
  if (failed.length > 0) openOverlay({ kind: "unrestored", failed });
}
