// What is known beside the conversations: kept and passing entries by project, and the blocks made of them.
import type { ContextView, EntrySource, PersistenceKind, ProjectId, PutContext } from "../bindings";
import type { State } from "./state";

type Kept = Record<PersistenceKind, Map<string, string>>;

/** Entries that are set anew whatever is told. */
function place(state: State, project: ProjectId | null): [string, string][] {
  const root = (project && state.projects.get(project)?.path) || "/home/ada";
  return [
    ["workingDirectory", root],
    ["projectRoot", root],
  ];
}

function kept(state: State, project: ProjectId | null): Kept {
  const key = project ?? "";
  const found = state.contexts.get(key) ?? { persistent: new Map(), volatile: new Map() };
  state.contexts.set(key, found);
  return found;
}

function block(entries: readonly (readonly [string, string])[]): string | null {
  return entries.length === 0 ? null : entries.map(([key, value]) => `${key}: ${value}`).join("\n");
}

export function get(state: State, project: ProjectId | null): ContextView {
  const { persistent, volatile } = kept(state, project);
  const places = place(state, project);
  const told = (entries: Iterable<readonly [string, string]>, source: EntrySource) =>
    [...entries].map(([key, value]) => ({ key, value, source }));
  return {
    stores: [
      { scope: "app", kind: "persistent", entries: told(persistent, "told") },
      { scope: "app", kind: "volatile", entries: [...told(places, "place"), ...told(volatile, "told")] },
    ],
    composed_persistent: block([...persistent]),
    composed_volatile: block([...places, ...volatile]),
  };
}

export function put(state: State, { project_id, kind, key, value }: PutContext): null {
  kept(state, project_id)[kind].set(key, value);
  state.emit({ type: "context" });
  return null;
}

export function remove(state: State, project: ProjectId | null, kind: PersistenceKind, key: string): null {
  kept(state, project)[kind].delete(key);
  state.emit({ type: "context" });
  return null;
}

export function clear(state: State, project: ProjectId | null): null {
  kept(state, project).volatile.clear();
  state.emit({ type: "context" });
  return null;
}
