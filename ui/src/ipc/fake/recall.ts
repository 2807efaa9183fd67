// Recall of the fake: messages that are not in the request word for word and share words with the draft, and where the
// room for earlier messages goes.
import type { LeftOut, MessageItem, Section, Shares } from "../bindings";
import { BUDGET, textOf, tokensOf, type State, type StoredConversation, type StoredMessage } from "./state";
import { path } from "./tree";

const MOST = 4;
const PERCENT = 25;

type Passage = Pick<Section, "id" | "kind" | "source" | "text" | "reason" | "link" | "messages">;

export interface Recalled {
  passages: Passage[];
  left_out: LeftOut[];
  /** Null where nothing is recalled. */
  shares: Shares | null;
}

export function recall(state: State, conversation: StoredConversation, draft: string, told: readonly MessageItem[]): Recalled {
  const { summary } = state.settings;
  const { on, scope, share } = conversation.folding.recall ?? summary.recall;
  if (!summary.enabled || !(on ?? !summary.strict)) return { passages: [], left_out: [], shares: null };
  const words = draft.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word.length > 2);
  const others = [...state.conversations.values()].filter(
    (other) =>
      scope === "project" &&
      other !== conversation &&
      other.deleted_at === null &&
      other.project_id !== null &&
      other.project_id === conversation.project_id,
  );
  const candidates: [StoredConversation, StoredMessage][] = [
    ...told.map((message): [StoredConversation, StoredMessage] => [conversation, message]),
    ...others.flatMap((other) => path(other).map((message): [StoredConversation, StoredMessage] => [other, message])),
  ];
  const wished = (message: StoredMessage) => conversation.wishes.get(`recall:${message.id}`);
  const scored = candidates.map(([of, message]) => {
    const text = textOf(message).toLowerCase();
    const worth = words.length === 0 ? 0 : Math.round((100 * words.filter((word) => text.includes(word)).length) / words.length);
    return { of, message, worth };
  });
  const rejected = scored.filter(({ message }) => wished(message) === "left_out");
  const wanted = scored.filter(({ message, worth }) => wished(message) !== "left_out" && (worth > 0 || wished(message) === "pinned"));
  wanted.sort((a, b) => b.worth - a.worth);
  const passages = wanted.slice(0, MOST).map(({ of, message, worth }, index): Passage => ({
    id: `recall:${message.id}`,
    kind: "passage",
    source: sourceOf(of, message),
    link: `silt:message/${message.id}`,
    text: `[Said on ${message.created_at.slice(0, 10)} by the ${message.role === "user" ? "user" : "model"}]\n${textOf(message)}`,
    reason: { code: "recalled", rank: index + 1, worth, cut: null },
    messages: [message.id],
  }));
  const room = BUDGET / 2;
  const shares: Shares = {
    room,
    percent: share ?? (passages.length > 0 ? PERCENT : 0),
    why: share !== null ? "fixed" : passages.length > 0 ? "related" : "unrelated",
    recalled: passages.reduce((sum, { text }) => sum + tokensOf(text), 0),
    summaries: 0,
    turns: path(conversation).filter((message) => !told.includes(message)).reduce((sum, { tokens }) => sum + tokens, 0),
  };
  const left_out = rejected.map(({ of, message }): LeftOut => ({
    id: `recall:${message.id}`,
    source: sourceOf(of, message),
    tokens: message.tokens,
    why: "by_you",
  }));
  return { passages, left_out, shares };
}

function sourceOf({ title }: StoredConversation, { created_at }: StoredMessage): string {
  return `${title} · ${created_at.slice(0, 10)}`;
}
