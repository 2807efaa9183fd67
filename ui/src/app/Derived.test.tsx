// What a window says of the next request, for requests of chance: every number, bar, chip and row follows from the sections
// of the one value, in both languages, whatever was shown before.
import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ContextBar, MissingRules, OthersAsked, RequestLine } from "@/features/context";
import { GROUPS, groupOf, partsOf } from "@/features/context/line";
import { RequestTab } from "@/features/context/RequestTab";
import { blocksOf, isRecalled } from "@/features/context/view";
import { setTransport, type ConversationDetail, type ConversationItem, type FoldDistance, type LeftOut, type LeftOutWhy, type Reason, type RequestView, type Section, type SectionKind, type SummaryPanel } from "@/ipc";
import { createQueryClient, queries } from "@/ipc/queries";
import { formatNumber, formatTokens, i18n, setLanguage } from "@/shared/i18n";
import { chance } from "@/test/chance";
import { startAfresh } from "@/test/journey";

startAfresh();

const STATES = 80;

/** Longer than a machine takes that is busy with other things. */
const PATIENCE = 300_000;

const NEVER = new Promise<never>(() => {});

type Below = ReturnType<typeof chance>;

const ORDER: readonly SectionKind[] = ["instructions", "tools", "memory", "persistent_context", "plan", "summary", "turn", "passage", "volatile_context", "draft"];

const WHYS: readonly LeftOutWhy[] = ["no_room", "untrusted", "duplicate", "not_taken", "summarised", "by_you", "unreadable", "off", "small_talk", "no_tools"];

/** A request that goes alone is without everything else for this reason. */
const ALONE: LeftOutWhy = "agent_command";

const reasonOf = (kind: SectionKind, below: Below): Reason => {
  switch (kind) {
    case "memory":
      return { code: "memory", layer: "project", why: { code: "always" } };
    case "summary":
      return below(3) === 0 ? { code: "key_sentences", messages: 1 + below(40) } : { code: "summary", version: 1 + below(4) };
    case "turn":
      return below(5) === 0 ? { code: "shortened", chars: below(9000) } : { code: "recent" };
    case "passage":
      if (below(4) === 0) return { code: "standing", cut: null };
      return below(2) === 0 ? { code: "recalled", rank: 1 + below(8), worth: below(100), by_meaning: below(2) === 0, cut: null, otherwise: null } : { code: "mentioned", lines: null };
    case "draft":
      return { code: "draft" };
    default:
      return { code: "base" };
  }
};

function sectionOf(kind: SectionKind, at: number, below: Below): Section {
  const reason = reasonOf(kind, below);
  const recalled = reason.code === "recalled" || reason.code === "standing";
  return {
    id: recalled ? `recall:${at}` : `${kind}:${at}`,
    kind,
    role: "user",
    source: recalled ? `The port · 2026-11-${10 + below(15)}` : `source ${at}`,
    link: null,
    text: `Text ${at}`,
    parts: [],
    tokens: below(below(2) === 0 ? 90 : 9_000),
    exact: below(4) !== 0,
    reason,
    pinned: below(8) === 0,
    messages: kind === "turn" ? [`m${at}`] : [],
    turns: kind === "turn" && below(2) === 0 ? { first: at, last: at } : null,
    redacted: [],
  };
}

const sum = (pieces: readonly { tokens: number }[]) => pieces.reduce((all, { tokens }) => all + tokens, 0);

function viewOf(below: Below): RequestView {
  const kinds = Array.from({ length: below(24) }, () => ORDER[below(ORDER.length - 1)]!);
  if (below(2) === 0) kinds.push("draft");
  kinds.sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const sections = kinds.map((kind, at) => sectionOf(kind, at, below));
  const left = (): LeftOut => ({
    id: below(2) === 0 ? `memory:${below(3)}` : null,
    source: below(3) === 0 ? `conversation (${1 + below(30)})` : `picture-${below(3)}.png`,
    tokens: below(3_000),
    why: WHYS[below(WHYS.length)]!,
    worth: null,
  });
  const left_out = Array.from({ length: below(9) }, left);
  if (below(5) === 0) left_out.push({ ...left(), why: ALONE });
  const place = Array.from({ length: 1 + below(2) }, (_, at) => sectionOf("plan", 100 + at, below));
  const of = (kind: SectionKind) => sum(sections.filter((section) => section.kind === kind));
  const recalled = sum(sections.filter(isRecalled));
  return {
    sections,
    left_out,
    tokens: sum(sections),
    budget: below(6) === 0 ? below(2_000) : 20_000 + below(200_000),
    window: 1_024 + below(300_000),
    looks_up: below(2) === 0,
    mode: below(3) === 0 ? "plan" : null,
    window_source: (["known", "assumed", "person"] as const)[below(3)]!,
    needed: null,
    provider: "work",
    model: "small",
    missing_constraints: Array.from({ length: below(4) }, (_, at) => ({ section: `memory:${at}`, text: `Never close pier ${at % 2}` })),
    missing_more: below(3) === 0 ? 1 + below(900) : 0,
    recall: below(2) === 0 ? null : { room: 9_000, percent: 40, why: "related", recalled, summaries: of("summary"), turns: of("turn") },
    place: below(2) === 0 ? null : { taken: below(2) === 0, tokens: sum(place), sections: place },
    others: below(3) === 0 ? 1 + below(7) : 0,
  };
}

const distanceOf = (below: Below): FoldDistance | null => {
  const left = below(4) === 0 ? below(3) : below(60_000);
  return [null, { unit: "tokens", left } as const, { unit: "turns", left: below(4) } as const][below(3)]!;
};

const itemOf = (id: string): ConversationItem => ({
  id, project_id: "p", title: "", title_source: "unset", pinned: false, deleted_at: null, updated_at: "2026-11-23T12:00:00Z", message_count: 0,
});

const detailOf = (item: ConversationItem): ConversationDetail => ({
  item, draft: "", attachments: [], queued: [], provider: "work", model: "small", follows_default: true, takes_images: null, takes_files: null,
  tuning: { instructions: "", temperature: null, max_output_tokens: null, effort: null, mode: null },
  spent: { cost: 0, input_tokens: 0, output_tokens: 0, unpriced_turns: 0 }, open_turn: null, also: [], queued_also: [],
});

/** "Next fold in …", by what is left once the draft is sent. */
function foldWords({ distance, busy }: Pick<SummaryPanel, "distance" | "busy">, { sections }: RequestView): string | null {
  if (busy !== null) return i18n.t("context:folding");
  if (distance === null) return null;
  const draft = sum(sections.filter(({ kind }) => kind === "draft"));
  const left = distance.unit === "tokens" ? Math.max(0, distance.left - draft) : distance.left;
  if (left <= (distance.unit === "tokens" ? 0 : 1)) return i18n.t("summaries:next.reply");
  return distance.unit === "tokens" ? i18n.t("summaries:next.tokens", { n: formatTokens(left) }) : i18n.t("summaries:next.turns", { count: left });
}

it("is the request, and nothing besides", () => {
  const client = createQueryClient();
  setTransport({ invoke: () => NEVER, stream: () => NEVER, onChanged: () => () => {}, onPathOffered: () => () => {}, onDragDrop: () => () => {} });
  const complaints = vi.spyOn(console, "error");
  const tree = (detail: ConversationDetail) => (
    <QueryClientProvider client={client}>
      <div data-testid="line">
        <RequestLine conversation={detail.item} onLeave={() => {}} />
      </div>
      <div data-testid="asked">
        <MissingRules conversation={detail.item} />
        <OthersAsked conversation={detail.item} onLeave={() => {}} />
      </div>
      <div data-testid="bar">
        <ContextBar conversation={detail.item} />
      </div>
      <div data-testid="tab">
        <RequestTab conversation={detail.item} turns={[]} />
      </div>
    </QueryClientProvider>
  );
  const { rerender } = render(tree(detailOf(itemOf("none"))));
  for (let seed = 0; seed < STATES; seed += 1) {
    const below = chance(seed);
    const view = viewOf(below);
    const panel = { distance: distanceOf(below), busy: below(6) === 0 ? "s" : null } as SummaryPanel;
    const detail = detailOf(itemOf(`c${seed}`));
    const { id } = detail.item;
    act(() => setLanguage(below(2) === 0 ? "ko" : "en"));
    client.setQueryData(["preview", id, "", undefined, undefined], view);
    client.setQueryData(queries.summaries(id).queryKey, panel);
    client.setQueryData(queries.conversation(id).queryKey, detail);
    act(() => rerender(tree(detail)));
    expectBar(view, panel);
    expectTab(view);
    expectLine(view, panel);
    expectAsked(view);
  }
  expect(complaints.mock.calls).toEqual([]);
}, PATIENCE);

const totalOf = ({ sections, budget }: RequestView) => {
  const exact = sections.every((section) => section.exact);
  return i18n.t(exact ? "context:total" : "context:totalEstimated", { used: formatTokens(sum(sections)), budget: formatTokens(budget) });
};

const grown = (element: HTMLElement) => Number(element.style.flexGrow);

/** Each section is in one strip of the bar, as wide as its tokens; the rest is free. */
function expectBar(view: RequestView, panel: SummaryPanel) {
  const bar = screen.getByTestId("bar");
  const total = totalOf(view);
  expect(bar.querySelector("[role=group]")!.getAttribute("aria-label")).toBe(i18n.t("context:barLabel", { total }));
  const blocks = blocksOf(view.sections, isRecalled);
  expect(blocks.flatMap(({ pieces }) => pieces)).toEqual(view.sections);
  const buttons = [...bar.querySelectorAll("button")];
  const strips = buttons.filter(({ style }) => style.flexGrow !== "");
  expect(strips.map(grown)).toEqual(blocks.map(({ pieces }) => sum(pieces)));
  for (const [at, strip] of strips.entries()) expect(strip.getAttribute("aria-label")).toContain(formatTokens(sum(blocks[at]!.pieces)));
  const free = bar.querySelector<HTMLElement>(`span[style*="flex-grow"]`)!;
  expect(grown(free)).toBe(Math.max(0, view.budget - sum(view.sections)));
  const fold = foldWords(panel, view);
  // The tick stands where the fold is, as far as the bar goes.
  const said = buttons.filter(({ style }) => style.flexGrow === "").map((tick) => tick.getAttribute("aria-label"));
  expect([[], [fold]]).toContainEqual(said);
}

/** A row for each block, in order within the four groups, with its tokens, and one for each piece that is left out. */
function expectTab(view: RequestView) {
  const tab = screen.getByTestId("tab");
  within(tab).getByText(totalOf(view));
  const rows = [...tab.querySelectorAll<HTMLElement>("[data-block]")];
  const all = blocksOf(view.sections);
  const blocks = GROUPS.flatMap((group) => all.filter(({ pieces }) => groupOf(pieces[0]!) === group));
  expect(blocks.length).toBe(all.length);
  expect(rows.map(({ dataset }) => dataset.block)).toEqual(blocks.map(({ id }) => id));
  for (const [at, { pieces }] of blocks.entries()) expect(rows[at]!.textContent).toContain(formatTokens(sum(pieces)));
  const left = [...tab.querySelectorAll<HTMLElement>("details li")];
  expect(left.length).toBe(view.left_out.length);
  for (const [at, { tokens }] of view.left_out.entries()) expect(left[at]!.textContent).toContain(formatTokens(tokens));
  const notes = [...tab.querySelectorAll("p")].map(({ textContent }) => textContent);
  expect(notes.includes(i18n.t("context:mode", { mode: "plan" }))).toBe(view.mode !== null);
  expect(notes.includes(i18n.t("context:alone"))).toBe(isAlone(view));
  const passages = view.sections.filter(isRecalled);
  if (view.recall === null || passages.length === 0) return;
  const said = { count: passages.length, tokens: formatTokens(sum(passages)) };
  within(tab).getByText(i18n.t("recall:passages", said));
}

const isAlone = ({ left_out }: RequestView) => left_out.some(({ why }) => why === ALONE);

/** Every section is in one chip, the share is of the whole, and what can be added is offered, unless it goes alone. */
function expectLine(view: RequestView, { busy }: Pick<SummaryPanel, "busy">) {
  const line = screen.getByTestId("line");
  const { sections, budget } = view;
  const alone = isAlone(view);
  const [place, left_out] = alone ? [null, []] : [view.place, view.left_out];
  const parts = partsOf(sections);
  expect(parts.flatMap(({ pieces }) => pieces).map(({ id }) => id).sort()).toEqual(sections.map(({ id }) => id).sort());
  for (const { pieces, tokens } of parts) expect(tokens).toBe(sum(pieces));
  const names = parts.map(({ kind, count }) => i18n.t(`context:line.${kind}`, { count }));
  if (parts[0]?.kind !== "you") names.unshift(i18n.t("context:line.you"));
  const stopped = place === null ? [] : [`${i18n.t("context:line.stopped")} ${formatTokens(sum(place.sections))}`];
  const shown = [...line.querySelectorAll("li")].map(({ textContent }) => textContent);
  const added = left_out.filter(({ id, why }) => id !== null && (why === "by_you" || why === "small_talk"));
  const untrusted = left_out.filter(({ why }) => why === "untrusted").length;
  const certain = [...names, ...(alone ? [i18n.t("context:leftOutWhy.agent_command")] : stopped)];
  expect(shown.slice(0, certain.length)).toEqual(certain);
  expect(shown.length).toBe(certain.length + added.length + (untrusted > 0 ? 1 : 0));
  if (untrusted > 0) expect(shown.at(-1)).toBe(i18n.t("context:line.untrusted", { count: untrusted }));
  const percent = (sum(sections) / budget) * 100;
  const share = percent > 0 && percent < 1 ? i18n.t("context:line.shareLess") : i18n.t("context:line.share", { n: formatNumber(Math.round(percent)) });
  const total = within(line).getByRole("button", { name: `${share}: ${totalOf(view)}` });
  expect(total.textContent).toBe(share);
  const state = (key: "context:folding" | "context:window.assumed") => within(line).queryByRole("button", { name: i18n.t(key) });
  expect(state("context:folding") !== null).toBe(busy !== null);
  expect(state("context:window.assumed") !== null).toBe(view.window_source === "assumed");
  const chip = [...line.querySelectorAll("[role=group]")].find((it) => it.getAttribute("aria-label") === i18n.t("context:place.label"));
  const key = place?.taken ? "context:place.taken" : "context:place.offered";
  expect(chip === undefined).toBe(place === null);
  if (place !== null) within(chip as HTMLElement).getByRole("button", { name: i18n.t(key, { tokens: formatTokens(sum(place.sections)) }) });
}

function expectAsked({ others, missing_constraints, missing_more }: RequestView) {
  const above = screen.getByTestId("asked");
  const asked = [...above.querySelectorAll("[role=group]")].find((it) => it.getAttribute("aria-label") === i18n.t("context:others.label"));
  expect(asked?.querySelector("span")?.textContent ?? null).toBe(others === 0 ? null : i18n.t("context:others.found", { count: others }));
  const rules = [...above.querySelectorAll("li")].map(({ textContent }) => textContent);
  const told = missing_constraints.map(({ text }) => text);
  const more = i18n.t("summaries:receipt.missingMore", { count: missing_more });
  expect(rules).toEqual(told.length > 0 && missing_more > 0 ? [...told, more] : told);
}
