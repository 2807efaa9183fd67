// Folds with receipts: what a summary keeps of its messages and leaves behind, by a few rules in place of the engine's
// many. Constraints that the summary does not say always go with it; a line rests on the messages of its marks (`[m1]`).
import type {
  FactCategory,
  FoldCheck,
  FoldPreview,
  FoldRetention,
  KeptFact,
  LeftBehind,
  MessageItem,
  Receipt,
  RequestView,
  Summary,
  SummaryLine,
} from "../bindings";
import { failure, textOf, tokensOf } from "./state";

export const NOTHING: Receipt = { lines: [], kept: [], dropped: [], constraints: [], retention: null };

/** The weightiest first. A rule is sought once a sentence, or a long text without one would take for ever. */
const RULES: readonly [FactCategory, RegExp][] = [
  ["constraint", /(?<![^.!?\n])[^.!?\n]*(?:\bmust\b|\bnever\b|반드시|절대)[^.!?\n]*[.!?]?/giu],
  ["path", /(?:[\w-]+\/)+[\w-]+\.\w+/gu],
  ["number", /\p{L}+ \d[\d,.]*\d/gu],
];

/** What messages say, each thing once. */
function factsOf(messages: readonly MessageItem[]): LeftBehind[] {
  const facts = new Map<string, LeftBehind>();
  for (const [category, rule] of RULES) {
    for (const message of messages) {
      for (const found of textOf(message).matchAll(rule)) {
        const text = found[0].trim();
        const known = facts.get(text);
        const start = bytesOf(textOf(message).slice(0, found.index + found[0].indexOf(text)));
        const span = { start, end: start + bytesOf(text) };
        if (!known) facts.set(text, { text, category, message: message.id, span, used_again: false });
        else if (known.message !== message.id) known.used_again = true;
      }
    }
  }
  return [...facts.values()];
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** The summary as a model reads it. */
export function toldText({ summary, receipt }: Pick<Summary, "summary" | "receipt">): string {
  if (receipt.kept.length === 0) return summary;
  return `${summary}\nKept facts:\n${receipt.kept.map(({ text }) => `- ${text}`).join("\n")}`;
}

const MARK = /\s*\[m(\d+)\]/g;

/** What a model wrote, as it is told: without marks. */
export function unmarked(text: string): string {
  return text.replace(MARK, "");
}

/** The receipt of a text, with its marks; facts that the person kept stay kept. */
export function receiptOf(marked: string, messages: readonly MessageItem[], before: Receipt = NOTHING): Receipt {
  const summary = unmarked(marked);
  const facts = factsOf(messages).filter(({ text }) => !before.dropped.includes(text));
  const rules = facts.filter(({ category }) => category === "constraint");
  const asked = before.kept.filter(({ by }) => by === "person");
  const must = rules.filter(({ text }) => !summary.includes(text) && asked.every((fact) => fact.text !== text));
  const kept = [...asked, ...must.map((fact) => keptOf(fact, "gate"))];
  const lines = marked.split("\n").filter((line) => line.trim() !== "");
  const receipt: Receipt = {
    lines: lines.map((line) => lineOf(line, messages, before.lines)),
    kept,
    dropped: before.dropped,
    constraints: rules.map(({ text }) => text),
    retention: null,
  };
  return { ...receipt, retention: retention(toldText({ summary, receipt }), messages) };
}

const keptOf = ({ text, category, message, span }: LeftBehind, by: KeptFact["by"]): KeptFact => ({
  text,
  category,
  message,
  span,
  by,
});

/** A line claims its figures; those that none of its messages has are unsupported. */
function lineOf(line: string, messages: readonly MessageItem[], before: readonly SummaryLine[]): SummaryLine {
  const text = unmarked(line);
  const marked = [...line.matchAll(MARK)].flatMap(([, place]) => messages[Number(place) - 1]?.id ?? []);
  const sources = marked.length > 0 ? marked : (before.find((known) => known.text === text)?.sources ?? []);
  const cited = messages.filter(({ id }) => sources.length === 0 || sources.includes(id));
  const said = cited.map(textOf).join("\n");
  const claims = [...text.matchAll(/\d[\d,.]*\d|\d/gu)].filter(([figure]) => !said.includes(figure));
  const unsupported = claims.map((claim) => {
    const start = bytesOf(text.slice(0, claim.index));
    return { start, end: start + bytesOf(claim[0]) };
  });
  return { text, sources, unsupported };
}

function retention(told: string, messages: readonly MessageItem[]): FoldRetention {
  const shares = RULES.map(([category]) => {
    const facts = factsOf(messages).filter((fact) => fact.category === category);
    return { category, in_source: facts.length, kept: facts.filter(({ text }) => told.includes(text)).length };
  });
  return { shares: shares.filter(({ in_source }) => in_source > 0) };
}

export function check(record: Summary, messages: readonly MessageItem[]): FoldCheck {
  const told = toldText(record);
  const { shares } = retention(told, messages);
  const lost = shares.filter(({ in_source, kept }) => kept * 2 < in_source).map(({ category }) => category);
  const { dropped, lines } = record.receipt;
  return {
    id: record.id,
    gate: lost.length === 0 ? { verdict: "pass" } : { verdict: "soft", lost },
    retention: { shares },
    left_behind: factsOf(messages).filter(({ text }) => !told.includes(text) && !dropped.includes(text)),
    unsupported: lines.filter(({ unsupported }) => unsupported.length > 0),
    tokens: {
      source: record.covered_token_count,
      summary: tokensOf(record.summary),
      kept_facts: tokensOf(told.slice(record.summary.length)),
    },
  };
}

/** The receipt with a fact more, or with one less. */
export function keeping(record: Summary, messages: readonly MessageItem[], text: string, keep: boolean): Receipt {
  const { kept, dropped } = record.receipt;
  const fact = factsOf(messages).find((fact) => fact.text === text);
  const others = kept.filter((fact) => fact.text !== text);
  if (keep ? !fact : others.length === kept.length) throw failure("bad_request", text);
  const receipt: Receipt = {
    ...record.receipt,
    kept: keep ? [...others, keptOf(fact!, "person")] : others,
    dropped: keep ? dropped.filter((it) => it !== text) : [...dropped, text],
  };
  return { ...receipt, retention: retention(toldText({ ...record, receipt }), messages) };
}

/** Rules in force that a request does not say. */
export function missing(told: readonly Summary[], sections: RequestView["sections"]): RequestView["missing_constraints"] {
  const rules = told.flatMap(({ id, receipt }) => receipt.constraints.map((text) => ({ text, section: `summary:${id}` })));
  return rules.filter(({ text }) => !sections.some((section) => section.text.includes(text)));
}

/** A fold beside the request without it. */
export function preview(candidate: Summary, messages: readonly MessageItem[], view: RequestView): FoldPreview {
  const checked = check(candidate, messages);
  const { summary, kept_facts, source } = checked.tokens;
  const tokens_after = view.tokens - source + summary + kept_facts;
  return {
    candidate,
    check: checked,
    tokens_before: view.tokens,
    tokens_after,
    reread_tokens: tokens_after,
    reread_cost: null,
    missing_constraints: [],
  };
}
