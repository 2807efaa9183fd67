// The search over everything of the fake: each kind from where the fake keeps it; every word must be in the text.
import type { Filter, Find, Found, FoundEverywhere, FoundKind } from "../bindings";
import { isMemory } from "./memory";
import { textOf, type State } from "./state";

type Thing = Omit<Found, "snippet"> & { text: string };

const ORDER: readonly FoundKind[] = ["message", "tool_result", "summary", "decision", "memory", "file", "checkpoint"];
const NOWHERE = { project_id: null, conversation_id: null, message_id: null, role: null, at: null };

export function find(state: State, { query, filter, limit }: Find): FoundEverywhere {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return { groups: [] };
  const matching = things(state).filter(
    (thing) => takes(filter, thing) && words.every((word) => thing.text.toLowerCase().includes(word)),
  );
  const groups = ORDER.flatMap((kind) => {
    const all = matching.filter((thing) => thing.kind === kind);
    all.sort((a, b) => (b.at ?? "").localeCompare(a.at ?? ""));
    const found = all.slice(0, Math.min(limit, 100)).map((thing) => hit(thing, words[0]!));
    return all.length === 0 ? [] : [{ kind, found, total: all.length, capped: false }];
  });
  return { groups };
}

function takes({ project_id, conversation_id, kinds, role, from, before }: Filter, thing: Thing): boolean {
  return (
    (project_id === null || thing.project_id === project_id) &&
    (conversation_id === null || thing.conversation_id === conversation_id) &&
    (kinds.length === 0 || kinds.includes(thing.kind)) &&
    (role === null || thing.role === role) &&
    (from === null || (thing.at !== null && thing.at >= from)) &&
    (before === null || (thing.at !== null && thing.at < before))
  );
}

function hit({ text, ...found }: Thing, word: string): Found {
  const at = text.toLowerCase().indexOf(word);
  const from = Math.max(0, at - 40);
  const snippet = [
    { text: (from > 0 ? "…" : "") + text.slice(from, at), hit: false },
    { text: text.slice(at, at + word.length), hit: true },
    { text: text.slice(at + word.length, at + word.length + 80), hit: false },
  ];
  return { ...found, snippet: snippet.filter((part) => part.text !== "") };
}

function things(state: State): Thing[] {
  return [...said(state), ...decided(state), ...remembered(state), ...written(state), ...kept(state)];
}

function said(state: State): Thing[] {
  const open = [...state.conversations.values()].filter(({ deleted_at }) => deleted_at === null);
  return open.flatMap(({ id, project_id, title, messages, summaries }) => {
    const from = { ...NOWHERE, title, project_id, conversation_id: id };
    const spoken = [...messages.values()].flatMap((message): Thing[] => {
      const place = { ...from, message_id: message.id, link: `silt:message/${message.id}`, at: message.created_at };
      const results = message.parts.flatMap((part): Thing[] =>
        part.type === "tool_result" ? [{ ...place, kind: "tool_result", role: "tool", text: part.text }] : [],
      );
      return [{ ...place, kind: "message", role: message.role, text: textOf(message) }, ...results];
    });
    const folded = summaries.map((summary): Thing => ({
      ...from,
      kind: "summary",
      link: `silt:summary/${summary.id}`,
      text: summary.summary,
      at: summary.created_at,
    }));
    return [...spoken, ...folded];
  });
}

function decided(state: State): Thing[] {
  return [...state.sessions].flatMap(([project_id, { workflow }]) =>
    workflow.decisions.map(({ id, text, at }): Thing => ({
      ...NOWHERE,
      kind: "decision",
      title: "",
      link: `silt:decision/${id}`,
      project_id,
      text,
      at: at ?? null,
    })),
  );
}

function remembered(state: State): Thing[] {
  return state.memory.lines.map(({ id, text, project_id, conversation_id }): Thing => ({
    ...NOWHERE,
    kind: "memory",
    title: "",
    link: `silt:memory-line/${id}`,
    project_id,
    conversation_id,
    text,
  }));
}

/** Lines of the files of trusted projects, memory files among them. */
function written(state: State): Thing[] {
  const trusted = [...state.projects.values()].filter(({ trust }) => trust === "trusted");
  return trusted.flatMap(({ id, path: root }) =>
    Object.entries(state.options.folders?.[root]?.files ?? {}).flatMap(([path, text]) => {
      const kind = isMemory(path) ? ("memory" as const) : ("file" as const);
      const link = (line: number) => `silt:${kind}/${path.split("/").map(encodeURIComponent).join("/")}?line=${line}`;
      const lines = text.split("\n");
      return lines.map((line, at): Thing => ({ ...NOWHERE, kind, title: path, link: link(at + 1), project_id: id, text: line }));
    }),
  );
}

function kept(state: State): Thing[] {
  return state.checkpoints.stored.map(({ project_id, item }): Thing => ({
    ...NOWHERE,
    kind: "checkpoint",
    title: item.tag ?? "",
    link: `silt:checkpoint/${item.id}`,
    project_id,
    conversation_id: item.conversation_id,
    text: item.tag ?? "",
    at: item.created_at,
  }));
}
