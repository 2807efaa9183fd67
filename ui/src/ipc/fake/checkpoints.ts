// Checkpoints of the fake: copies of its folders, of where a conversation stood and of what is known beside it, planned,
// merged and put back by the same rules, only simpler: a merge knows one contradiction a file.
import type {
  CheckpointId,
  CheckpointItem,
  CheckpointReason,
  CheckpointSettings,
  Commands,
  ConversationState,
  FailedPath,
  FileChange,
  MessageId,
  NotCaptured,
  PathChoice,
  PlannedFile,
  ProjectId,
  RestoreParts,
  Restored,
  Retention,
  Rule,
  TurnId,
  Verified,
} from "../bindings";
import * as context from "./context";
import * as projects from "./projects";
import * as sealing from "./sealing";
import { conversationOf, failure, findMessage, newId, now, textOf, type State } from "./state";
import type { RemoteCommand } from "./remotes";
import * as tree from "./tree";

type Files = Record<string, string>;

interface Moment {
  files: Files;
  /** The shown path of its conversation. */
  messages: string[];
  lines: string[];
  told: Map<string, string>;
}

interface Stored extends Moment {
  project_id: ProjectId;
  item: CheckpointItem;
  conversation: ConversationState | null;
  not_captured: NotCaptured[];
}

interface Plan {
  of: Stored;
  parts: RestoreParts;
  files: PlannedFile[];
  before: CheckpointId | null;
  done: boolean;
}

export interface CheckpointState {
  stored: Stored[];
  plans: Map<string, Plan>;
  /** By project and path: what was written by a restore. */
  written: Map<string, string>;
  /** What cannot be written, with why; for tests. */
  refused: Map<string, string>;
  verified: Verified;
  /** Where the next checkpoint of a project goes on, after a restore or a continuation. */
  parents: Map<ProjectId, CheckpointId>;
}

export const SETTINGS: { checkpoints: CheckpointSettings } = {
  checkpoints: {
    on: true,
    retention: { days: 90, count: 1_000, bytes: 500_000_000 },
    max_file_bytes: 64_000_000,
    also: [],
    remotes: [],
  },
};

export function fresh(): CheckpointState {
  return {
    stored: [],
    plans: new Map(),
    written: new Map(),
    refused: new Map(),
    verified: { damaged: [], repaired: 0 },
    parents: new Map(),
  };
}

const emit = (state: State) => state.emit({ type: "checkpoints" });

/** The folder itself: writing here is writing to the disk. */
function disk(state: State, id: ProjectId): Files {
  return state.options.folders?.[projects.get(state, id).path]?.files ?? {};
}

function stored(state: State, id: CheckpointId): Stored {
  sealing.unlocked(state);
  const found = state.checkpoints.stored.find(({ item }) => item.id === id);
  if (!found) throw failure("not_found", `checkpoint ${id}`);
  return found;
}

function of(state: State, project_id: ProjectId): Stored[] {
  return state.checkpoints.stored.filter((one) => one.project_id === project_id);
}

function moment(state: State, project_id: ProjectId, conversation_id: string | null): Moment {
  const shown = conversation_id === null ? [] : tree.path(conversationOf(state, conversation_id));
  const lines = state.memory.lines.filter((line) => line.project_id === project_id && line.removed_at === null);
  const [persistent] = context.get(state, project_id).stores;
  return {
    files: disk(state, project_id),
    messages: shown.map(({ id }) => id),
    lines: lines.map(({ text }) => text),
    told: new Map(persistent!.entries.map(({ key, value }) => [key, value])),
  };
}

function take(
  state: State,
  project_id: ProjectId,
  conversation_id: string | null,
  reason: CheckpointReason,
  tag: string | null,
): Stored {
  sealing.unlocked(state);
  if (tag !== null && of(state, project_id).some(({ item }) => item.tag === tag)) throw failure("conflict", tag);
  const { files: all, ...rest } = moment(state, project_id, conversation_id);
  const never = state.options.folders?.[projects.get(state, project_id).path]?.neverSent ?? [];
  const most = state.settings.checkpoints.max_file_bytes;
  const whyNot = (path: string, text: string) =>
    never.includes(path) ? ("excluded" as const) : text.length > most ? ("too_large" as const) : null;
  const not_captured = Object.entries(all).flatMap(([path, text]) => {
    const why = whyNot(path, text);
    return why ? [{ path, why }] : [];
  });
  const files = Object.fromEntries(Object.entries(all).filter(([path, text]) => whyNot(path, text) === null));
  const last = of(state, project_id).at(-1);
  const apart = changes(last?.files ?? {}, files);
  const detail = conversation_id === null ? null : tree.detail(state, conversation_id);
  const conversation: ConversationState | null = detail && {
    id: detail.item.id,
    message: rest.messages.at(-1) ?? null,
    messages: rest.messages.length,
    summaries: [],
    token_usage: { ...detail.spent, cached_input_tokens: 0, cache_write_tokens: 0, exact: true },
    model: detail.model,
    provider: detail.provider,
  };
  const item: CheckpointItem = {
    id: newId(),
    tag,
    pinned: false,
    created_at: now(state),
    reason,
    parent: state.checkpoints.parents.get(project_id) ?? last?.item.id ?? null,
    conversation_id,
    message_id: conversation?.message ?? null,
    messages: rest.messages.length,
    files: Object.keys(files).length,
    changed: apart.length,
    bytes: apart.reduce((sum, { after }) => sum + (after ?? 0), 512),
    not_captured: not_captured.length,
    known: true,
  };
  state.checkpoints.parents.delete(project_id);
  const made = { ...rest, files, project_id, item, conversation, not_captured };
  state.checkpoints.stored.push(made);
  emit(state);
  return made;
}

/** The turn of the last reply up to a message. */
function turnAt(state: State, id: MessageId | null): TurnId | null {
  if (id === null) return null;
  const [, { role, turn_id, parent_id }] = findMessage(state, id);
  return role === "assistant" ? turn_id : turnAt(state, parent_id);
}

function changes(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): FileChange[] => {
    const [was, is] = [before[path], after[path]];
    if (was === is) return [];
    const kind = was === undefined ? "added" : is === undefined ? "deleted" : "modified";
    return [{ path, kind, before: was?.length ?? null, after: is?.length ?? null }];
  });
}

function planned(state: State, { project_id, files: then, not_captured }: Stored): PlannedFile[] {
  const here = disk(state, project_id);
  const left = new Set(not_captured.map(({ path }) => path));
  const last = of(state, project_id).at(-1)?.files ?? {};
  const apart = changes(here, then).filter(({ path }) => !left.has(path));
  return apart.map(({ path }, index): PlannedFile => {
    const is = here[path];
    const was = then[path];
    const ours = is !== undefined && state.checkpoints.written.get(`${project_id}:${path}`) === is;
    const verdict = (): Pick<PlannedFile, "action" | "why"> => {
      if (is === undefined) return { action: "create", why: "missing" };
      if (was === undefined) return ours ? { action: "delete", why: "ours" } : { action: "skip", why: "not_ours" };
      if (ours) return { action: "overwrite", why: "ours" };
      if (last[path] === is) return { action: "overwrite", why: "kept" };
      return { action: "conflict", why: "changed_outside" };
    };
    const { action, why } = verdict();
    const can_merge = action === "conflict" && last[path] !== undefined;
    return { index, path, action, why, now: is?.length ?? null, then: was?.length ?? null, can_merge };
  });
}

/** What both made of a text: the beginning and the end they share, and between them both, with marks. */
function merged(base: string, here: string, then: string): { merged: string; conflicts: boolean } {
  if (here === base || here === then) return { merged: then, conflicts: false };
  if (then === base) return { merged: here, conflicts: false };
  const [a, b] = [here.split("\n"), then.split("\n")];
  let head = 0;
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const middle = (lines: string[]) => lines.slice(head, lines.length - tail);
  const marks = ["<<<<<<< now", ...middle(a), "=======", ...middle(b), ">>>>>>> then"];
  return { merged: [...a.slice(0, head), ...marks, ...a.slice(a.length - tail)].join("\n"), conflicts: true };
}

/** Shows a conversation as it stood; what came later stays on its branch. */
function rewind(state: State, { conversation, item, project_id }: Stored): string {
  if (!conversation) throw failure("bad_request", "no conversation was open then");
  const shown = conversationOf(state, conversation.id);
  if (conversation.message !== null) tree.show(shown, findMessage(state, conversation.message)[1]);
  shown.chosen.set(conversation.message ?? "", tree.NOTHING);
  state.checkpoints.parents.set(project_id, item.id);
  state.emit({ type: "conversations" }, { type: "conversation", id: shown.id });
  return shown.id;
}

function makePlan(state: State, one: Stored, parts: RestoreParts): [string, Plan] {
  const files = parts.files ? planned(state, one) : [];
  const plan = { of: one, parts, files, before: null, done: false };
  const id = newId();
  state.checkpoints.plans.set(id, plan);
  return [id, plan];
}

function restore(state: State, plan_id: string, choices: readonly PathChoice[]): Restored {
  const plan = state.checkpoints.plans.get(plan_id);
  if (!plan) throw failure("not_found", plan_id);
  if (plan.done) throw failure("conflict", "this restore was done already");
  const { of: one, parts, files } = plan;
  const { project_id, item } = one;
  const here = disk(state, project_id);
  plan.before ??= take(state, project_id, item.conversation_id, { code: "before_restore", of: item.id }, null).item.id;
  const failed: FailedPath[] = [];
  let [done, kept] = [0, 0];
  for (const { index, path, action } of files) {
    const choice = choices.find((made) => made.index === index)?.choice;
    const stays = choice ? choice.is === "keep" : action === "conflict" || action === "skip";
    const refused = state.checkpoints.refused.get(path);
    if (stays) kept += 1;
    else if (refused !== undefined) failed.push({ path, detail: refused });
    else {
      const text = choice?.is === "merge" ? choice.text : one.files[path];
      if (text === undefined) delete here[path];
      else here[path] = text;
      if (text !== undefined) state.checkpoints.written.set(`${project_id}:${path}`, text);
      done += 1;
    }
  }
  const conversation_id = parts.chat && one.conversation ? rewind(state, one) : null;
  if (parts.context) {
    const then = one.told;
    const [persistent] = context.get(state, project_id).stores;
    for (const { key } of persistent!.entries) if (!then.has(key)) context.remove(state, project_id, "persistent", key);
    for (const [key, value] of then) context.put(state, { project_id, kind: "persistent", key, value });
  }
  plan.done = true;
  emit(state);
  return { before: plan.before, done, kept, failed, conversation_id };
}

function overdue(state: State, project_id: ProjectId, rules: Retention) {
  const all = of(state, project_id);
  let count = all.length;
  let bytes = all.reduce((sum, { item }) => sum + item.bytes, 0);
  const gone = [];
  for (const { item } of all.slice(0, -1)) {
    if (item.pinned || item.tag !== null) continue;
    const age = Date.parse(now(state)) - Date.parse(item.created_at);
    const rule: Rule | null =
      rules.days !== null && age > rules.days * 86_400_000
        ? "age"
        : rules.count !== null && count > rules.count
          ? "count"
          : rules.bytes !== null && bytes > rules.bytes
            ? "size"
            : null;
    if (rule === null) break;
    count -= 1;
    bytes -= item.bytes;
    gone.push({ id: item.id, created_at: item.created_at, rule, bytes: item.bytes });
  }
  return gone;
}

function remove(state: State, ids: readonly CheckpointId[]): null {
  state.checkpoints.stored = state.checkpoints.stored.filter(({ item }) => !ids.includes(item.id));
  emit(state);
  return null;
}

/** Commands of this name that other files answer. */
type Elsewhere = RemoteCommand | `checkpoint_${"seal" | "unseal" | "unlock" | "recovery" | "place"}${string}`;

type Handlers = {
  [C in keyof Commands as C extends `checkpoint_${string}` ? Exclude<C, Elsewhere> : never]: (
    request: Commands[C]["request"],
  ) => Commands[C]["reply"];
};

/** A checkpoint from elsewhere becomes one of the project's; a tag that is taken gets a number. */
export function arrive(
  state: State,
  project_id: ProjectId,
  item: CheckpointItem,
  source: CheckpointId = item.id,
): CheckpointItem {
  const taken = new Set(of(state, project_id).map(({ item: known }) => known.tag));
  let { tag } = item;
  for (let number = 2; tag !== null && taken.has(tag); number++) tag = `${item.tag} (${number})`;
  const from = state.checkpoints.stored.find(({ item: known }) => known.id === source);
  const empty = { files: {}, messages: [], lines: [], told: new Map<string, string>() };
  const kept = { ...(from ?? { ...empty, conversation: null, not_captured: [] }), project_id, item: { ...item, tag } };
  state.checkpoints.stored.push(kept);
  emit(state);
  return kept.item;
}

/** What is made before a tool changes something. */
export function beforeTool(state: State, project_id: ProjectId, conversation_id: string, tool: string): CheckpointId {
  return take(state, project_id, conversation_id, { code: "before_tool", tool }, null).item.id;
}

export function handlers(state: State): Handlers {
  const other = (one: Stored, id: CheckpointId | null): Moment =>
    id === null ? moment(state, one.project_id, one.item.conversation_id) : stored(state, id);
  return {
    checkpoint_create: ({ project_id, conversation_id, tag }) =>
      take(state, project_id, conversation_id, { code: "manual" }, tag).item,
    checkpoint_list: ({ project_id, before, limit }) => {
      const all = of(state, project_id).map(({ item }) => item).reverse();
      const older = all.filter(({ created_at }) => before === null || created_at < before);
      const plans = [...state.checkpoints.plans];
      const cut = plans.filter(([, plan]) => plan.of.project_id === project_id && plan.before !== null && !plan.done);
      return {
        items: older.slice(0, limit).map((item) => ({ ...item })),
        more: older.length > limit,
        bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
        cap: state.settings.checkpoints.retention.bytes,
        unfinished: cut.map(([plan_id, { of: one, before }]) => ({ plan_id, checkpoint_id: one.item.id, before: before! })),
        files_off: null,
        disk_full: false,
        disk_low: false,
      };
    },
    checkpoint_get: ({ id }) => {
      const { item, conversation, not_captured, lines, project_id } = stored(state, id);
      const project_path = projects.get(state, project_id).path;
      const metadata = { session_id: "1", user_id: null, project_path, version: "0.1.0", format: 1 };
      const turn_id = turnAt(state, item.message_id);
      return { item, metadata, conversation, turn_id, not_captured, runtime_additions: lines, memory: null };
    },
    checkpoint_change: ({ id, tag, pinned }) => {
      const { item, project_id } = stored(state, id);
      const taken = of(state, project_id).some((one) => one.item.id !== id && tag !== null && one.item.tag === tag);
      if (taken) throw failure("conflict", tag ?? "");
      Object.assign(item, { tag, pinned });
      emit(state);
      return null;
    },
    checkpoint_delete: ({ ids }) => remove(state, ids),
    checkpoint_diff: ({ id, with: with_ }) => {
      const one = stored(state, id);
      const later = other(one, with_);
      const only = (a: Moment, b: Moment) => a.messages.filter((message) => !b.messages.includes(message));
      const [gone, come] = [only(one, later), only(later, one)];
      const named = (ids: string[], isLater: boolean) =>
        ids.map((message) => {
          const found = findMessage(state, message)[1];
          return { id: message, role: found.role, text: textOf(found).slice(0, 200), later: isLater };
        });
      const keys = [...new Set([...one.told.keys(), ...later.told.keys()])];
      const left = new Set(one.not_captured.map(({ path }) => path));
      return {
        files: changes(one.files, later.files).filter(({ path }) => !left.has(path)),
        messages_before: gone.length,
        messages_after: come.length,
        messages: [...named(gone, false), ...named(come, true)],
        context: keys.flatMap((name) => {
          const [before, after] = [one.told.get(name) ?? null, later.told.get(name) ?? null];
          return before === after ? [] : [{ name, before, after }];
        }),
      };
    },
    checkpoint_file_diff: ({ id, with: with_, path }) => {
      const one = stored(state, id);
      const [before, after] = [one.files[path] ?? null, other(one, with_).files[path] ?? null];
      const binary = [before, after].some((text) => text?.includes("\0"));
      return binary ? { before: null, after: null, binary } : { before, after, binary: false };
    },
    checkpoint_plan: ({ id, parts: wanted }) => {
      const one = stored(state, id);
      const parts = { ...wanted, chat: wanted.chat && one.conversation !== null };
      const [plan_id, plan] = makePlan(state, one, parts);
      const here = moment(state, one.project_id, one.item.conversation_id);
      const keys = new Set([...one.told.keys(), ...here.told.keys()]);
      return {
        plan_id,
        checkpoint_id: id,
        parts,
        files: plan.files,
        untouched: parts.files ? one.not_captured : [],
        messages: parts.chat ? Math.max(0, here.messages.length - one.item.messages) : 0,
        lines: 0,
        keys: parts.context ? [...keys].filter((key) => one.told.get(key) !== here.told.get(key)).length : 0,
      };
    },
    checkpoint_merge: ({ plan_id, index }) => {
      const plan = state.checkpoints.plans.get(plan_id);
      const file = plan?.files[index];
      if (!plan || !file) throw failure("bad_request", "the plan has no such file");
      const { project_id } = plan.of;
      const base = of(state, project_id).at(-1)?.files[file.path] ?? "";
      const [here, then] = [disk(state, project_id)[file.path] ?? "", plan.of.files[file.path] ?? ""];
      return { base, now: here, then, ...merged(base, here, then) };
    },
    checkpoint_restore: ({ plan_id, choices }) => restore(state, plan_id, choices),
    checkpoint_undo: ({ id }) => {
      const plans = () => [...state.checkpoints.plans].filter(([, { of: one, before }]) => one.project_id === id && before !== null);
      for (const [plan_id, plan] of plans()) if (!plan.done) restore(state, plan_id, []);
      const last = plans().at(-1)?.[1];
      if (!last) throw failure("conflict", "nothing was restored in this project");
      return restore(state, makePlan(state, stored(state, last.before!), last.parts)[0], []);
    },
    checkpoint_continue: ({ id }) => ({ id: rewind(state, stored(state, id)) }),
    checkpoint_clean: ({ project_id, rules, dry_run }) => {
      const gone = overdue(state, project_id, rules ?? state.settings.checkpoints.retention);
      if (!dry_run) remove(state, gone.map(({ id }) => id));
      return { gone, freed: gone.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    checkpoint_verify: () => ({ ...state.checkpoints.verified, repaired: 0 }),
    checkpoint_repair: () => {
      const repaired = state.checkpoints.verified.damaged.length;
      state.checkpoints.verified = { damaged: [], repaired: 0 };
      return { damaged: [], repaired };
    },
  };
}
