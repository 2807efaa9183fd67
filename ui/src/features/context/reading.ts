// Where the person reads: of each project, the file they looked at last and the lines they picked in it. The file viewer
// tells it; it goes with every message to the project's conversations until the person takes it away.
import { create } from "zustand";
import { call, type BroughtContext, type ContextEntry, type ProjectId } from "@/ipc";

/** Most bytes of picked lines; the host takes 64 KiB with their place. */
const MOST = 60 * 1024;
const FILE = "currentFile";
const SELECTION = "selection";

export interface PickedLines {
  /** From 1. */
  first: number;
  last: number;
  text: string;
}

export interface Reading {
  path: string;
  lines: PickedLines | null;
  /** Whether a message brought it, so that the host knows it too. */
  sent: boolean;
}

const useReadings = create<Record<ProjectId, Reading | undefined>>(() => ({}));

export function useReading(project: ProjectId | null): Reading | undefined {
  return useReadings((readings) => (project === null ? undefined : readings[project]));
}

export function tellReading(project: ProjectId, path: string, lines: PickedLines | null): void {
  const sent = useReadings.getState()[project]?.sent ?? false;
  useReadings.setState({ [project]: { path, lines, sent } });
}

/** These lines, from 1; as many whole ones as a message can bring. */
export function pickLines(all: readonly string[], first: number, last: number): PickedLines | null {
  const bytes = new TextEncoder();
  let end = first - 1;
  for (let size = 0; end < Math.min(last, all.length); end += 1) {
    size += bytes.encode(all[end]).length + 1;
    if (size > MOST) break;
  }
  return end < first ? null : { first, last: end, text: all.slice(first - 1, end).join("\n") };
}

/** What a message brings of it. Without picked lines it says so, or those of another file would stay known. */
export function broughtOf({ path, lines }: Reading): BroughtContext {
  const selection = lines === null ? "" : `${path}:${lines.first}-${lines.last}\n${lines.text}`;
  const entries: ContextEntry[] = [
    { key: FILE, value: path },
    { key: SELECTION, value: selection },
  ];
  return { entries, policy: "merged" };
}

/** What the next message of a conversation in this project brings. */
export function brought(project: ProjectId | null): BroughtContext | undefined {
  const reading = project === null ? undefined : useReadings.getState()[project];
  return reading && broughtOf(reading);
}

/** A message went that brought it. */
export function readingSent(project: ProjectId | null): void {
  const reading = project === null ? undefined : useReadings.getState()[project];
  if (project !== null && reading) useReadings.setState({ [project]: { ...reading, sent: true } });
}

/** Brings it no more, and lets the host forget what earlier messages brought. */
export async function leaveReading(project: ProjectId): Promise<void> {
  const sent = useReadings.getState()[project]?.sent;
  useReadings.setState({ [project]: undefined });
  if (!sent) return;
  for (const key of [FILE, SELECTION]) await call("context_remove", { project_id: project, kind: "volatile", key });
}

/** The host was told to forget a key: no message brings it again. */
export function leaveKey(project: ProjectId | null, key: string): void {
  const reading = project === null ? undefined : useReadings.getState()[project];
  if (project === null || !reading) return;
  if (key === FILE) useReadings.setState({ [project]: undefined });
  if (key === SELECTION) useReadings.setState({ [project]: { ...reading, lines: null } });
}
