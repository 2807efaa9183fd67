// Texts of memory files that were changed and not saved. They outlive the screen, and the window: a file that another
// program changed meanwhile is told by the hash that the change began with.
import { create } from "zustand";
import type { ProjectId } from "@/ipc";

export interface Edit {
  /** What the change began with; the hash is null for a file that was not there. */
  base: { text: string; hash: string | null };
  text: string;
}

const STORE = "siltstone.memory";
/** How long typing rests before it is kept over a restart, in milliseconds. */
const REST = 500;

export const useEdits = create<Partial<Record<string, Edit>>>(() => {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? "{}");
  } catch {
    return {};
  }
});

function keep(): void {
  try {
    localStorage.setItem(STORE, JSON.stringify(useEdits.getState()));
  } catch {
    // More than the web view keeps; until the window closes the text is still here.
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;
useEdits.subscribe(() => {
  clearTimeout(timer);
  timer = setTimeout(keep, REST);
});
window.addEventListener("pagehide", keep);

/** The project that a file is asked for under: none for one of global memory, whose path is absolute. */
export function ownerOf(project: ProjectId | null, path: string): ProjectId | null {
  return /^([/\\]|[A-Za-z]:)/.test(path) ? null : project;
}

export function editKey(project: ProjectId | null, path: string): string {
  return `${ownerOf(project, path) ?? ""}:${path}`;
}

export function setEdit(key: string, edit: Edit | undefined): void {
  const same = edit && edit.text === edit.base.text && edit.base.hash !== null;
  useEdits.setState({ [key]: same ? undefined : edit });
}
