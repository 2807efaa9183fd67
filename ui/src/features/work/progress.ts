// What is worked on and how far it is. Pure.
import type { Plan, Task, Workflow } from "@/ipc";

export interface WorkProgress {
  plan: Plan | null;
  task: Task | null;
  /** Of the plan's tasks but the archived ones. */
  done: number;
  total: number;
}

export function progressOf({ plans, current_plan_id, current_task_id }: Workflow): WorkProgress {
  const plan = plans.find(({ id }) => id === current_plan_id) ?? null;
  const tasks = shownTasks(plan);
  return {
    plan,
    task: tasks.find(({ id }) => id === current_task_id) ?? null,
    done: tasks.filter(({ status }) => status === "done").length,
    total: tasks.length,
  };
}

/** Those in sight, in the person's order. */
export function shownTasks(plan: Plan | null): Task[] {
  return plan?.tasks.filter(({ status }) => status !== "archived") ?? [];
}
