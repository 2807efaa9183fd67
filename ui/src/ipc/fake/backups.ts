// Backups of the fake: titles and counts alone, which is what going back to one would change.
import type { Backup, BackupPlan, Commands, Holds, Salvage, SalvagePlan } from "../bindings";
import { failure, type State } from "./state";

/** A backup and the number of messages of each conversation in it. */
export interface Kept {
  backup: Backup;
  messages: Map<string, number>;
}

type Names =
  | "backup_list"
  | "backup_create"
  | "backup_plan"
  | "backup_restore"
  | "salvage_plan"
  | "salvage_run";
type Handlers = { [C in Names]: (request: Commands[C]["request"]) => Commands[C]["reply"] | Promise<Commands[C]["reply"]> };

const present = (state: State): Map<string, number> =>
  new Map([...state.conversations].map(([id, conversation]) => [id, conversation.messages.size]));

const holds = (messages: Map<string, number>): Holds => ({
  conversations: messages.size,
  messages: [...messages.values()].reduce((sum, count) => sum + count, 0),
});

function keep(state: State, why: "asked" | "restore"): Backup {
  const messages = present(state);
  const made_at = new Date(Date.parse("2026-11-22T03:00:00Z") + state.backups.length * 60_000).toISOString();
  const name = `siltstone-${why}-${made_at.replaceAll(":", "-")}.db`;
  const backup = { name, kind: { why }, made_at, bytes: 4_200_000, holds: holds(messages) };
  state.backups.unshift({ backup, messages });
  return backup;
}

function find(state: State, name: string): Kept {
  const found = state.backups.find(({ backup }) => backup.name === name);
  if (!found) throw failure("not_found", name);
  return found;
}

/** Of every conversation of the fake the first message is lost; a backup has them all. */
function salvaged(state: State, backup: string | null): Salvage {
  const all = holds(present(state));
  const lost = backup === null ? [...state.conversations.values()].filter((it) => it.messages.size > 0) : [];
  return {
    pages: 120,
    unreadable_pages: 2,
    holds: { ...all, messages: all.messages - lost.length },
    lost_messages: lost.length,
    touched: lost.map(({ id, title }) => ({ id, title, lost: 1 })),
    touched_count: lost.length,
    aside: 3,
    tables: [{ name: "messages", read: all.messages - lost.length, added: backup === null ? 0 : 1, aside: 3 }],
    kept: null,
  };
}

export const handlers = (state: State): Handlers => ({
  backup_list: () => state.backups.map(({ backup }) => backup),
  backup_create: () => keep(state, "asked"),
  backup_plan: ({ name }): BackupPlan => {
    const { backup, messages } = find(state, name);
    const damaged = !["open", "read_only", "partly_damaged"].includes(state.data.state);
    const now = damaged ? new Map<string, number>() : present(state);
    const going = [...now]
      .filter(([id, count]) => (messages.get(id) ?? -1) < count)
      .map(([id, count]) => ({
        title: state.conversations.get(id)?.title ?? "",
        messages: count,
        then: messages.get(id) ?? null,
      }));
    const back_count = [...messages.keys()].filter((id) => !now.has(id)).length;
    return { backup, present: damaged ? null : holds(now), going, going_count: going.length, back_count };
  },
  salvage_plan: (): SalvagePlan => {
    const newest = state.backups.at(0)?.backup ?? null;
    const with_backup = newest && salvaged(state, newest.name);
    return { alone: salvaged(state, null), backup: newest, with_backup };
  },
  salvage_run: ({ backup }) => {
    if (state.data.state === "open") throw failure("conflict", "the database is open and needs no repair");
    const made = salvaged(state, backup);
    state.data = { state: "open" };
    state.emit({ type: "all" });
    return { ...made, kept: "/data/damaged/2026-11-22T03-00-00Z" };
  },
  backup_restore: ({ name }) => {
    const { messages } = find(state, name);
    if (state.data.state === "open") {
      keep(state, "restore");
      for (const id of [...state.conversations.keys()]) if (!messages.has(id)) state.conversations.delete(id);
    }
    state.data = { state: "open" };
    state.emit({ type: "all" });
    return null;
  },
});
