// Backups of the fake: titles and counts alone, which is what going back to one would change.
import type { Backup, BackupPlan, Commands, Holds } from "../bindings";
import { failure, type State } from "./state";

/** A backup and the number of messages of each conversation in it. */
export interface Kept {
  backup: Backup;
  messages: Map<string, number>;
}

type Names = "backup_list" | "backup_create" | "backup_plan" | "backup_restore";
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

export const handlers = (state: State): Handlers => ({
  backup_list: () => state.backups.map(({ backup }) => backup),
  backup_create: () => keep(state, "asked"),
  backup_plan: ({ name }): BackupPlan => {
    const { backup, messages } = find(state, name);
    const damaged = state.data.state !== "open";
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
