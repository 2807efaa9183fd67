// A plan as it is edited: steps keep an identity of their own, so that what waits for what survives moving them. What is
// not kept yet stays while the window lives, by project. Pure but for that store.
import { create } from "zustand";
import type { ExecutionTree, ProjectId } from "@/ipc";

export interface DraftStep {
  key: string;
  title: string;
  notes: string;
  /** One condition on each line. */
  acceptance: string;
  /** Keys of the steps it waits for; those that stand after it by now are not heard. */
  after: readonly string[];
}

export interface PlanDraft {
  goal: string;
  /** Null before the model made one. */
  title: string | null;
  steps: readonly DraftStep[];
}

export const EMPTY: PlanDraft = { goal: "", title: null, steps: [] };

/** Most steps that the host takes. */
export const MOST_STEPS = 40;

export const useDrafts = create<Record<ProjectId, PlanDraft | undefined>>(() => ({}));

export function keepDraft(id: ProjectId, draft: PlanDraft | undefined): void {
  useDrafts.setState({ [id]: draft });
}

export function newStep(): DraftStep {
  return { key: crypto.randomUUID(), title: "", notes: "", acceptance: "", after: [] };
}

export function draftOf(goal: string, { title, steps }: ExecutionTree): PlanDraft {
  const keys = steps.map(() => crypto.randomUUID());
  return {
    goal,
    title,
    steps: steps.map(({ title, notes, acceptance, after }, at) => ({
      key: keys[at]!,
      title,
      notes,
      acceptance: acceptance.join("\n"),
      after: after.flatMap((place) => (place < at ? [keys[place]!] : [])),
    })),
  };
}

/** What can be carried out: steps with words in them, each waiting for earlier ones only. */
export function treeOf({ goal, title, steps }: PlanDraft): ExecutionTree {
  const worded = steps.filter((step) => step.title.trim() !== "");
  const places = new Map(worded.map(({ key }, at) => [key, at]));
  return {
    title: title?.trim() || goal.trim(),
    steps: worded.map((step, at) => ({
      title: step.title.trim(),
      notes: step.notes.trim(),
      acceptance: step.acceptance
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== ""),
      after: step.after
        .flatMap((key) => places.get(key) ?? [])
        .filter((place) => place < at)
        .sort((a, b) => a - b),
    })),
  };
}

/** With the step at a place moved to another one. */
export function moved(steps: readonly DraftStep[], from: number, to: number): DraftStep[] {
  const next = steps.filter((_, at) => at !== from);
  next.splice(to, 0, steps[from]!);
  return next;
}
