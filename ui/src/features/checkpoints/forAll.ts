// One answer for every file that somebody changed since. What cannot be merged by itself stays as it is.
import type { MergeTexts, PathOutcome, PlannedFile } from "@/ipc";

export type Answer = PathOutcome["is"];

export interface Answered {
  /** By path; null where the file stays, which is no choice. */
  choices: ReadonlyMap<string, PathOutcome | null>;
  /** Files that were to be merged and stay as they are. */
  left: number;
}

export async function answerAll(
  files: readonly PlannedFile[],
  answer: Answer,
  merge: (file: PlannedFile) => Promise<MergeTexts>,
): Promise<Answered> {
  const choices = new Map<string, PathOutcome | null>();
  let left = 0;
  for (const file of files) {
    const texts = answer === "merge" && file.can_merge ? await merge(file) : null;
    if (answer === "overwrite") choices.set(file.path, { is: "overwrite" });
    else if (texts && !texts.conflicts) choices.set(file.path, { is: "merge", text: texts.merged });
    else {
      choices.set(file.path, null);
      if (answer === "merge") left++;
    }
  }
  return { choices, left };
}
