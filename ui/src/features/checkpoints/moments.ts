// The list of checkpoints as it is drawn: by day, with the lines of work beside it. Pure.
import type { CheckpointId, CheckpointItem } from "@/ipc";

/** What the gutter shows beside a checkpoint: one entry a line of work, from the start. */
export interface Lane {
  /** The line goes on to a newer one above. */
  above: boolean;
  /** It goes on to an older one below. */
  below: boolean;
  /** The checkpoint stands on this line. */
  here: boolean;
  /** A newer line begins here, at the checkpoint. */
  joins: boolean;
}

export interface Moment {
  item: CheckpointItem;
  lanes: Lane[];
}

export interface Day {
  /** Any moment of the day. */
  at: number;
  moments: Moment[];
}

/** Checkpoints, the newest first, by the day of this computer. */
export function byDay(items: readonly CheckpointItem[]): Day[] {
  const days: Day[] = [];
  for (const moment of withLanes(items)) {
    const at = Date.parse(moment.item.created_at);
    const last = days.at(-1);
    if (last && new Date(last.at).toDateString() === new Date(at).toDateString()) last.moments.push(moment);
    else days.push({ at, moments: [moment] });
  }
  return days;
}

function withLanes(items: readonly CheckpointItem[]): Moment[] {
  const listed = new Set(items.map(({ id }) => id));
  /** What each line waits for: the parent of the last checkpoint on it. */
  let waiting: (CheckpointId | null)[] = [];
  return items.map((item) => {
    const before = waiting;
    const found = before.indexOf(item.id);
    const free = before.indexOf(null);
    const here = found >= 0 ? found : free >= 0 ? free : before.length;
    const parent = item.parent !== null && listed.has(item.parent) ? item.parent : null;
    const after = before.map((id) => (id === item.id ? null : id));
    after[here] = parent;
    while (after.length > 0 && after.at(-1) === null) after.pop();
    waiting = after;
    const count = Math.max(before.length, after.length, here + 1);
    const lanes = Array.from({ length: count }, (_, lane): Lane => ({
      above: (before[lane] ?? null) !== null,
      below: (after[lane] ?? null) !== null,
      here: lane === here,
      joins: lane !== here && before[lane] === item.id,
    }));
    return { item, lanes };
  });
}

/** Files by the folder they are in, folders in order. */
export function byFolder<T extends { path: string }>(files: readonly T[]): [folder: string, files: T[]][] {
  const folders = new Map<string, T[]>();
  for (const file of files) {
    const folder = file.path.slice(0, file.path.lastIndexOf("/") + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
}
