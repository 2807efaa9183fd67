// Memory of the fake: files of its folders and of the person in layers, lines that were added, versions, and the
// person's yes to what changed. It merges by the same rules, only simpler: one key a line, imports one step deep.
import type {
  ChangedMemory,
  Commands,
  Effective,
  EffectiveLine,
  FileChoice,
  Finding,
  ImportNote,
  LayerTokens,
  LeftOut,
  MemoryAnswer,
  MemoryAt,
  MemoryDocument,
  MemoryFileView,
  MemoryLayer,
  MemoryLine,
  MemoryVersion,
  MemoryView,
  Project,
  Saved,
  Section,
  Watching,
} from "../bindings";
import { failure, newId, now, tokensOf, type State } from "./state";

type RequestOf<C extends keyof Commands> = Commands[C]["request"];

export const OWN = "/home/ada/.config/siltstone/AGENTS.md";

export interface MemoryState {
  global: Map<string, string>;
  lines: MemoryLine[];
  versions: (MemoryVersion & { file: string; text: string })[];
  /** By project and path. */
  choices: Map<string, FileChoice>;
  /** By project and path: the text that was agreed to. */
  agreed: Map<string, string>;
  watching: Watching;
}

export function fresh(global: Record<string, string> = {}): MemoryState {
  return {
    global: new Map(Object.entries(global)),
    lines: [],
    versions: [],
    choices: new Map(),
    agreed: new Map(),
    watching: { how: "notified" },
  };
}

export function isMemory(name: string): boolean {
  return /(^|\/)(AGENTS|CLAUDE|GEMINI)\.md$/.test(name) || name.startsWith(".cursor/rules/");
}

function hashOf(text: string): string {
  let hash = 5381;
  for (const char of text) hash = (hash * 33 + char.codePointAt(0)!) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

function texts(state: State, project: Project | null): Record<string, string> {
  return project ? (state.options.folders?.[project.path]?.files ?? {}) : {};
}

function projectOf(state: State, id: string | null): Project | null {
  if (id === null) return null;
  const project = state.projects.get(id);
  if (!project) throw failure("not_found", `project ${id}`);
  return project;
}

const dirOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const keyOf = (project: Project | null, path: string) => `${project?.id ?? ""}:${path}`;
const CHOSEN: FileChoice = { on: true, injection: null };

const SUSPECT: [RegExp, Finding["kind"]][] = [
  [/[\u200b-\u200f\u{e0000}-\u{e007f}]/u, { code: "hidden_unicode", count: 1 }],
  [/[\u202a-\u202e\u2066-\u2069]/, { code: "bidi" }],
  [/<!--.*\p{L}/u, { code: "html_comment" }],
  [/\b(curl|wget)\b.*\|\s*(ba)?sh/, { code: "asks_to_run" }],
  [/\b(send|post|upload)\b.*https?:/i, { code: "asks_to_send" }],
  [/sk-[\w-]{12,}/, { code: "secret", rule: "api-key" }],
];

export function lint(text: string): Finding[] {
  return text.split("\n").flatMap((line, index) =>
    SUSPECT.flatMap(([pattern, kind]) => {
      const found = pattern.exec(line);
      return found ? [{ line: index + 1, column: found.index + 1, kind, excerpt: found[0].trim() }] : [];
    }),
  );
}

function imports(files: Record<string, string>, from: string, text: string): ImportNote[] {
  return text.split("\n").flatMap((line, index) => {
    const target = /(?:^|\s)@(\.{0,2}\/?[\w./-]+\.md)/.exec(line)?.[1];
    if (target === undefined) return [];
    const to = [dirOf(from), target.replace(/^\.\//, "")].filter(Boolean).join("/");
    const found = files[to] !== undefined;
    return [{ from, line: index + 1, target, to: found ? to : null, refused: found ? null : ({ code: "missing" } as const), again: false }];
  });
}

function view(files: Record<string, string>, path: string, layer: MemoryLayer, text: string, choice: FileChoice): MemoryFileView {
  const notes = imports(files, path, text);
  const tokens = notes.reduce((sum, { to }) => sum + (to === null ? 0 : tokensOf(files[to]!)), tokensOf(text));
  return {
    path,
    layer,
    dir: layer === "directory" ? dirOf(path) : "",
    tokens,
    bytes: new TextEncoder().encode(text).length,
    hash: hashOf(text),
    on: choice.on,
    injection: choice.injection ?? "static",
    choice_injection: choice.injection,
    same_as: null,
    refused: null,
    imports: notes,
    findings: lint(text),
    missing: false,
    changed: false,
    cost_a_day: tokens * 30_000,
  };
}

/** The memory files of a folder, the root first. */
export function filesOf(files: Record<string, string>): MemoryFileView[] {
  const depth = (path: string) => path.split("/").length;
  const names = Object.keys(files).filter(isMemory).sort((a, b) => depth(a) - depth(b));
  const seen = new Map<string, string>();
  return names.map((path) => {
    const text = files[path]!;
    const of = view(files, path, dirOf(path) === "" || path.startsWith(".") ? "project" : "directory", text, CHOSEN);
    const first = seen.get(text);
    seen.set(text, first ?? path);
    return first === undefined ? of : { ...of, same_as: { path: first, how: "text" as const } };
  });
}

function found(state: State, at: MemoryAt): MemoryFileView[] {
  const project = projectOf(state, at.project_id);
  const { global, choices, agreed } = state.memory;
  const chosen = (path: string) => choices.get(keyOf(project, path)) ?? CHOSEN;
  const own = [...global].map(([path, text]) => view({}, path, "global", text, chosen(path)));
  const missing = { ...view({}, OWN, "global", "", CHOSEN), missing: true, cost_a_day: null };
  const inside = filesOf(texts(state, project)).filter(({ dir }) => at.dir === null || dir === "" || `${at.dir}/`.startsWith(`${dir}/`));
  return [
    ...(global.has(OWN) ? own : [missing, ...own]),
    ...inside.map((file) => {
      const { on, injection } = chosen(file.path);
      const changed = project?.trust === "trusted" && agreed.get(keyOf(project, file.path)) !== texts(state, project)[file.path];
      return { ...file, on, injection: injection ?? ("static" as const), choice_injection: injection, changed };
    }),
  ];
}

function linesAt(state: State, { project_id, conversation_id }: MemoryAt): MemoryLine[] {
  return state.memory.lines.filter(
    (line) =>
      line.removed_at === null &&
      line.project_id === project_id &&
      (line.conversation_id === null || line.conversation_id === conversation_id),
  );
}

const layerOf = ({ conversation_id }: MemoryLine): MemoryLayer => (conversation_id === null ? "runtime" : "session");

function summed(parts: { layer: MemoryLayer; tokens: number }[]): LayerTokens[] {
  const sums = new Map<MemoryLayer, number>();
  for (const { layer, tokens } of parts) sums.set(layer, (sums.get(layer) ?? 0) + tokens);
  return [...sums].filter(([, tokens]) => tokens > 0).map(([layer, tokens]) => ({ layer, tokens }));
}

export function layers(state: State, at: MemoryAt): MemoryView {
  const project = projectOf(state, at.project_id);
  if (project?.trust === "trusted") agreement(state, project);
  const files = found(state, at);
  const lines = linesAt(state, at);
  const counting = files.filter(({ on, same_as }) => on && same_as === null);
  const tokens = summed([...counting, ...lines.map((line) => ({ layer: layerOf(line), tokens: tokensOf(line.text) }))]);
  return {
    files,
    lines,
    tokens,
    watching: project ? state.memory.watching : null,
    trust: project?.trust ?? null,
    excluded: project?.exclude.length ?? 0,
  };
}

const KEY = /^[-*]?\s*([\p{L}\w -]+?)\s*[:=]\s*(.+)$/u;

export function effective(state: State, at: MemoryAt): Effective {
  const project = projectOf(state, at.project_id);
  const files = found(state, at).filter(({ on, missing }) => on && !missing);
  const spoken = files
    .filter(({ same_as }) => same_as === null)
    .flatMap(({ path, layer, imports }): EffectiveLine[] => {
      const inside = texts(state, project);
      const text = layer === "global" ? state.memory.global.get(path)! : inside[path]!;
      const read = (of: string, from: string) => of.replace(/\n$/, "").split("\n").map((text, index) => blank({ text, layer, path: from, line: index + 1 }));
      const brought = imports.flatMap(({ to }) => (to === null ? [] : read(inside[to]!, to)));
      return [...read(text, path), ...brought];
    });
  const session = (line: MemoryLine) => layerOf(line) === "session";
  const added = linesAt(state, at).sort((a, b) => Number(session(b)) - Number(session(a)));
  for (const line of added) spoken.push(blank({ text: line.text, layer: layerOf(line), line_id: line.id }));
  const origin = ({ layer, path, line }: EffectiveLine) => ({ layer, path, line });
  spoken.forEach((line, index) => {
    const key = KEY.exec(line.text);
    const above = spoken.slice(index + 1).findLast((other) => key !== null && KEY.exec(other.text)?.[1] === key[1]);
    if (above && above.text !== line.text && !line.must) line.overridden_by = origin(above);
    const below = spoken.slice(0, index).find((other) => line.text.trim() !== "" && other.text === line.text);
    if (below) line.same_as = origin(below);
  });
  const shares = files.map(({ path, layer, tokens, same_as, refused, imports }) => ({ path, layer, tokens, same_as, refused, imports }));
  return { lines: spoken, files: shares, tokens: summed(spoken.map(({ layer, text }) => ({ layer, tokens: tokensOf(text) }))) };
}

function blank(line: Partial<EffectiveLine> & Pick<EffectiveLine, "text" | "layer">): EffectiveLine {
  const must = /\b(MUST|NEVER)\b|반드시|절대/.test(line.text);
  return { path: null, line_id: null, line: 1, overridden_by: null, same_as: null, must, ...line };
}

export function command(state: State, { project_id, conversation_id, text }: RequestOf<"memory_command">): MemoryAnswer {
  const at = { project_id, conversation_id, dir: null };
  const [, act = "show", rest = ""] = /^\/memory(?:\s+(\w+))?(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (act === "add") return { did: "added", line: add(state, { project_id, conversation_id, text: rest, source: null }) };
  if (rest === "" && act === "show") return { did: "shown", effective: effective(state, at) };
  if (rest === "" && act === "list") return { did: "listed", view: layers(state, at) };
  if (rest === "" && act === "refresh") return { did: "refreshed", view: refresh(state, at) };
  if (rest === "" && act === "clear") return { did: "cleared", lines: clear(state, at) };
  throw failure("bad_request", "/memory add TEXT, show, refresh, clear or list");
}

export function refresh(state: State, at: MemoryAt): MemoryView {
  state.emit({ type: "memory" });
  return layers(state, at);
}

export function open(state: State, { project_id, path }: RequestOf<"memory_open">): MemoryDocument {
  const project = projectOf(state, project_id);
  const inside = texts(state, project);
  const known = path === OWN || isMemory(path) || inside[path] !== undefined;
  if (!known || path.includes("..")) throw failure("outside_project", path);
  const text = path.startsWith("/") ? state.memory.global.get(path) : inside[path];
  return { path, text: text ?? "", hash: text === undefined ? null : hashOf(text), writable: true };
}

function keep(state: State, project: Project | null, path: string, text: string, origin: MemoryVersion["origin"]): void {
  const { versions } = state.memory;
  const file = path.startsWith("/") ? path : keyOf(project, path);
  const hash = hashOf(text);
  if (versions.findLast((version) => version.file === file)?.hash === hash) return;
  versions.push({ file, text, hash, origin, seq: versions.length + 1, at: now(state), size: text.length });
}

export function save(state: State, { project_id, path, text, base }: RequestOf<"memory_save">, origin: MemoryVersion["origin"] = "saved"): Saved {
  const before = open(state, { project_id, path });
  if (before.hash !== base) return { state: "changed", now: before };
  const project = projectOf(state, project_id);
  if (before.hash !== null) keep(state, project, path, before.text, "disk");
  if (path.startsWith("/")) state.memory.global.set(path, text);
  else texts(state, project)[path] = text;
  keep(state, project, path, text, origin);
  state.memory.agreed.set(keyOf(project, path), text);
  state.emit({ type: "memory" });
  return { state: "saved", document: open(state, { project_id, path }) };
}

export function versions(state: State, { project_id, path }: RequestOf<"memory_versions">): MemoryVersion[] {
  const project = projectOf(state, project_id);
  const { text, hash } = open(state, { project_id, path });
  if (hash !== null) keep(state, project, path, text, "disk");
  const file = path.startsWith("/") ? path : keyOf(project, path);
  return state.memory.versions
    .filter((version) => version.file === file)
    .map(({ seq, hash, origin, at, size }) => ({ seq, hash, origin, at, size }))
    .reverse();
}

export function version(state: State, seq: number) {
  const found = state.memory.versions.find((version) => version.seq === seq);
  if (!found) throw failure("not_found", `version ${seq}`);
  return { text: found.text };
}

export function restore(state: State, { seq, ...file }: RequestOf<"memory_restore">): Saved {
  return save(state, { ...file, text: version(state, seq).text }, "restored");
}

export function choose(state: State, { project_id, path, choice }: RequestOf<"memory_choose">): null {
  state.memory.choices.set(keyOf(projectOf(state, project_id), path), choice);
  state.emit({ type: "memory" });
  return null;
}

export function draft(state: State, id: string) {
  const project = projectOf(state, id)!;
  const names = Object.keys(texts(state, project)).slice(0, 8);
  return { path: "AGENTS.md", text: `# ${project.name}\n\n${names.map((name) => `- \`${name}\``).join("\n")}\n` };
}

/** A trusted folder was agreed to as it was at the first look. */
export function agreement(state: State, project: Project): void {
  const { agreed } = state.memory;
  if (agreed.has(keyOf(project, ""))) return;
  agreed.set(keyOf(project, ""), "");
  for (const { path } of filesOf(texts(state, project))) agreed.set(keyOf(project, path), texts(state, project)[path]!);
}

export function changes(state: State, id: string): ChangedMemory[] {
  const project = projectOf(state, id)!;
  if (project.trust === "untrusted") return [];
  agreement(state, project);
  const { agreed } = state.memory;
  const inside = texts(state, project);
  const known = [...agreed.keys()].map((key) => key.slice(project.id.length + 1)).filter((path, at) => path !== "" && [...agreed.keys()][at]!.startsWith(project.id));
  const paths = new Set([...Object.keys(inside).filter(isMemory), ...known]);
  return [...paths].flatMap((path) => {
    const before = agreed.get(keyOf(project, path)) ?? null;
    const text = inside[path] ?? null;
    if (before === text) return [];
    return [{ path, before, now: text, hash: text === null ? null : hashOf(text), findings: lint(text ?? "") }];
  });
}

export function agree(state: State, { project_id, files }: RequestOf<"memory_agree">): null {
  const project = projectOf(state, project_id);
  for (const { path, hash } of files) {
    const text = texts(state, project)[path];
    if (text === undefined && hash === null) state.memory.agreed.delete(keyOf(project, path));
    else if (text !== undefined && hash === hashOf(text)) state.memory.agreed.set(keyOf(project, path), text);
  }
  state.emit({ type: "memory" });
  return null;
}

export function add(state: State, { project_id, conversation_id, text, source }: RequestOf<"memory_add">): MemoryLine {
  if (text.trim() === "") throw failure("bad_request", "a line of memory has 1 to 16,384 bytes");
  const line: MemoryLine = {
    id: newId(),
    project_id,
    conversation_id,
    kind: "added",
    text: text.trim(),
    source,
    created_at: now(state),
    removed_at: null,
  };
  state.memory.lines.push(line);
  state.emit({ type: "memory" });
  return line;
}

function lineOf(state: State, id: string): MemoryLine {
  const line = state.memory.lines.find((line) => line.id === id);
  if (!line) throw failure("not_found", `line ${id}`);
  return line;
}

export function remove(state: State, id: string): null {
  lineOf(state, id).removed_at = now(state);
  state.emit({ type: "memory" });
  return null;
}

export function undo(state: State, id: string): MemoryLine {
  const line = lineOf(state, id);
  line.removed_at = null;
  state.emit({ type: "memory" });
  return { ...line };
}

export function clear(state: State, at: MemoryAt): MemoryLine[] {
  const lines = linesAt(state, at);
  for (const { id } of lines) remove(state, id);
  return lines;
}

export function move(state: State, { id, to }: RequestOf<"memory_move">): MemoryDocument {
  const line = lineOf(state, id);
  const project_id = to === "global" ? null : line.project_id;
  const own = filesOf(texts(state, projectOf(state, project_id))).find(({ layer }) => layer === "project");
  const path = to === "global" ? OWN : (own?.path ?? "AGENTS.md");
  const { text, hash } = open(state, { project_id, path });
  const saved = save(state, { project_id, path, text: `${text === "" ? "" : `${text.trimEnd()}\n`}- ${line.text}\n`, base: hash });
  remove(state, id);
  return saved.state === "saved" ? saved.document : saved.now;
}

/** The memory of a request of a conversation. */
export function sections(state: State, at: MemoryAt, left_out: LeftOut[]): Pick<Section, "id" | "source" | "text" | "reason">[] {
  const project = projectOf(state, at.project_id);
  const inside = texts(state, project);
  const out: ReturnType<typeof sections> = [];
  if (project?.trust === "trusted") agreement(state, project);
  for (const { path, layer, on, same_as, tokens, missing } of found(state, at)) {
    if (missing || layer === "directory") continue;
    const untrusted = layer !== "global" && project?.trust === "untrusted";
    const why = untrusted ? "untrusted" : same_as ? "duplicate" : on ? null : "off";
    const text = layer === "global" ? state.memory.global.get(path)! : (state.memory.agreed.get(keyOf(project, path)) ?? inside[path]!);
    const source = layer === "global" ? `${path.split("/").at(-1)} (global)` : path;
    if (why === null) out.push({ id: `memory:${path}`, source, text, reason: { code: "memory", layer, why: { code: "always" } } });
    else left_out.push({ id: `memory:${path}`, source, tokens, why });
  }
  for (const layer of ["session", "runtime"] as const) {
    const lines = linesAt(state, at).filter((line) => layerOf(line) === layer);
    if (lines.length === 0) continue;
    const why = { code: "added" as const, lines: lines.length };
    out.push({ id: `memory:${layer}`, source: layer, text: lines.map(({ text }) => text).join("\n"), reason: { code: "memory", layer, why } });
  }
  return out;
}
