// Conversations as trees: the shown path, siblings, paging, list, search, trash, export, import.
import type {
  ConversationDetail,
  ConversationItem,
  ConversationPage,
  ExportedText,
  ExportFormat,
  Located,
  MessageItem,
  Role,
  Search,
  SearchHits,
  Spent,
} from "../bindings";
import { knownModel } from "./providers";
import {
  chosen,
  conversationOf,
  failure,
  findMessage,
  newId,
  now,
  textOf,
  tokensOf,
  type State,
  type StoredConversation,
  type StoredMessage,
} from "./state";

/** In the place of a chosen child: the path ends here. */
export const NOTHING = "";

export function children(conversation: StoredConversation, parent: string | null) {
  return [...conversation.messages.values()].filter((m) => m.parent_id === parent);
}

export function path(conversation: StoredConversation): MessageItem[] {
  const out: MessageItem[] = [];
  let parent: string | null = null;
  for (;;) {
    const siblings = children(conversation, parent);
    if (siblings.length === 0) return out;
    const chosen = conversation.chosen.get(parent ?? "");
    if (chosen === NOTHING) return out;
    const position = Math.max(0, siblings.findIndex((m) => m.id === chosen));
    const shown: StoredMessage = siblings[chosen ? position : siblings.length - 1]!;
    out.push({
      ...shown,
      index: out.length,
      siblings: { position: siblings.indexOf(shown), ids: siblings.map((m) => m.id) },
    });
    parent = shown.id;
  }
}

export function add(
  state: State,
  conversation: StoredConversation,
  message: Partial<StoredMessage> & { role: Role; parent_id: string | null },
  text: string,
): StoredMessage {
  const stored: StoredMessage = {
    id: newId(),
    turn_id: null,
    parts: [{ type: "text", text }],
    status: "complete",
    model: null,
    tokens: tokensOf(text),
    created_at: now(state),
    usage: null,
    cost: null,
    fault: null,
    ...message,
  };
  conversation.messages.set(stored.id, stored);
  conversation.chosen.set(stored.parent_id ?? "", stored.id);
  conversation.updated_at = stored.created_at;
  return stored;
}

export function create(state: State, project_id: string | null): StoredConversation {
  if (project_id && !state.projects.has(project_id)) throw failure("not_found", project_id);
  const conversation: StoredConversation = {
    id: newId(),
    project_id,
    title: "",
    title_source: "unset",
    pinned: false,
    deleted_at: null,
    updated_at: now(state),
    draft: "",
    attachments: [],
    tuning: { instructions: "", temperature: null, max_output_tokens: null, effort: null },
    folding: { policy: null, rate: null },
    wishes: new Map(),
    summaries: [],
    candidates: [],
    trying: false,
    writing: "",
    queued: [],
    choice: null,
    open_turn: null,
    chosen: new Map(),
    messages: new Map(),
  };
  state.conversations.set(conversation.id, conversation);
  state.emit({ type: "conversations" });
  return conversation;
}

export function item(conversation: StoredConversation): ConversationItem {
  const { id, project_id, title, title_source, pinned, deleted_at, updated_at } = conversation;
  const message_count = path(conversation).length;
  return { id, project_id, title, title_source, pinned, deleted_at, updated_at, message_count };
}

export function list(state: State, project_id: string | null, trashed: boolean) {
  return [...state.conversations.values()]
    .filter((c) => (c.deleted_at !== null) === trashed)
    .filter((c) => project_id === null || c.project_id === project_id)
    .map(item)
    .sort(
      (a, b) => Number(b.pinned) - Number(a.pinned) || b.updated_at.localeCompare(a.updated_at),
    );
}

export function detail(state: State, id: string): ConversationDetail {
  const c = conversationOf(state, id);
  const { provider, model } = chosen(state, c);
  const known = knownModel(state, provider, model);
  return {
    item: item(c),
    draft: c.draft,
    attachments: c.attachments,
    tuning: c.tuning,
    takes_images: known?.takes_images ?? null,
    takes_files: known?.takes_files ?? null,
    spent: spent(c),
    queued: [...c.queued],
    provider,
    model,
    follows_default: c.choice === null,
    open_turn: c.open_turn,
  };
}

function spent(conversation: StoredConversation): Spent {
  const total: Spent = { cost: 0, input_tokens: 0, output_tokens: 0, unpriced_turns: 0 };
  for (const { usage, cost } of conversation.messages.values()) {
    if (!usage) continue;
    total.input_tokens += usage.input_tokens;
    total.output_tokens += usage.output_tokens;
    total.cost += cost ?? 0;
    if (cost === null) total.unpriced_turns += 1;
  }
  return total;
}

export function page(state: State, id: string, start: number | null, limit: number): ConversationPage {
  const all = path(conversationOf(state, id));
  const most = Math.min(limit, 200);
  const from = start ?? Math.max(0, all.length - most);
  return { messages: all.slice(from, from + most), start: from, total: all.length };
}

/** Chooses every step from the root to the message, so that the path leads through it. */
export function show(conversation: StoredConversation, message: StoredMessage): void {
  let at: StoredMessage | undefined = message;
  while (at) {
    conversation.chosen.set(at.parent_id ?? "", at.id);
    at = at.parent_id ? conversation.messages.get(at.parent_id) : undefined;
  }
}

export function locate(state: State, id: string): Located {
  const [conversation, message] = findMessage(state, id);
  const before = path(conversation).findIndex((m) => m.id === id);
  if (before >= 0) return { conversation_id: conversation.id, index: before };
  show(conversation, message);
  state.emit({ type: "conversation", id: conversation.id });
  const index = path(conversation).findIndex((m) => m.id === id);
  return { conversation_id: conversation.id, index };
}

export function search(state: State, { query, scope, limit }: Search): SearchHits {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits: SearchHits["hits"] = [];
  if (words.length === 0) return { hits, total: 0, capped: false };
  for (const conversation of state.conversations.values()) {
    if (conversation.deleted_at) continue;
    if (scope.project_id && conversation.project_id !== scope.project_id) continue;
    if (scope.conversation_id && conversation.id !== scope.conversation_id) continue;
    for (const message of conversation.messages.values()) {
      const text = textOf(message);
      const lower = text.toLowerCase();
      if (!words.every((word) => lower.includes(word))) continue;
      hits.push({
        conversation_id: conversation.id,
        title: conversation.title,
        message_id: message.id,
        role: message.role,
        snippet: snippet(text, lower.indexOf(words[0]!), words[0]!.length),
        created_at: message.created_at,
      });
    }
  }
  hits.sort((a, b) => b.created_at.localeCompare(a.created_at));
  return { hits: hits.slice(0, Math.min(limit, 100)), total: hits.length, capped: false };
}

function snippet(text: string, at: number, length: number) {
  const from = Math.max(0, at - 40);
  return [
    { text: (from > 0 ? "…" : "") + text.slice(from, at), hit: false },
    { text: text.slice(at, at + length), hit: true },
    { text: text.slice(at + length, at + length + 80), hit: false },
  ].filter((part) => part.text !== "");
}

export function exported(state: State, id: string, format: ExportFormat): ExportedText {
  const conversation = conversationOf(state, id);
  const messages = path(conversation).map((m) => ({ role: m.role, text: textOf(m) }));
  const name = conversation.title || "conversation";
  if (format === "markdown") {
    const text = messages.map((m) => `## ${m.role}\n\n${m.text}\n`).join("\n");
    return { name: `${name}.md`, text: `# ${name}\n\n${text}` };
  }
  if (format === "json") {
    return { name: `${name}.json`, text: JSON.stringify({ title: name, messages }, null, 2) };
  }
  return { name: `${name}.jsonl`, text: messages.map((m) => JSON.stringify(m)).join("\n") };
}

export function imported(state: State, text: string, name: string, project_id: string | null) {
  let parsed: { title?: string; messages?: { role: Role; text: string }[] };
  try {
    parsed = JSON.parse(text);
  } catch {
    throw failure("import_unreadable", name);
  }
  if (!Array.isArray(parsed.messages)) throw failure("import_unreadable", name);
  const conversation = create(state, project_id);
  conversation.title = parsed.title ?? name;
  conversation.title_source = "derived";
  let parent_id: string | null = null;
  for (const message of parsed.messages) {
    parent_id = add(state, conversation, { role: message.role, parent_id }, message.text).id;
  }
  return item(conversation);
}
