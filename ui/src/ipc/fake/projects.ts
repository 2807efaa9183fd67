// Folders of the fake's disk: probing with counts, opening with an answer about trust, reading.
import type { ListPaths, OpenProject, PathHit, ProbeEvent, ProbeView, Project } from "../bindings";
import { filesOf } from "./memory";
import { failure, newId, now, pause, type State } from "./state";

function folder(state: State, path: string) {
  const found = state.options.folders?.[path];
  if (!found) throw failure("not_a_folder", path);
  return found;
}

function nameOf(path: string): string {
  return path.split("/").filter(Boolean).at(-1) ?? path;
}

export async function probe(
  state: State,
  path: string,
  probe_id: string,
  onEvent: (event: ProbeEvent) => void,
): Promise<ProbeView> {
  const { files, branch, neverSent = [], warnings = [], effects = [] } = folder(state, path);
  const counts = { files: 0, folders: 1, bytes: 0 };
  for (const text of Object.values(files)) {
    await pause(state);
    if (state.cancelled.delete(probe_id)) throw failure("cancelled", path);
    counts.files += 1;
    counts.bytes += text.length;
    onEvent({ counts: { ...counts } });
  }
  const memory = filesOf(files);
  const instructions = memory.map(({ path, tokens, same_as }) => ({ path, tokens, same_as: same_as?.path ?? null }));
  const git_branch = branch ?? null;
  const brain = Object.keys(files).some((path) => path.startsWith(".ai-brain/"));
  const found = { path, name: nameOf(path), counts, git_branch, brain, instructions };
  return { ...found, never_sent: neverSent, warnings, memory, effects };
}

export function open(state: State, { path, trust, this_computer_only }: OpenProject): Project {
  folder(state, path);
  const earlier = [...state.projects.values()].find((project) => project.path === path);
  const answer = trust ?? earlier?.trust;
  if (!answer) throw failure("trust_unanswered", path);
  const project = {
    id: earlier?.id ?? newId(),
    path,
    name: nameOf(path),
    trust: answer,
    this_computer_only: this_computer_only ?? earlier?.this_computer_only ?? false,
    exclude: earlier?.exclude ?? [],
    opened_at: now(state),
  };
  state.projects.delete(project.id);
  state.projects.set(project.id, project);
  state.emit({ type: "projects" });
  return project;
}

export function get(state: State, id: string): Project {
  const project = state.projects.get(id);
  if (!project) throw failure("not_found", `project ${id}`);
  return project;
}

export function file(state: State, id: string, path: string) {
  const { files } = folder(state, get(state, id).path);
  const text = files[path];
  if (text === undefined) throw failure("not_found", path);
  return { path, text, truncated: false };
}

/** Files that a message could name: names that begin so, then paths that hold it. */
export function paths(state: State, { project_id, query, limit }: ListPaths): PathHit[] {
  const { path, trust } = get(state, project_id);
  if (trust === "untrusted") return [];
  const wanted = query.toLowerCase();
  const rank = (name: string) => (name.slice(name.lastIndexOf("/") + 1).startsWith(wanted) ? 0 : 1);
  return Object.entries(folder(state, path).files)
    .map(([name, text]) => ({ path: name, size: text.length, folded: name.toLowerCase() }))
    .filter(({ folded }) => folded.includes(wanted))
    .sort((a, b) => rank(a.folded) - rank(b.folded) || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path, size }) => ({ path, size }));
}
