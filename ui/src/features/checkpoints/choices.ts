// What the person wants of a plan otherwise than it says.
import { useState } from "react";
import type { PathOutcome, RestorePlan, RunRestore } from "@/ipc";

/** By path, so that they outlive another plan of the same. */
export type Choices = ReadonlyMap<string, PathOutcome>;

export interface PlanChoices {
  choices: Choices;
  /** Null takes the choice back. */
  choose: (path: string, choice: PathOutcome | null) => void;
  /** The request that carries a plan out with them. */
  run: (plan: RestorePlan) => RunRestore;
}

export function usePlanChoices(): PlanChoices {
  const [choices, setChoices] = useState<Choices>(new Map());
  return {
    choices,
    choose: (path, choice) =>
      setChoices((now) => {
        const next = new Map(now);
        if (choice === null) next.delete(path);
        else next.set(path, choice);
        return next;
      }),
    run: ({ plan_id, files }) => ({
      plan_id,
      choices: files.flatMap(({ index, path }) => {
        const choice = choices.get(path);
        return choice ? [{ index, choice }] : [];
      }),
    }),
  };
}

/** How many files a plan would write or remove. */
export function changedBy({ files }: RestorePlan, choices: Choices): number {
  return files.filter(({ path, action }) => {
    const choice = choices.get(path)?.is;
    return action !== "skip" && (choice ?? (action === "conflict" ? "keep" : "overwrite")) !== "keep";
  }).length;
}
