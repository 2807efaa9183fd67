// Acts on the work of a project that several places offer: changing it, going on where it stopped, commands of the
// composer.
import { goToConversation } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, toFailure, type ProjectId, type WorkflowChange } from "@/ipc";
import { i18n } from "@/shared/i18n";
import { toast } from "@/shared/kit";

/** False, with the reason told, when it could not be changed. */
export async function changeWork(project_id: ProjectId, change: WorkflowChange, reset = false): Promise<boolean> {
  try {
    await call("workflow_change", { project_id, change, reset });
    return true;
  } catch (thrown) {
    tellFailure(thrown);
    return false;
  }
}

/** Goes on where the work stopped, or begins a conversation that is told nothing of it. */
export async function begin(project_id: ProjectId, fresh: boolean): Promise<void> {
  try {
    goToConversation({ ...(await call("session_begin", { project_id, fresh })), project_id });
  } catch (thrown) {
    tellFailure(thrown);
  }
}

/** Whether a text is meant for the plan and not for the model. */
export function isWorkCommand(text: string): boolean {
  return /^\s*\/(plan|task|decide)(\s|$)/.test(text);
}

/** Carries out `/plan …`, `/task …` or `/decide …`; false, with the reason told, when it could not. */
export async function runWorkCommand(projectId: ProjectId | null, text: string): Promise<boolean> {
  const t = i18n.getFixedT(null, "work");
  if (projectId === null) {
    toast({ text: t("slash.noProject"), tone: "warn" });
    return false;
  }
  try {
    await call("workflow_command", { project_id: projectId, text });
    toast({ text: t("slash.done") });
    return true;
  } catch (thrown) {
    if (toFailure(thrown).code === "bad_request") toast({ text: t("slash.usage"), tone: "warn" });
    else tellFailure(thrown);
    return false;
  }
}
