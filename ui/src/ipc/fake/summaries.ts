// Summaries by the rules of the real host: chosen along the shown path, one in the making at a time, versions that never
// change. What a model would write are the first characters of what it is asked to summarise.
import type {
  FoldCheck,
  FoldPreview,
  MessageItem,
  RequestView,
  SetFolding,
  Settings,
  Summary,
  SummaryId,
  SummaryPanel,
  SummarySettings,
  TurnSpan,
} from "../bindings";
import {
  BUDGET,
  chosen,
  conversationOf,
  failure,
  isFailure,
  newId,
  now,
  pause,
  textOf,
  tokensOf,
  type State,
  type StoredConversation,
} from "./state";
import * as folds from "./folds";
import { path } from "./tree";

export const DEFAULTS: SummarySettings = {
  enabled: true,
  policy: "rolling",
  threshold: 8_000,
  recent_messages: 6,
  rate: 0.3,
  strict: false,
  window_keep: 800,
  token_limit: 4_096,
  model: null,
  timeout_s: 60,
  kept_facts_share: 20,
  recall: { on: null, scope: "project", share: null },
};

/** Steps in which a summary is written. */
const STEPS = 12;

/** The settings with what the conversation has chosen. */
function termsOf({ settings }: { settings: Settings }, { folding }: StoredConversation): SummarySettings {
  const { policy, rate, recall } = folding;
  const { summary } = settings;
  return { ...summary, policy: policy ?? summary.policy, rate: rate ?? summary.rate, recall: recall ?? summary.recall };
}

const endOf = ({ coverage }: Summary) => coverage.start + coverage.count;

/** The records that lie on the shown path, and those of them that hold: the newest whole ones, without a hole. */
function overlay({ summaries }: StoredConversation, all: readonly MessageItem[]) {
  const records = summaries.filter((it) => all[endOf(it) - 1]?.id === it.coverage.last);
  const shown: Summary[] = [];
  for (;;) {
    const end = shown.length === 0 ? 0 : endOf(shown.at(-1)!);
    const next = records
      .filter(({ status, coverage }) => status === "COMPLETED" && coverage.start === end)
      .sort((a, b) => b.finished_at!.localeCompare(a.finished_at!) || b.id.localeCompare(a.id))[0];
    if (!next) return { records, shown, end };
    shown.push(next);
  }
}

/** The summaries that are sent. */
export function told(state: State, conversation: StoredConversation, all: readonly MessageItem[]): Summary[] {
  const { enabled, policy } = termsOf(state, conversation);
  const summarises = enabled && (policy === "rolling" || policy === "segments" || policy === "running");
  return summarises ? overlay(conversation, all).shown.filter(({ unfolded_at }) => unfolded_at === null) : [];
}

export function covers(summary: Summary, index: number): boolean {
  return index >= summary.coverage.start && index < endOf(summary);
}

/** How many completed turns these messages have. */
function turnsIn(messages: readonly MessageItem[]): number {
  return messages.filter(({ role, status }) => role === "assistant" && status === "complete").length;
}

function tokensIn(messages: readonly MessageItem[]): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}

export function list(state: State, id: string): SummaryPanel {
  return panelOf(state, conversationOf(state, id));
}

function panelOf(state: State, conversation: StoredConversation): SummaryPanel {
  const all = path(conversation);
  const { records, shown, end } = overlay(conversation, all);
  const { policy, rate, strict, enabled, threshold, window_keep } = termsOf(state, conversation);
  const rest = all.slice(end);
  const tokens = (most: number) => ({ unit: "tokens" as const, left: Math.max(0, most + 1 - tokensIn(rest)) });
  const distances: Partial<Record<typeof policy, SummaryPanel["distance"]>> = {
    rolling: tokens(threshold),
    running: tokens(window_keep),
    segments: { unit: "turns", left: 3 - (turnsIn(rest) % 3) },
  };
  const original = shown.reduce((sum, { original_chars }) => sum + original_chars, 0);
  const summary = shown.reduce((sum, { summary_chars }) => sum + summary_chars, 0);
  const { folding } = conversation;
  return {
    policy,
    rate,
    folding,
    strict,
    enabled,
    follows_default: folding.policy === null && folding.rate === null,
    records: records.map((record) => ({ ...record })),
    shown: shown.map((record) => record.id),
    first_raw: shown.find(({ unfolded_at }) => unfolded_at !== null)?.coverage.start ?? end,
    distance: enabled ? (distances[policy] ?? null) : null,
    busy: conversation.summaries.find(({ status }) => status === "IN_PROGRESS")?.id ?? null,
    writing: conversation.writing,
    statistics: {
      count: shown.length,
      turns: shown.reduce((sum, { turns }) => sum + (turns ? turns.last - turns.first + 1 : 0), 0),
      original_chars: original,
      summary_chars: summary,
      saved_percent: original === 0 ? 0 : Math.round((1 - summary / original) * 100),
      spent_tokens: shown.reduce((sum, { usage }) => sum + (usage ? usage.input_tokens + usage.output_tokens : 0), 0),
    },
  };
}

/** A reply has ended: what is due is made in the background. */
export function turnClosed(state: State, conversation: StoredConversation): void {
  const { distance } = panelOf(state, conversation);
  const { policy } = termsOf(state, conversation);
  const rest = path(conversation).slice(overlay(conversation, path(conversation)).end);
  const due = distance?.unit === "tokens" ? distance.left === 0 : policy === "segments" && turnsIn(rest) >= 3;
  if (due) begin(state, conversation);
}

export function run(state: State, id: string): SummaryPanel {
  begin(state, conversationOf(state, id));
  return list(state, id);
}

/** Begins the next summary of the policy, when there is anything to summarise. */
function begin(state: State, conversation: StoredConversation): void {
  const busy = conversation.summaries.some(({ status }) => status === "IN_PROGRESS");
  const next = busy ? null : nextOf(state, conversation);
  if (next) void make(state, conversation, next);
}

/** The next summary of the policy, not made yet; null when there is nothing to summarise. */
function nextOf(state: State, conversation: StoredConversation): Summary | null {
  const { policy } = termsOf(state, conversation);
  const all = path(conversation);
  const { shown, end } = overlay(conversation, all);
  const rest = all.slice(end);
  const turns = policy === "segments" ? Math.min(3, turnsIn(rest)) : turnsIn(rest);
  if (turns === 0 || !panelOf(state, conversation).distance) return null;
  const start = policy === "segments" ? end : 0;
  const before = policy === "segments" ? (shown.at(-1)?.turns?.last ?? 0) : 0;
  const covered = policy === "segments" ? rest.slice(0, turns * 2) : all.slice(0, end + turns * 2);
  const span = { first: before + 1, last: before + turnsIn(covered) };
  return draft(state, conversation, covered, start, span);
}

function draft(
  state: State,
  conversation: StoredConversation,
  covered: readonly MessageItem[],
  start: number,
  turns: TurnSpan,
): Summary {
  const { policy, rate } = termsOf(state, conversation);
  return {
    id: newId(),
    conversation_id: conversation.id,
    policy,
    level: 1,
    version: nextVersion(conversation, { policy, level: 1, start }),
    status: "IN_PROGRESS",
    coverage: { start, count: covered.length, last: covered.at(-1)!.id },
    covered_token_count: tokensIn(covered),
    turns,
    original_chars: covered.reduce((sum, message) => sum + textOf(message).length, 0),
    summary_chars: 0,
    compression_rate: rate,
    summary: "",
    model: null,
    usage: null,
    cost: null,
    edited: false,
    fault: null,
    unfolded_at: null,
    receipt: folds.NOTHING,
    created_at: now(state),
    finished_at: null,
  };
}

function nextVersion(
  { summaries }: StoredConversation,
  of: Pick<Summary, "policy" | "level"> & { start: number },
): number {
  const same = summaries.filter(
    ({ policy, level, coverage }) => policy === of.policy && level === of.level && coverage.start === of.start,
  );
  return Math.max(0, ...same.map(({ version }) => version)) + 1;
}

/** Writes a summary bit by bit, and tells of its beginning and its end alone; what fails or is cancelled stays as a failed one. */
async function make(state: State, conversation: StoredConversation, record: Summary): Promise<void> {
  conversation.summaries.push(record);
  changed(state, conversation);
  try {
    const text = written(state, conversation, record);
    for (let step = 1; step <= STEPS; step += 1) {
      conversation.writing = text.slice(0, Math.ceil((text.length * step) / STEPS));
      await pause(state, 10);
      if (record.status !== "IN_PROGRESS") return;
    }
    Object.assign(record, made(state, conversation, record, text));
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown;
    Object.assign(record, { status: "FAILED", fault: { code: thrown.code, message: thrown.message } });
  } finally {
    record.finished_at ??= now(state);
    conversation.writing = "";
    changed(state, conversation);
  }
}

function written(state: State, conversation: StoredConversation, record: Summary): string {
  const { original_chars, compression_rate } = record;
  const original = coveredBy(conversation, record).map(textOf).join(" ").replace(/\s+/g, " ");
  const target = Math.trunc(original_chars * compression_rate);
  return state.options.summarise?.(original, target) ?? original.slice(0, target).trim();
}

function coveredBy(conversation: StoredConversation, { coverage }: Summary): MessageItem[] {
  return path(conversation).slice(coverage.start, coverage.start + coverage.count);
}

function made(state: State, conversation: StoredConversation, record: Summary, text: string): Partial<Summary> {
  const summary = folds.unmarked(text);
  const { model } = chosen(state, conversation);
  const input_tokens = record.covered_token_count;
  return {
    status: "COMPLETED",
    summary,
    summary_chars: summary.length,
    receipt: receiptOf(state, conversation, record, text),
    model,
    usage: { input_tokens, output_tokens: tokensOf(summary), cached_input_tokens: 0, cache_write_tokens: 0, exact: false },
    finished_at: now(state),
  };
}

/** Under `strict` there is none. */
function receiptOf(state: State, conversation: StoredConversation, record: Summary, summary: string) {
  if (termsOf(state, conversation).strict) return folds.NOTHING;
  return folds.receiptOf(summary, coveredBy(conversation, record), record.receipt);
}

function changed(state: State, { id }: StoredConversation): void {
  state.emit({ type: "conversation", id });
}

function find(state: State, id: SummaryId): [StoredConversation, Summary] {
  for (const conversation of state.conversations.values()) {
    const record = [...conversation.summaries, ...conversation.candidates].find((it) => it.id === id);
    if (record) return [conversation, record];
  }
  throw failure("not_found", `summary ${id}`);
}

export function get(state: State, id: SummaryId): Summary {
  return find(state, id)[1];
}

export function cancel(state: State, id: string): null {
  const conversation = conversationOf(state, id);
  const making = conversation.summaries.find(({ status }) => status === "IN_PROGRESS");
  if (making) {
    const fault = { code: "cancelled", message: "" };
    Object.assign(making, { status: "FAILED", fault, finished_at: now(state) });
    changed(state, conversation);
  }
  return null;
}

export function retry(state: State, id: SummaryId): null {
  const [conversation, record] = find(state, id);
  const { start, count } = record.coverage;
  const covered = path(conversation).slice(start, start + count);
  void make(state, conversation, draft(state, conversation, covered, start, record.turns!));
  return null;
}

export function unfold(state: State, id: SummaryId, unfolded: boolean): null {
  const [conversation, record] = find(state, id);
  const { start, count } = record.coverage;
  const over = tokensIn(path(conversation).slice(start, start + count)) - BUDGET;
  if (unfolded && over > 0) throw { ...failure("unfold_too_large", ""), excess: { over, budget: BUDGET } };
  record.unfolded_at = unfolded ? now(state) : null;
  changed(state, conversation);
  return null;
}

/** The same summary as the newest version. */
function renewed(state: State, conversation: StoredConversation, record: Summary, how: Partial<Summary>): Summary {
  const { policy, level, coverage } = record;
  const version = nextVersion(conversation, { policy, level, start: coverage.start });
  const at = now(state);
  const taken = { status: "COMPLETED", fault: null, unfolded_at: null, created_at: at, finished_at: at } as const;
  const next = { ...record, ...how, ...taken, id: newId(), version };
  conversation.summaries.push(next);
  changed(state, conversation);
  return next;
}

export function edit(state: State, id: SummaryId, text: string): Summary {
  const [conversation, record] = find(state, id);
  if (text.trim() === "") throw failure("bad_request", "the summary is empty");
  const how = { summary: text, summary_chars: [...text].length, edited: true, model: null, usage: null, cost: null };
  return renewed(state, conversation, record, { ...how, receipt: receiptOf(state, conversation, record, text) });
}

/** Keeps a fact with a summary, or drops it. */
export function keep(state: State, id: SummaryId, text: string, keeps: boolean): Summary {
  const [conversation, record] = find(state, id);
  const receipt = folds.keeping(record, coveredBy(conversation, record), text, keeps);
  return renewed(state, conversation, record, { receipt });
}

export function check(state: State, id: SummaryId): FoldCheck {
  const [conversation, record] = find(state, id);
  return folds.check(record, coveredBy(conversation, record));
}

/** Takes the newest summary back. */
export function undo(state: State, id: SummaryId): SummaryPanel {
  const [conversation, record] = find(state, id);
  if (overlay(conversation, path(conversation)).shown.at(-1) !== record) throw failure("conflict", "not the newest");
  Object.assign(record, { status: "FAILED", fault: { code: "undone", message: "" }, finished_at: now(state) });
  changed(state, conversation);
  return list(state, conversation.id);
}

/** The next fold, beside the request that would go without it. */
export function preview(state: State, id: string, view: RequestView): FoldPreview {
  const conversation = conversationOf(state, id);
  const next = nextOf(state, conversation);
  if (!next) throw failure("conflict", "nothing to fold");
  const candidate = { ...next, ...made(state, conversation, next, written(state, conversation, next)) };
  candidate.finished_at = now(state);
  conversation.candidates.push(candidate);
  return folds.preview(candidate, coveredBy(conversation, candidate), view);
}

export function adopt(state: State, id: SummaryId): Summary {
  const [conversation, record] = find(state, id);
  return renewed(state, conversation, record, {});
}

/** A candidate at another rate: nobody is told of it. */
export async function attempt(state: State, id: SummaryId, compression_rate: number): Promise<Summary> {
  const [conversation, record] = find(state, id);
  const candidate = { ...record, id: newId(), compression_rate, edited: false };
  conversation.trying = true;
  await pause(state, 50);
  if (!conversation.trying) throw failure("cancelled", "");
  conversation.trying = false;
  Object.assign(candidate, made(state, conversation, candidate, written(state, conversation, candidate)));
  conversation.candidates.push(candidate);
  return candidate;
}

export function cancelAttempt(state: State, id: string): null {
  conversationOf(state, id).trying = false;
  return null;
}

export function setFolding(state: State, { conversation_id, policy, rate, recall }: SetFolding): SummaryPanel {
  const conversation = conversationOf(state, conversation_id);
  conversation.folding = { policy, rate, ...(recall && { recall }) };
  changed(state, conversation);
  return list(state, conversation_id);
}
