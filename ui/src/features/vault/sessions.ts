// The list of sessions: which of them are wanted, and under which day each stands. Pure.
import type { Agent, VaultFound, VaultHit, VaultItem } from "@/ipc";
import { contains } from "@/shared/match";
import { endOf, titleOf } from "./words";

export interface Filter {
  /** Of the title, or of what was said. */
  words: string;
  agent: Agent | null;
  folder: string | null;
  order: "newest" | "oldest";
}

export const EVERYTHING: Filter = { words: "", agent: null, folder: null, order: "newest" };

export type Line =
  /** `at` is null over those of which nobody knows the day. */
  | { type: "day"; key: string; at: number | null }
  | { type: "session"; key: string; item: VaultItem }
  /** Over what was said with the words. */
  | { type: "said"; key: "said"; total: number; capped: boolean }
  | { type: "hit"; key: string; hit: VaultHit };

export const keyOf = ({ agent, id }: Pick<VaultItem, "agent" | "id">): string => `${agent} ${id}`;

export function wanted(items: readonly VaultItem[], { words, agent, folder, order }: Filter): readonly VaultItem[] {
  const found = items.filter(
    (item) =>
      (agent === null || item.agent === agent) &&
      (folder === null || item.folder === folder) &&
      (words.trim() === "" || contains(words, titleOf(item))),
  );
  return order === "newest" ? found : found.toReversed();
}

/** With a line over the first of each day. */
export function byDay(items: readonly VaultItem[]): readonly Line[] {
  const lines: Line[] = [];
  let last: string | null = null;
  for (const item of items) {
    const at = endOf(item);
    const day = at === null ? "none" : new Date(at).toDateString();
    if (day !== last) lines.push({ type: "day", key: `day ${day}`, at });
    last = day;
    lines.push({ type: "session", key: keyOf(item), item });
  }
  return lines;
}

/** What was said with the words, below the sessions that are called so. */
export function said({ hits, total, capped }: VaultFound): readonly Line[] {
  if (hits.length === 0) return [];
  return [{ type: "said", key: "said", total, capped }, ...hits.map((hit) => ({ type: "hit", key: `${keyOf(hit)} ${hit.number}`, hit }) as const)];
}

/** Folders in which sessions worked, by their paths, with how many each has. */
export function foldersOf(items: readonly VaultItem[]): [folder: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { folder } of items) if (folder !== null) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}
