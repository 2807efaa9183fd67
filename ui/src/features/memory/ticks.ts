// Flagged lines that are left out unless the person ticks them, while a question about them is open; and the answers that
// are kept afterwards. A line is known by its file and the hash of its words.
import { useState } from "react";
import { call, type Finding, type Passage, type ProjectId } from "@/ipc";

export interface Flagged {
  path: string;
  findings: readonly Finding[];
}

export interface Ticks {
  has: (path: string, passage: Passage) => boolean;
  set: (path: string, passage: Passage, on: boolean) => void;
  /** How many lines stay out. */
  left: number;
  /** Keeps the answers that are not what would be by itself. */
  keep: (project_id: ProjectId) => Promise<void>;
}

const keyOf = (path: string, hash: string) => `${path}\0${hash}`;

/** Every flagged line of these files, each once. */
export function passagesOf(files: readonly Flagged[]): { path: string; passage: Passage }[] {
  const all = new Map<string, { path: string; passage: Passage }>();
  for (const { path, findings } of files) {
    for (const { passage, in_file } of findings) {
      if (passage) all.set(keyOf(in_file ?? path, passage.hash), { path: in_file ?? path, passage });
    }
  }
  return [...all.values()];
}

export function useTicks(files: readonly Flagged[]): Ticks {
  const [answers, setAnswers] = useState<ReadonlyMap<string, boolean>>(new Map());
  const has = (path: string, passage: Passage) => answers.get(keyOf(path, passage.hash)) ?? !passage.left_out;
  const all = passagesOf(files);
  return {
    has,
    set: (path, passage, on) => setAnswers((now) => new Map(now).set(keyOf(path, passage.hash), on)),
    left: all.filter(({ path, passage }) => !has(path, passage)).length,
    keep: async (project_id) => {
      for (const { path, passage } of all) {
        const on = has(path, passage);
        if (on === passage.left_out) await call("memory_allow", { project_id, path, hash: passage.hash, on });
      }
    },
  };
}
