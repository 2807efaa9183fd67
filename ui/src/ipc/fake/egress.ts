// What left the fake: one record for each question that a server got to see, with a body as a provider gets it.
import type { EgressItem, ListEgress, SentBody } from "../bindings";
import { isLocal } from "./keys";
import { failure, now, type State, type StoredTurn } from "./state";

export interface StoredRequest extends EgressItem {
  body: string;
}

const PATHS = { anthropic: "/messages", ollama: "/api/chat", openai: "/chat/completions", offline: "", gemini: "" };

/** Writes a question down. */
export function leaving(state: State, turn: StoredTurn): void {
  const provider = state.providers.find(({ name }) => name === turn.provider);
  if (!provider || provider.kind === "offline") return;
  const messages = turn.sections.map(({ role, text }) => ({ role, content: text }));
  const body = JSON.stringify({ model: turn.model, stream: true, messages });
  const { base_url, kind } = provider;
  const url = base_url + (kind === "gemini" ? `/models/${turn.model}:streamGenerateContent` : PATHS[kind]);
  state.egress.push({
    seq: (state.egress.at(-1)?.seq ?? 0) + 1,
    at: now(state),
    turn_id: turn.id,
    conversation_id: turn.conversation_id,
    provider: provider.name,
    method: "POST",
    url,
    home: isLocal(base_url),
    size: new Blob([body]).size,
    hash: "5d".repeat(32),
    answer: null,
    body_kept: true,
    body,
  });
}

export function answered(state: State, turn: StoredTurn, answer: string): void {
  const last = state.egress.findLast(({ turn_id }) => turn_id === turn.id);
  if (last) last.answer = answer;
}

export function list(state: State, { before, limit, away_only }: ListEgress): EgressItem[] {
  return state.egress
    .filter(({ seq, home }) => (before === null || seq < before) && !(away_only && home))
    .toReversed()
    .slice(0, limit);
}

export function body(state: State, wanted: number): SentBody {
  const found = state.egress.find(({ seq }) => seq === wanted);
  if (!found?.body_kept) throw failure("not_found", `body of request ${wanted}`);
  const { method, url, body, hash } = found;
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["authorization", "Bearer $KEY"],
  ];
  const curl = `printf %s '${body.replaceAll("'", "'\\''")}' | curl -X '${method}' '${url}' \\\n  -H 'authorization: Bearer '"$KEY" \\\n  --data-binary @-`;
  return { method, url, headers, body, hash, curl };
}

export function lastOf(state: State, turn: string): number | null {
  return state.egress.findLast(({ turn_id, body_kept }) => turn_id === turn && body_kept)?.seq ?? null;
}
