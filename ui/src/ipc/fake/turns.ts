// Questions and answers: send, queue, stop, edit, regenerate, continue, and what a request holds.
import type { BroughtContext, EditMessage, LeftOut, Part, Price, Regenerate, RequestView, Section, SendMessage, Sent, SentRequestView, TurnEvent, Usage } from "../bindings";
import { hashIn, take, tokensIn } from "./attachments";
import * as context from "./context";
import * as egress from "./egress";
import { missing, toldText } from "./folds";
import * as memory from "./memory";
import * as providers from "./providers";
import { recall } from "./recall";
import { carryOut, underWay } from "./running";
import * as sessions from "./sessions";
import * as spending from "./spending";
import * as summaries from "./summaries";
import * as wishes from "./wishes";
import {
  BUDGET,
  chosen,
  conversationOf,
  failure,
  findMessage,
  newId,
  now,
  pause,
  textOf,
  tokensOf,
  type State,
  type StoredConversation,
  type StoredMessage,
} from "./state";
import { add, path, show } from "./tree";

export function preview(
  state: State,
  conversation: StoredConversation,
  draft: string,
  brought?: BroughtContext,
  attached: Part[] = conversation.attachments.map(({ part }) => part),
): RequestView {
  const sections: Section[] = [];
  const left_out: LeftOut[] = [];
  const add = (section: Partial<Section> & Pick<Section, "id" | "kind" | "source" | "text" | "reason">) =>
    sections.push({
      role: "user",
      link: null,
      parts: [],
      tokens: tokensOf(section.text),
      exact: false,
      pinned: false,
      messages: [],
      turns: null,
      redacted: [],
      ...section,
    });
  add({
    id: "instructions",
    kind: "instructions",
    role: "system",
    source: "siltstone",
    text: "Answer from the conversation and the project's files. Quote with links.",
    reason: { code: "base" },
  });
  const own = conversation.tuning.instructions;
  if (own) {
    add({ id: "conversation-instructions", kind: "instructions", role: "system", source: "conversation", text: own, reason: { code: "conversation_rule" } });
  }
  const project = conversation.project_id && state.projects.get(conversation.project_id);
  const files = project ? (state.options.folders?.[project.path]?.files ?? {}) : {};
  const at = { project_id: conversation.project_id, conversation_id: conversation.id, dir: null };
  for (const said of memory.sections(state, at, left_out)) {
    add({ kind: "memory", role: "system", link: files[said.source] === undefined ? null : fileLink(said.source, 1), ...said });
  }
  for (const [id, text] of project ? sessions.workedOn(state, project.id) : []) {
    add({ id: `session:${id}`, kind: "plan", role: "system", source: "workflow", text, reason: { code: "plan" } });
  }
  if (project && project.trust === "trusted") {
    matches(files, draft).forEach(({ name, line, text }, index) =>
      add({
        id: `passage:${name}:${line}`,
        kind: "passage",
        source: `${name}:${line}`,
        link: fileLink(name, line),
        text,
        reason: { code: "found", rank: index + 1 },
      }),
    );
  }
  const all = path(conversation);
  const folded = summaries.told(state, conversation, all);
  for (const fold of folded) {
    const { id, version, turns } = fold;
    const reason = { code: "summary" as const, version };
    add({ id: `summary:${id}`, kind: "summary", role: "system", source: "summary", link: `silt:summary/${id}`, text: toldText(fold), reason, turns });
  }
  const told = all.filter(({ index }) => folded.some((it) => summaries.covers(it, index)));
  if (told.length > 0) {
    const tokens = told.reduce((sum, message) => sum + message.tokens, 0);
    left_out.push({ id: null, source: `conversation (${told.length})`, tokens, why: "summarised" });
  }
  for (const message of all) {
    if (told.includes(message) && conversation.wishes.get(`message:${message.id}`) !== "pinned") continue;
    add({
      id: `message:${message.id}`,
      kind: "turn",
      role: message.role,
      source: "conversation",
      link: `silt:message/${message.id}`,
      text: message.parts.map((part) => (part.type === "text" || part.type === "tool_result" ? part.text : "")).join(""),
      parts: message.parts.filter(({ type }) => type === "tool_call" || type === "tool_result"),
      reason: { code: "recent" },
      messages: [message.id],
    });
  }
  const recalled = recall(state, conversation, draft, told);
  recalled.passages.forEach(add);
  left_out.push(...recalled.left_out);
  const { persistent, volatile } = context.blocks(state, conversation.project_id, brought);
  if (persistent !== null) {
    const reason = { code: "persistent" } as const;
    add({ id: "context:persistent", kind: "persistent_context", role: "system", source: "siltstone", text: persistent, reason });
  }
  if (volatile !== null) {
    const reason = { code: "volatile" } as const;
    add({ id: "context:volatile", kind: "volatile_context", source: "siltstone", text: volatile, reason });
  }
  if (draft || attached.length > 0) {
    const tokens = tokensOf(draft) + attached.reduce((sum, part) => sum + tokensIn(part), 0);
    const reason = { code: "draft" } as const;
    add({ id: "draft", kind: "draft", source: "composer", text: draft, parts: attached, tokens, reason });
  }
  const { provider, model } = chosen(state, conversation);
  const wanted = wishes.carryOut(conversation, sections, left_out);
  const tokens = wanted.reduce((sum, section) => sum + section.tokens, 0);
  const missing_constraints = missing(folded, wanted);
  return { sections: wanted, left_out, tokens, budget: BUDGET, provider, model, missing_constraints, recall: recalled.shares };
}

function fileLink(name: string, line: number): string {
  return `silt:file/${name.split("/").map(encodeURIComponent).join("/")}?line=${line}`;
}

function matches(files: Record<string, string>, question: string) {
  const words = question.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word.length > 1);
  const found: { name: string; line: number; text: string; score: number }[] = [];
  for (const [name, content] of Object.entries(files)) {
    if (memory.isMemory(name)) continue;
    content.split("\n").forEach((text, index) => {
      const score = words.filter((word) => text.toLowerCase().includes(word)).length;
      if (score > 0) found.push({ name, line: index + 1, text: text.trim(), score });
    });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, 3);
}

function offlineAnswer(state: State, conversation: StoredConversation, question: string): string {
  if (state.options.reply) return state.options.reply(question);
  const project = conversation.project_id && state.projects.get(conversation.project_id);
  const files = project ? (state.options.folders?.[project.path]?.files ?? {}) : {};
  const trusted = project && project.trust === "trusted" ? files : {};
  const ko = /[가-힣]/.test(question);
  const quotes = matches(trusted, question).map(
    ({ name, line, text }) => `[${name}:${line}](${fileLink(name, line)})\n\n\`\`\`\n${text}\n\`\`\``,
  );
  const head = ko
    ? `연결된 모델이 없어서 **파일(${Object.keys(trusted).length})**에서 찾은 대로만 인용합니다.`
    : `No model is connected. This quotes what ${Object.keys(trusted).length} files say.`;
  const none = ko ? "맞는 문장을 찾지 못했습니다." : "Nothing in them matches.";
  return [head, ...(quotes.length > 0 ? quotes : [none])].join("\n\n");
}

/** The offline one quotes; a model says what the test or the demo gives it, else the question again. */
function answerTo(state: State, conversation: StoredConversation, provider: string, question: string): string {
  if (provider === "offline") return offlineAnswer(state, conversation, question);
  return state.options.reply?.(question) ?? question;
}

export function send(state: State, request: SendMessage): Sent {
  const { conversation_id: id, text, attachments: hashes } = request;
  const conversation = conversationOf(state, id);
  if (text.trim() === "" && hashes.length === 0) throw failure("bad_request", "the message is empty");
  if (!conversation.open_turn) withinLimit(state, conversation);
  const attachments = take(conversation, hashes);
  context.bring(state, conversation.project_id, request.context);
  conversation.draft = "";
  if (conversation.open_turn) {
    const queued = { id: newId(), text, attachments };
    conversation.queued.push(queued);
    state.emit({ type: "conversation", id });
    return { as: "queued", message_id: queued.id };
  }
  const last = path(conversation).at(-1);
  return ask(state, conversation, last?.id ?? null, text, attachments);
}

function ask(
  state: State,
  conversation: StoredConversation,
  parent_id: string | null,
  text: string,
  attachments: Part[],
  id: string = newId(),
): Sent {
  const request = preview(state, conversation, text, undefined, attachments);
  const turn_id = newId();
  const parts: Part[] = [...attachments, { type: "text", text }];
  const question = add(state, conversation, { id, role: "user", parent_id, turn_id, parts }, text);
  for (const section of request.sections) if (section.kind === "draft") section.messages = [question.id];
  if (conversation.title_source === "unset") {
    conversation.title = text.split("\n")[0]!.slice(0, 60);
    conversation.title_source = "derived";
  }
  return answer(state, conversation, question, turn_id, request);
}

function answer(
  state: State,
  conversation: StoredConversation,
  question: StoredMessage,
  turn_id: string,
  request: RequestView,
): Sent {
  if (conversation.open_turn) throw failure("conflict", "a reply is on its way");
  const reply = add(
    state,
    conversation,
    { role: "assistant", parent_id: question.id, turn_id, status: "streaming", model: request.model },
    "",
  );
  const { provider, model, sections, left_out } = request;
  const opened_at = now(state);
  const common = { conversation_id: conversation.id, reply_id: reply.id, opened_at, tuning: conversation.tuning };
  state.turns.set(turn_id, { id: turn_id, ...common, provider, model, sections, left_out, stopped: false });
  conversation.open_turn = turn_id;
  state.emit({ type: "conversations" }, { type: "conversation", id: conversation.id });
  const text = answerTo(state, conversation, provider, textOf(question));
  void speak(state, conversation, reply, turn_id, text);
  return { as: "asked", turn_id, message_id: question.id, reply_id: reply.id };
}

async function speak(
  state: State,
  conversation: StoredConversation,
  first: StoredMessage,
  turn_id: string,
  text: string,
): Promise<void> {
  let reply = first;
  const turn = state.turns.get(turn_id)!;
  const begun = textOf(reply);
  tell(state, conversation, { type: "started", turn_id, reply_id: reply.id, text: begun, reasoning: "", calls: [] });
  const fault = providers.fault(state, turn.provider);
  if (fault === null || fault.code === "key_refused") egress.leaving(state, turn);
  const words = fault === null ? (text.match(/\s*\S+/g) ?? []) : [];
  if (fault !== null) await pause(state);
  const question = questionOf(conversation, first);
  if (fault === null && begun === "" && state.options.steps) {
    const run = { state, conversation, turn_id, tell: (event: TurnEvent) => tell(state, conversation, event) };
    reply = await carryOut(run, first, state.options.steps(textOf(question)));
  }
  const thought = fault === null && begun === "" ? (state.options.thought?.(textOf(question)) ?? "") : "";
  for (const word of thought.match(/\s*\S+/g) ?? []) {
    await pause(state);
    if (turn.stopped) break;
    const [before] = reply.parts;
    const text = (before?.type === "reasoning" ? before.text : "") + word;
    reply.parts = [{ type: "reasoning", text, seal: null }];
    tell(state, conversation, { type: "reasoning", text: word });
  }
  for (const word of words) {
    await pause(state);
    if (turn.stopped) break;
    const thoughts = reply.parts.filter(({ type }) => type === "reasoning");
    reply.parts = [...thoughts, { type: "text", text: textOf(reply) + word }];
    tell(state, conversation, { type: "text", text: word });
  }
  // What came before a fault is worth continuing; without any text the turn simply failed.
  const cut = turn.stopped || (fault !== null && textOf(reply) !== "");
  reply.status = cut ? "interrupted" : fault !== null ? "failed" : "complete";
  reply.fault = fault;
  reply.tokens = tokensOf(textOf(reply));
  const input_tokens = turn.sections.reduce((sum, section) => sum + section.tokens, 0);
  reply.usage = fault === null ? { input_tokens, output_tokens: reply.tokens, cached_input_tokens: 0, cache_write_tokens: 0, exact: false } : null;
  reply.cost = costOf(reply.usage, spending.priceOf(state, turn.provider, turn.model));
  if (fault === null || cut) wishes.answered(conversation, turn.left_out);
  egress.answered(state, turn, fault === null ? "200" : "401");
  conversation.open_turn = null;
  summaries.turnClosed(state, conversation);
  const { status, usage } = reply;
  tell(state, conversation, { type: "done", reply_id: reply.id, status, usage, fault });
  const next = turn.stopped || fault !== null ? undefined : conversation.queued.shift();
  if (next) ask(state, conversation, path(conversation).at(-1)!.id, next.text, next.attachments, next.id);
  else state.watchers.delete(conversation.id);
  state.emit({ type: "conversations" }, { type: "conversation", id: conversation.id });
}

function withinLimit(state: State, conversation: StoredConversation): void {
  const { provider, model } = chosen(state, conversation);
  spending.withinLimit(state, provider, model);
}

/** Billionths of a dollar, from millionths for a million tokens. */
function costOf(usage: Usage | null, price: Price | null): number | null {
  if (!usage || !price) return null;
  return Math.round((usage.input_tokens * price.input + usage.output_tokens * price.output) / 1000);
}

function tell(state: State, conversation: StoredConversation, event: TurnEvent): void {
  state.watchers.get(conversation.id)?.forEach((watcher) => watcher(event));
}

/** Follows until nothing is on its way. */
export async function watch(
  state: State,
  id: string,
  onEvent: (event: TurnEvent) => void,
): Promise<null> {
  const conversation = conversationOf(state, id);
  if (!conversation.open_turn) return null;
  const turn = state.turns.get(conversation.open_turn)!;
  const reply = conversation.messages.get(turn.reply_id)!;
  onEvent({ type: "started", turn_id: turn.id, reply_id: reply.id, text: textOf(reply), reasoning: "", calls: underWay(state, turn.id) });
  const watchers = state.watchers.get(id) ?? new Set();
  watchers.add(onEvent);
  state.watchers.set(id, watchers);
  while (conversation.open_turn) await pause(state);
  return null;
}

export function stop(state: State, id: string): null {
  const { open_turn } = conversationOf(state, id);
  if (open_turn) state.turns.get(open_turn)!.stopped = true;
  return null;
}

export function edit(state: State, { id, text, attachments: hashes, context: brought }: EditMessage): Sent {
  const [conversation, message] = findMessage(state, id);
  if (message.role !== "user") throw failure("bad_request", "only a person's message can be edited");
  if (conversation.open_turn) throw failure("conflict", "a reply is on its way");
  withinLimit(state, conversation);
  const own = message.parts.filter((part) => hashIn(part) !== null);
  const kept = hashes === null ? own : own.filter((part) => hashes.includes(hashIn(part)!));
  context.bring(state, conversation.project_id, brought);
  const drafted = (hashes ?? []).filter((hash) => !own.some((part) => hashIn(part) === hash));
  return ask(state, conversation, message.parent_id, text, [...kept, ...take(conversation, drafted)]);
}

export function regenerate(state: State, { id, context: brought }: Regenerate): Sent {
  const [conversation, reply] = findMessage(state, id);
  const question = reply.parent_id ? conversation.messages.get(reply.parent_id) : undefined;
  if (!question || reply.role !== "assistant") throw failure("bad_request", "not a reply");
  show(conversation, question);
  context.bring(state, conversation.project_id, brought);
  const turn = reply.turn_id ? state.turns.get(reply.turn_id) : undefined;
  const request = preview(state, conversation, "");
  const sections = turn?.sections ?? request.sections;
  return answer(state, conversation, question, newId(), { ...request, sections });
}

export function continueReply(state: State, id: string): Sent {
  const [conversation, reply] = findMessage(state, id);
  if (reply.status !== "interrupted") throw failure("conflict", "the reply is complete");
  const turn = reply.turn_id ? state.turns.get(reply.turn_id) : undefined;
  if (!turn || !reply.parent_id) throw failure("bad_request", "not a reply");
  const question = questionOf(conversation, reply);
  const whole = answerTo(state, conversation, turn.provider, textOf(question));
  const begun = textOf(reply);
  turn.stopped = false;
  reply.status = "streaming";
  conversation.open_turn = turn.id;
  state.emit({ type: "conversation", id: conversation.id });
  void speak(state, conversation, reply, turn.id, whole.slice(begun.length));
  return { as: "asked", turn_id: turn.id, message_id: question.id, reply_id: reply.id };
}

/** What a reply answers; its turn may have had replies before it. */
function questionOf(conversation: StoredConversation, reply: StoredMessage): StoredMessage {
  let at = conversation.messages.get(reply.parent_id!)!;
  while (at.role !== "user") at = conversation.messages.get(at.parent_id!)!;
  return at;
}

const STATUS = { streaming: "open", complete: "completed", interrupted: "interrupted", failed: "failed" } as const;

export function sentRequest(state: State, id: string): SentRequestView {
  const turn = state.turns.get(id);
  if (!turn) throw failure("not_found", `turn ${id}`);
  const conversation = conversationOf(state, turn.conversation_id);
  const reply = conversation.messages.get(turn.reply_id)!;
  const open = conversation.open_turn === id;
  return {
    turn_id: id,
    status: open ? "open" : STATUS[reply.status],
    opened_at: turn.opened_at,
    provider: turn.provider,
    model: turn.model,
    usage: reply.usage,
    tuning: turn.tuning,
    egress: egress.lastOf(state, id),
    sections: turn.sections.map(({ id, kind, source, link, tokens, exact, reason, pinned, messages, turns, redacted, text, parts }) => ({
      section: { id, kind, source, link, tokens, exact, reason, pinned, messages, turns, redacted, hash: "", attached: parts },
      text,
      changed_since: false,
    })),
    left_out: turn.left_out,
    tokens: turn.sections.reduce((sum, section) => sum + section.tokens, 0),
    budget: BUDGET,
  };
}

/** As the turn was sent, with what is known of this one call. */
export function sentCall(state: State, id: string, node: string): SentRequestView {
  const made = state.tools.nodes.get(id)?.find((one) => one.id === node);
  if (made?.kind !== "model") throw failure("not_found", `call ${node}`);
  return { ...sentRequest(state, id), model: made.model, usage: made.usage, opened_at: made.started_at };
}
