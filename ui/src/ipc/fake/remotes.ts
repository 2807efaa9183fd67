// Checkpoints beyond the fake's computer: files it wrote, remotes it knows, and what was pushed to them.
import type {
  CarryEvent,
  Carried,
  CheckpointItem,
  Commands,
  ImportedCheckpoint,
  ForeignItem,
  ProjectId,
  Remote,
  RemoteCheckpoint,
  RemoteItem,
  Settings,
} from "../bindings";
import { arrive } from "./checkpoints";
import { writable } from "./keys";
import * as projects from "./projects";
import { failure, newId, type State } from "./state";

export type RemoteCommand =
  | "checkpoint_export"
  | "checkpoint_import"
  | "checkpoint_foreign_list"
  | "checkpoint_foreign_import"
  | "checkpoint_push"
  | "checkpoint_pull"
  | "remote_list"
  | "remote_add"
  | "remote_remove"
  | "remote_test"
  | "remote_checkpoints"
  | "remote_cancel";

type Handlers = {
  [C in RemoteCommand]: (
    request: Commands[C]["request"],
    onEvent: (event: Commands[C]["event"]) => void,
  ) => Commands[C]["reply"] | Promise<Commands[C]["reply"]>;
};

export interface RemoteState {
  /** The file that was exported last, with its passphrase. */
  file: { item: CheckpointItem; passphrase: string | null } | null;
  /** Files of other programs, by project; for tests. */
  foreign: Map<ProjectId, ForeignItem[]>;
  /** What is on a place, by the place as it is written, with the passphrase it was begun with. */
  places: Map<string, { passphrase: string; kept: RemoteCheckpoint[] }>;
}

export function fresh(): RemoteState {
  return { file: null, foreign: new Map(), places: new Map() };
}

const placeOf = ({ at }: { at: Remote["at"] }) => JSON.stringify(at);

function allowed({ settings }: State, { at }: { at: Remote["at"] }): boolean {
  return !settings.privacy.local_only && (at.kind === "folder" || !settings.this_computer_only);
}

function named(state: State, name: string): Remote {
  const found = state.settings.checkpoints.remotes.find((remote) => remote.name === name);
  if (!found) throw failure("not_found", `no remote ${name}`);
  return found;
}

/** What is on a remote that may be asked. */
function reach(state: State, name: string): RemoteCheckpoint[] {
  const remote = named(state, name);
  if (!allowed(state, remote)) throw failure("no_cloud", name);
  return state.remotes.places.get(placeOf(remote))!.kept;
}

const itemOf = (state: State, remote: Remote): RemoteItem => ({ ...remote, allowed: allowed(state, remote) });

export function handlers(
  state: State,
  set: (settings: Settings) => unknown,
): Handlers {
  const known = () => state.settings.checkpoints.remotes;
  const keep = (remotes: Remote[]) =>
    set({ ...state.settings, checkpoints: { ...state.settings.checkpoints, remotes } });
  const imported = (project: ProjectId, item: CheckpointItem): ImportedCheckpoint => ({
    item: arrive(
      state,
      project,
      { ...item, id: newId(), pinned: true, parent: null, reason: { code: "imported" } },
      item.id,
    ),
    warnings: [],
    notes: [],
  });
  const of = (project: ProjectId) =>
    state.checkpoints.stored.filter((one) => one.project_id === project).map(({ item }) => item);

  function carry(
    items: RemoteCheckpoint[],
    known: number,
    onEvent: (event: CarryEvent) => void,
    take: (one: RemoteCheckpoint) => void,
  ): Carried {
    items.forEach((one, done) => {
      onEvent({ done, total: items.length, bytes: done * 1_000 });
      take(one);
    });
    const bytes = items.length * 1_000;
    onEvent({ done: items.length, total: items.length, bytes });
    state.emit({ type: "checkpoints" });
    return { done: items.map(({ item }) => item.id), known, left_out: [], bytes };
  }

  return {
    checkpoint_export: ({ id, passphrase }) => {
      const found = state.checkpoints.stored.find(({ item }) => item.id === id);
      if (!found) throw failure("not_found", `checkpoint ${id}`);
      state.remotes.file = { item: found.item, passphrase };
      return `/home/ada/${found.item.tag ?? "checkpoint"}.siltstone-checkpoint`;
    },
    checkpoint_import: ({ project_id, passphrase }) => {
      const { file } = state.remotes;
      if (!file) return null;
      if (file.passphrase !== null && passphrase === null) throw failure("passphrase_needed", "locked");
      if (file.passphrase !== null && passphrase !== file.passphrase) throw failure("wrong_passphrase", "wrong");
      return imported(project_id, file.item);
    },
    checkpoint_foreign_list: ({ id }) => state.remotes.foreign.get(id) ?? [],
    checkpoint_foreign_import: ({ project_id, path }) => {
      const found = state.remotes.foreign.get(project_id)?.find((item) => item.path === path);
      if (!found) throw failure("not_found", path);
      const { tag, messages, files, notes } = found;
      const item: CheckpointItem = {
        id: newId(),
        tag,
        pinned: true,
        created_at: found.timestamp ?? new Date(0).toISOString(),
        reason: { code: "imported" },
        parent: null,
        conversation_id: null,
        message_id: null,
        messages,
        files,
        changed: files ?? 0,
        bytes: 0,
        not_captured: 0,
        known: true,
      };
      return { ...imported(project_id, item), notes };
    },
    remote_list: () => known().map((remote) => itemOf(state, remote)),
    remote_add: ({ name, at, passphrase, key_place }) => {
      if ([...passphrase].length < 8) throw failure("bad_request", "a passphrase has at least eight characters");
      if (known().some((remote) => remote.name === name)) throw failure("conflict", name);
      const remote = { name: name.trim(), at, key_place };
      if (!allowed(state, remote)) throw failure("no_cloud", name);
      const place = state.remotes.places.get(placeOf(remote));
      if (place && place.passphrase !== passphrase) throw failure("wrong_passphrase", "wrong");
      writable(state, key_place);
      if (!place) state.remotes.places.set(placeOf(remote), { passphrase, kept: [] });
      keep([...known(), remote].sort((a, b) => (a.name < b.name ? -1 : 1)));
      return itemOf(state, remote);
    },
    remote_remove: ({ name }) => {
      named(state, name);
      keep(known().filter((remote) => remote.name !== name));
      return null;
    },
    remote_test: ({ name }) => {
      const { length } = reach(state, name);
      return { checkpoints: length, bundles: length };
    },
    remote_checkpoints: ({ name }) => {
      const here = new Set(state.checkpoints.stored.map(({ item }) => item.id));
      return reach(state, name).map((one) => ({ ...one, here: here.has(one.item.id) }));
    },
    remote_cancel: () => null,
    checkpoint_push: ({ remote, project_id }, onEvent) => {
      const there = reach(state, remote);
      const { name: project, path: project_path } = projects.get(state, project_id);
      const all = of(project_id).map((item) => ({ item, project, project_path, here: true }));
      const missing = all.filter(({ item }) => !there.some((one) => one.item.id === item.id));
      return carry(missing, all.length - missing.length, onEvent, (one) => there.unshift(one));
    },
    checkpoint_pull: ({ remote, project_id, ids }, onEvent) => {
      const all = reach(state, remote).filter(({ item }) => ids.length === 0 || ids.includes(item.id));
      const here = new Set(state.checkpoints.stored.map(({ item }) => item.id));
      const missing = all.filter(({ item }) => !here.has(item.id));
      return carry(missing, all.length - missing.length, onEvent, ({ item }) => arrive(state, project_id, item));
    },
  };
}
