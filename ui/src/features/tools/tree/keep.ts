// Makes a plan part of the project's work without carrying it out.
import { call, type ExecutionTree, type ProjectId, type WorkflowChange } from "@/ipc";

/** Adds the plan and its tasks, each waiting for those it named; what could be added only in part is put away again. */
export async function keepPlan(project_id: ProjectId, { title, steps }: ExecutionTree): Promise<void> {
  const change = (change: WorkflowChange) => call("workflow_change", { project_id, change, reset: false });
  const plan = (await change({ change: "add_plan", title, description: "" })).plans.at(-1)!;
  const tasks: string[] = [];
  try {
    for (const { title, notes, acceptance, after } of steps) {
      const depends_on = after.map((place) => tasks[place]!);
      const next = await change({ change: "add_task", plan_id: plan.id, title, notes, acceptance, depends_on });
      tasks.push(next.plans.find(({ id }) => id === plan.id)!.tasks.at(-1)!.id);
    }
  } catch (thrown) {
    // The reason that matters is why it could not be kept.
    await change({ change: "archive_plan", id: plan.id }).catch(() => {});
    throw thrown;
  }
}
