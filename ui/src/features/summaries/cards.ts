// Summaries as cards: one for each stretch, with its versions and what is being made or has failed there. Pure.
import type { Summary, SummaryPanel } from "@/ipc";

export type { Summary };

export interface Card {
  key: string;
  /** The version that is in use, else the newest; null while there is none. */
  current: Summary | null;
  /** Whether `current` stands for its messages on the shown path. */
  inUse: boolean;
  /** What was made, newest version first. */
  versions: Summary[];
  making: Summary | null;
  /** The last try, when it failed. */
  failed: Summary | null;
}

export interface Cards {
  /** In use, being made, or missing because it failed; newest place first. */
  here: Card[];
  /** Of stretches that another summary stands for now. */
  replaced: Card[];
}

export function cardsOf({ records, shown }: Pick<SummaryPanel, "records" | "shown">): Cards {
  const places = new Map<string, Summary[]>();
  for (const record of records) {
    const key = `${record.policy} ${record.level} ${record.coverage.start}`;
    places.set(key, [...(places.get(key) ?? []), record]);
  }
  const inUse = new Set(shown);
  const end = Math.max(0, ...records.filter(({ id }) => inUse.has(id)).map(endOf));
  const cards: Cards = { here: [], replaced: [] };
  for (const [key, all] of places) {
    const card = cardOf(key, all, inUse);
    const awaited = card.failed !== null && card.failed.coverage.start >= end;
    (card.inUse || card.making || awaited ? cards.here : cards.replaced).push(card);
  }
  const place = ({ current, making, failed }: Card) => (current ?? making ?? failed)!.coverage.start;
  cards.here.sort((a, b) => place(b) - place(a));
  cards.replaced.sort((a, b) => place(b) - place(a));
  return cards;
}

function cardOf(key: string, all: readonly Summary[], inUse: ReadonlySet<string>): Card {
  const newestFirst = all.toSorted((a, b) => b.version - a.version);
  const versions = newestFirst.filter(({ status }) => status === "COMPLETED");
  const used = versions.find(({ id }) => inUse.has(id));
  const ended = newestFirst.find(({ status }) => status !== "IN_PROGRESS");
  return {
    key,
    current: used ?? versions[0] ?? null,
    inUse: used !== undefined,
    versions,
    making: newestFirst.find(({ status }) => status === "IN_PROGRESS") ?? null,
    failed: ended?.status === "FAILED" ? ended : null,
  };
}

/** Index of the first message after the stretch. */
export function endOf({ coverage: { start, count } }: Pick<Summary, "coverage">): number {
  return start + count;
}

/** Characters of a summary that its closed card shows: what two or three lines have room for. */
const BEGINNING = 80;

/** How a summary begins, on one line and without Markdown's marks; cut between words where there are any. */
export function beginningOf(summary: string): string {
  const line = summary.replace(/\*\*|`|^\s*(?:[-*>#]+\s)+/gm, "").replace(/\s+/g, " ").trim();
  const start = [...line].slice(0, BEGINNING).join("");
  if (start === line) return line;
  const word = start.lastIndexOf(" ");
  return `${word > start.length / 2 ? start.slice(0, word) : start}…`;
}

/** The row of its line in the conversation; the same over all versions of it. */
export function foldKey({ coverage: { start, last } }: Pick<Summary, "coverage">): string {
  return `fold ${start} ${last}`;
}

/** Characters of a summary at a rate: `int(original_chars * rate)` (seed 003, summary length). */
export function targetOf(originalChars: number, rate: number): number {
  return Math.trunc(originalChars * rate);
}

/** What a summary saves of its original, in percent; negative when it is longer. */
export function savedPercent(originalChars: number, summaryChars: number): number {
  return originalChars === 0 ? 0 : Math.round((1 - summaryChars / originalChars) * 100);
}

/** Characters as the engine counts them: code points, not units of UTF-16. */
export function charsOf(text: string): number {
  return [...text].length;
}
