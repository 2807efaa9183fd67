// A session as it is read: the entries of one path through its branches, as rows. Pure.
import { toParts, type Part, type Siblings } from "@/features/chat";
import type { Call } from "@/features/tools";
import type { VaultEntry } from "@/ipc";

interface Base {
  /** Stable over the row's whole life. */
  key: string;
  /** Entries that it shows, in order. */
  numbers: number[];
  at: number | null;
  /** Other versions of its first entry. */
  siblings: Siblings;
}

export type Row = Base &
  (
    | { kind: "user"; parts: readonly Part[] }
    | { kind: "assistant"; parts: Part[]; model: string | null }
    /** What the agent put there by itself. */
    | { kind: "context"; parts: Part[] }
    /** A compaction. */
    | { kind: "fold"; entry: VaultEntry }
  );

/** The last entry of the path that the agent would go on with; 0 where nothing was said. */
export function currentLeaf(entries: readonly VaultEntry[]): number {
  return (entries.findLast(({ active }) => active) ?? entries.at(-1))?.number ?? 0;
}

/** The way to an entry, from the first one. */
export function pathTo(entries: readonly VaultEntry[], leaf: number): VaultEntry[] {
  const path: VaultEntry[] = [];
  // An entry stands behind the one before it: a file that says otherwise makes no circle.
  for (let at = entries[leaf - 1]; at !== undefined; ) {
    path.push(at);
    at = at.parent !== null && at.parent < at.number ? entries[at.parent - 1] : undefined;
  }
  return path.reverse();
}

/** Where an entry's branch ends: where the agent would go on, if it leads there, else at what was said last. */
export function leafBeyond(entries: readonly VaultEntry[], number: number): number {
  const current = currentLeaf(entries);
  if (pathTo(entries, current).some((entry) => entry.number === number)) return current;
  const beyond = new Set([number]);
  let last = number;
  for (const entry of entries.slice(number)) {
    if (entry.parent === null || !beyond.has(entry.parent)) continue;
    beyond.add(entry.number);
    last = entry.number;
  }
  return last;
}

/** Entries by the one before them. */
function childrenOf(entries: readonly VaultEntry[]): Map<number | null, string[]> {
  const children = new Map<number | null, string[]>();
  for (const { parent, number } of entries) {
    const known = children.get(parent);
    if (known) known.push(String(number));
    else children.set(parent, [String(number)]);
  }
  return children;
}

export function rowsOf(entries: readonly VaultEntry[], leaf: number): Row[] {
  const rows: Row[] = [];
  const children = childrenOf(entries);
  /** Calls of the path, by their ids: an agent may use an id again. */
  const asked = new Map<string, Call>();
  for (const entry of pathTo(entries, leaf)) {
    const { number, parent, role, kind, model } = entry;
    const ids = children.get(parent)!;
    const base: Base = {
      key: String(number),
      numbers: [number],
      at: entry.at === null ? null : Date.parse(entry.at),
      siblings: { index: ids.indexOf(String(number)), count: ids.length, ids },
    };
    if (kind === "fold") {
      rows.push({ ...base, kind: "fold", entry });
      continue;
    }
    let answers = false;
    for (const part of entry.parts) {
      const call = part.type === "tool_result" ? asked.get(part.call_id) : undefined;
      if (part.type !== "tool_result" || !call) continue;
      call.result = { messageId: base.key, text: part.text, isError: part.is_error, kept: null };
      answers = true;
    }
    const parts = toParts({ id: base.key, parts: entry.parts });
    for (const part of parts) if (part.type === "call") asked.set(part.call.id, part.call);
    const is = kind === "context" || role === "system" ? "context" : role === "user" ? "user" : "assistant";
    const last = rows.at(-1);
    // Where it could have gone on otherwise a row begins, so that the other way is in sight.
    const joins = last && ids.length === 1 && last.kind === is && last.kind !== "user";
    if (parts.length === 0 && !(ids.length > 1 && !answers)) {
      // A result is shown with its call; what says nothing is no row.
      last?.numbers.push(number);
    } else if (joins && (last.kind === "assistant" || last.kind === "context")) {
      last.numbers.push(number);
      last.parts.push(...parts);
      if (last.kind === "assistant") last.model ??= model;
    } else if (is === "user") rows.push({ ...base, kind: is, parts });
    else if (is === "context") rows.push({ ...base, kind: is, parts });
    else rows.push({ ...base, kind: is, parts, model });
  }
  return rows;
}
