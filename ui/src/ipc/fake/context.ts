// What is known beside the conversations: kept and passing entries by project, and the blocks made of them.
import type { BroughtContext, ContextView, EntrySource, PersistenceKind, ProjectId, PutContext } from "../bindings";
import type { State } from "./state";

type Kept = Record<PersistenceKind | "told", Map<string, string>>;

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
  const found = state.contexts.get(key) ?? { persistent: new Map(), volatile: new Map(), told: new Map() };
  state.contexts.set(key, found);
  return found;
}

function block(entries: readonly (readonly [string, string])[]): string | null {
  const said = entries.filter(([, value]) => value !== "");
  return said.length === 0 ? null : said.map(([key, value]) => `${key}: ${value}`).join("\n");
}

export function get(state: State, project: ProjectId | null): ContextView {
  const { persistent, volatile, told: outside } = kept(state, project);
  const places = place(state, project);
  const passing = [...volatile].map(([key, value]) => {
    const source: EntrySource = outside.get(key) === value ? "told" : "request";
    return { key, value, source };
  });
  const told = (entries: Iterable<readonly [string, string]>, source: EntrySource) =>
    [...entries].map(([key, value]) => ({ key, value, source }));
  return {
    stores: [
      { scope: "app", kind: "persistent", entries: told(persistent, "told") },
      { scope: "app", kind: "volatile", entries: [...told(places, "place"), ...passing] },
    ],
    composed_persistent: block([...persistent]),
    composed_volatile: block([...places, ...volatile]),
  };
}

/** The blocks of a request that brings this; a question that is sent leaves it here. */
export function blocks(state: State, project: ProjectId | null, brought?: BroughtContext) {
  const { persistent, volatile } = kept(state, project);
  const all = new Map([...volatile, ...entriesOf(brought)]);
  return { persistent: block([...persistent]), volatile: block([...all]) };
}

export function bring(state: State, project: ProjectId | null, brought?: BroughtContext): void {
  for (const [key, value] of entriesOf(brought)) kept(state, project).volatile.set(key, value);
}

function entriesOf(brought?: BroughtContext): [string, string][] {
  return (brought?.entries ?? []).map(({ key, value }) => [key, value]);
}

export function put(state: State, { project_id, kind, key, value }: PutContext): null {
  kept(state, project_id)[kind].set(key, value);
  if (kind === "volatile") kept(state, project_id).told.set(key, value);
  state.emit({ type: "context" });
  return null;
}

export function remove(state: State, project: ProjectId | null, kind: PersistenceKind, key: string): null {
  kept(state, project)[kind].delete(key);
  if (kind === "volatile") kept(state, project).told.delete(key);
  state.emit({ type: "context" });
  return null;
}

export function clear(state: State, project: ProjectId | null): null {
  kept(state, project).volatile.clear();
  kept(state, project).told.clear();
  state.emit({ type: "context" });
  return null;
}
