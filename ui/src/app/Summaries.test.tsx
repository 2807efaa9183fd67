// Summaries through the whole interface: they form, fail and are tried again, are edited, compared, unfolded, tried at
// another rate; the line between the messages, the bar, and the settings behind it all.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setTransport, type Failure, type SummarySettings } from "@/ipc";
import { formatNumber, formatTokens, setLanguage } from "@/shared/i18n";
import { latch, startHost, type Host, type HostOptions } from "@/test/host";
import { answered as ask, button, click, ended, expectAccessible, field, gone, heard, opened, push, shut, startAfresh } from "@/test/journey";
import { openOverlay, runAction, showContext, toggleSide, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const WORDS = "Ten words that a reply is made of, no more. ".repeat(8).trim();
const TOLD = "Question 1, about the store, and two more.";

const summaries = () => act(() => runAction("summaries"));
/** The pane may still show what a request holds for a moment, where turns are told of, too: a card has a version. */
const cardOf = (name: RegExp) => waitFor(() => within(screen.getByRole("complementary")).getByRole("button", { name }));
const openCard = (name: RegExp) => cardOf(name).then(fireEvent.click);
const openBlock = (name: string) => screen.findByText(name, { selector: "aside *" }).then(fireEvent.click);
const here = () => usePlace.getState().conversationId!;
const panel = (host: Host) => host.invoke("summary_list", { id: here() });

interface Options extends HostOptions {
  summary?: Partial<SummarySettings>;
}

/** A conversation under Segments of three turns, with these many turns. */
async function start(turns: number, { model = {}, summary = {}, ...options }: Options = {}): Promise<Host> {
  const host = await startHost({ model: { reply: () => WORDS, summarise: () => TOLD, ...model }, ...options });
  const settings = await host.settings();
  await host.change({ summary: { ...settings.summary, policy: "segments", by_numbers: true, ...summary } });
  setTransport(host);
  render(<App />);
  await click(/^Just talk/);
  await field();
  for (let turn = 1; turn <= turns; turn += 1) await ask(`Question ${turn}, about the store`);
  return host;
}

describe("summaries", () => {
  it("form by themselves, stand beside their messages, and take their place when they are closed", async () => {
    await start(0);
    const said = heard();
    summaries();
    await screen.findByText("Nothing is folded yet");
    await screen.findByText(/Next fold in 3 turns\.$/);
    for (const turn of [1, 2, 3]) await ask(`Question ${turn}, about the store`);
    await cardOf(/^Turns 1–3 ?v1/);
    const pane = within(screen.getByRole("complementary"));
    await pane.findByText("1 summary");
    await pane.findByText("of 3 turns");
    await waitFor(() => expect(said).toContain("Folded, Turns 1–3"));

    const line = await button(/^Turns 1–3 · summary v1 · [\d,]+ → [\d,]+ characters$/);
    // Nothing goes by itself.
    expect(line.getAttribute("aria-expanded")).toBe("true");
    expect(screen.getAllByRole("article")).toHaveLength(6);
    await expectAccessible();
    fireEvent.click(line);
    const told = within(await screen.findByRole("region", { name: "Summary, Turns 1–3" }));
    told.getByText(/^Question 1, about/);
    expect(screen.queryAllByRole("article")).toHaveLength(0);
    await expectAccessible();

    summaries();
    await gone(() => screen.queryByRole("complementary"));
    fireEvent.click(told.getByRole("button", { name: "Versions and more" }));
    const card = await cardOf(/^Turns 1–3 ?v1/);
    await waitFor(() => expect(card.getAttribute("aria-expanded")).toBe("true"));
    // Closed, it says its rate and begins to tell.
    await gone(() => within(card).queryByText(TOLD));
    fireEvent.click(card);
    within(card).getByText(/ · rate 0\.30$/);
    within(card).getByText(TOLD);
    fireEvent.click(card);
    card.focus();
    expect(document.activeElement).toBe(card);
    // And back to its line, as it stands there; opened again, to its first message.
    await click("Show in the conversation");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: /^Turns 1–3 · / })));
    fireEvent.click(document.activeElement!);
    await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(6));
    await click("Show in the conversation");
    await waitFor(() => expect(document.activeElement).toBe(screen.getAllByRole("article")[0]));
    // The request tells of it too, and of what it stands for.
    act(() => showContext("next"));
    await openBlock("Turns 1–3, v1");
    await screen.findByText("Stands for earlier messages");
    await screen.findByText("2 earlier messages");
    await screen.findByText("Summaries stand for them");
    await click("Show the summary");
    await screen.findByRole("tabpanel", { name: "Summaries" });
  });

  it("give way to whoever looks for a message, edits one, or takes another branch", async () => {
    await start(3);
    await button(/^Turns 1–3 · /);
    const allGone = () => waitFor(() => expect(screen.queryAllByRole("article")).toHaveLength(0));
    const close = async () => {
      await click(/^Turns 1–3 · /);
      await allGone();
    };
    await close();
    // Found by its words.
    act(() => runAction("find"));
    fireEvent.change(await screen.findByRole("textbox", { name: "Find here" }), { target: { value: "Question 2" } });
    await screen.findByText("Question 2, about the store", { selector: "[data-row] *" });
    expect(screen.getAllByRole("article")).toHaveLength(6);
    await click("Close find");
    await close();
    // One that is edited stays for as long as it is.
    await click(/^Turns 1–3 · /);
    fireEvent.click(within((await screen.findAllByRole("article"))[0]!).getByRole("button", { name: "Edit" }));
    await click(/^Turns 1–3 · /);
    fireEvent.keyDown(await screen.findByRole("textbox", { name: "Edit message" }), { key: "Escape" });
    await allGone();
    // Edited in earnest it begins a branch that nothing stands for yet; the way back leads to the fold.
    await click(/^Turns 1–3 · /);
    fireEvent.click(within((await screen.findAllByRole("article"))[2]!).getByRole("button", { name: "Edit" }));
    fireEvent.input(await screen.findByRole("textbox", { name: "Edit message" }), { target: { value: "Another question" } });
    await click("Send edited");
    await screen.findByText("Another question", { selector: "[data-row] *" });
    await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(4));
    await gone(() => screen.queryByRole("button", { name: /^Turns 1–3 · / }));
    await click("Previous version");
    const line = await button(/^Turns 1–3 · /);
    // As it was left.
    expect(line.getAttribute("aria-expanded")).toBe("true");
    await close();
  });

  it("that are on their way can be stopped, and one that failed tried again", async () => {
    const never = latch();
    const host = await start(3, { model: { summarise: () => [never.opened] }, summary: { timeout_s: 1 } });
    summaries();
    await screen.findByText("Turns 1–3: v1 was not written");
    await screen.findByText("The model said nothing for too long.");
    await expectAccessible();
    const settings = await host.settings();
    await host.change({ summary: { ...settings.summary, timeout_s: 60 } });
    host.server.model.summarise = () => ["Made ", never.opened];
    await click("Try again");
    await screen.findByRole("timer");
    await screen.findByText(/^Made/);
    await click("Cancel");
    await screen.findByText("Turns 1–3: v2 was not written");
    host.server.model.summarise = () => "Made after all.";
    await click("Try again");
    await openCard(/^Turns 1–3 ?v3/);
    await screen.findByText("Made after all.");
    await gone(() => screen.queryByText(/was not written/));
  });

  it("are edited as a new version, compared word by word, and taken back", async () => {
    await start(3, { model: { summarise: () => "The port is 5432 here." } });
    summaries();
    await openCard(/^Turns 1–3 ?v1/);
    await push(within(screen.getByRole("complementary")).findByRole("button", { name: "Edit" }));
    const text = await screen.findByRole("textbox", { name: "Your version" });
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save as a new version" }).disabled).toBe(true);
    fireEvent.change(text, { target: { value: "The port is 5433 here." } });
    // What was written is there again when the pane is.
    act(() => toggleSide("pane", false));
    await gone(() => screen.queryByRole("complementary"));
    act(() => toggleSide("pane", true));
    expect(await screen.findByRole("textbox", { name: "Your version" })).toHaveProperty("value", "The port is 5433 here.");
    await click("Save as a new version");
    await screen.findByText("edited");
    await click("2 versions");
    const dialog = within(await opened());
    await dialog.findByText("Compared with v2");
    const drawn = (word: string) => dialog.getByText(word).closest("del, ins")?.tagName;
    expect([drawn("5433"), drawn("5432")]).toEqual(["DEL", "INS"]);
    await expectAccessible();
    fireEvent.click(dialog.getByRole("button", { name: "Use v1" }));
    await shut();
    await button("3 versions");
    expect((await screen.findByLabelText("Text of the summary")).textContent).toBe("The port is 5432 here.");
  });

  it("are tried at another rate beside the one in use, and change nothing before they are adopted", async () => {
    const host = await start(3, { model: { summarise: (_, target) => "x".repeat(target) } });
    summaries();
    await openCard(/^Turns 1–3 ?v1/);
    await click("Try another rate…");
    const dialog = within(await opened());
    const original = (await panel(host)).records[0]!.original_chars;
    fireEvent.change(dialog.getByRole("slider"), { target: { value: "0.5" } });
    const target = Math.trunc(original * 0.5);
    dialog.getByText(`${formatNumber(original)} → about ${formatNumber(target)} characters`);
    fireEvent.click(dialog.getByRole("button", { name: "Write a candidate" }));
    const candidate = within(await dialog.findByRole("region", { name: "Candidate" }));
    candidate.getByText("x".repeat(target));
    await expectAccessible();
    expect(screen.getAllByText(new RegExp(`${formatNumber(original)} → ${formatNumber(Math.trunc(original * 0.3))} characters`)).length).toBeGreaterThan(0);
    fireEvent.click(dialog.getByRole("button", { name: "Adopt" }));
    await button(new RegExp(`^Turns 1–3 · summary v2 · ${formatNumber(original)} → ${formatNumber(target)} characters$`));
  });

  it("let go of a try that is stopped", async () => {
    const host = await start(3);
    summaries();
    await openCard(/^Turns 1–3 ?v1/);
    await click("Try another rate…");
    const never = latch();
    host.server.model.summarise = () => ["A candi", never.opened];
    const dialog = within(await opened());
    fireEvent.click(dialog.getByRole("button", { name: "Write a candidate" }));
    await dialog.findByRole("timer");
    fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
    await gone(() => dialog.queryByRole("timer"));
    dialog.getByText(/^The candidate appears here/);
    await gone(() => dialog.queryByRole("alert"));
    const { records, shown } = await panel(host);
    expect([records.length, shown.length]).toEqual([1, 1]);
  });

  it("say by how much their messages are too many to be sent again", async () => {
    const host = await start(2, { models: [{ id: "test-1", context_window: 16_000 }] });
    for (const n of [1, 2, 3]) {
      fireEvent.input(await field(), { target: { value: `a long question ${n} `.repeat(1_000).trim() } });
      await click("Send");
      await waitFor(() => expect(screen.getAllByText(/^Show all/)).toHaveLength(n));
      await ended();
    }
    summaries();
    await openCard(/^Turns 1–3 ?v1/);
    const pane = within(screen.getByRole("complementary"));
    await push(pane.findByRole("button", { name: "Unfold" }));
    const said = within(await pane.findByRole("alert"));
    const { records } = await panel(host);
    const refused: Failure = await host.invoke("summary_unfold", { id: records[0]!.id, unfolded: true }).catch((thrown) => thrown);
    said.getByText(`Its messages are ${formatTokens(refused.excess!.over)} tokens too many to be sent word for word.`);
    await expectAccessible();
    expect((await panel(host)).records.map(({ unfolded_at }) => unfolded_at)).toEqual([null]);
    // The card stays open while other things are looked at.
    act(() => showContext("next"));
    await screen.findByText("6 earlier messages");
    summaries();
    await pane.findByRole("button", { name: "Unfold" });
  });

  it("of the running policy say what rate they came to, which nobody chose", async () => {
    const host = await start(4, { summary: { policy: "running" } });
    // Room for the newest turn alone.
    const { summary } = await host.settings();
    await host.change({ summary: { ...summary, window_keep: 150 } });
    act(() => runAction("fold"));
    await openCard(/^Turns 1–3 ?v1/);
    const pane = within(screen.getByRole("complementary"));
    await pane.findByRole("button", { name: "Edit" });
    const { compression_rate, original_chars, summary_chars } = (await panel(host)).records[0]!;
    const rates = pane.getAllByText(/\brate\b/).map(({ textContent }) => /[^·]*rate[^·]*$/.exec(textContent!)![0]);
    expect(rates).toEqual([` came out at rate ${(summary_chars / original_chars).toFixed(2)}`]);
    expect(compression_rate).toBe(0.3);
    pane.getByText(/^Its length: at most 700 characters/);
  });

  it("change what a later request says, which is compared block by block", async () => {
    await start(2);
    await ask("Question 3, about the store");
    await button(/^Turns 1–3 · /);
    const replies = screen.getAllByRole("button", { name: "What this reply saw" });
    fireEvent.click(replies.at(-1)!);
    await click("Compare with the next message");
    const list = within(await screen.findByRole("list", { name: "Differences" }));
    const rows = list.getAllByRole("button").map((row) => row.textContent);
    // The two newest turns go whole, whatever stands for them too.
    expect(rows).toEqual([
      expect.stringMatching(/^Siltstone's instructions\d+The same$/),
      expect.stringMatching(/^Tools the model may call\d+The same$/),
      expect.stringMatching(/^Turns 1–3, v1\d+Only in the next message$/),
      expect.stringMatching(/^Turn 1\d+Not in the next message$/),
      expect.stringMatching(/^Turns 2–3\d+The same$/),
      expect.stringMatching(/^Turn 3\d+Only in the next message$/),
      expect.stringMatching(/^This moment\d+The same$/),
    ]);
    fireEvent.click(list.getByText("Turn 1"));
    list.getByText("Question 1, about the store");
    await expectAccessible();
  });

  it("are unfolded and folded again", async () => {
    await start(3);
    summaries();
    await openCard(/^Turns 1–3 ?v1/);
    const pane = within(screen.getByRole("complementary"));
    await push(pane.findByRole("button", { name: "Unfold" }));
    await pane.findByText("sent word for word");
    await gone(() => screen.queryByRole("button", { name: /^Turns 1–3 · summary v1/ }));
    await push(pane.findByRole("button", { name: "Fold" }));
    await gone(() => pane.queryByText("sent word for word"));
    await button(/^Turns 1–3 · summary v1/);
  });
});

describe("folding", () => {
  it("shows before it happens what a rate would keep and lose, and asks nobody", async () => {
    const facts = [5433, 6100, 7200, 8080].map((port) => `Service ${port - 5000} of src/api/server_${port}.rs listens on port ${port}.`);
    const host = await start(2, { model: { reply: () => `${WORDS} ${facts.join(" ")}` } });
    summaries();
    const pane = within(screen.getByRole("complementary"));
    await pane.findByText("What the next summary would keep and lose");
    const [asked, received] = [vi.spyOn(host, "invoke"), host.server.received.length];
    const sketches = () => asked.mock.calls.filter(([command]) => command === "summary_sketch").map(([, it]) => it);
    expect(sketches()).toEqual([]);
    // It opens as the rate moves, at the rate that is looked at.
    const slider = await pane.findByRole<HTMLInputElement>("slider");
    fireEvent.input(slider, { target: { value: "0.1" } });
    const size = await pane.findByText(/characters · came out at rate 0\.\d\d$/);
    expect(size.textContent).toMatch(/^Turns 1–2 /);
    await pane.findByText(/left behind$/, { selector: "summary" });
    expect(sketches()).toEqual([{ id: here(), rate: 0.1 }]);
    await expectAccessible();
    const short = pane.getByLabelText("Text of the sketch").textContent!;
    await push(pane.findByRole("button", { name: "Detailed" }));
    await waitFor(() => expect(pane.getByLabelText("Text of the sketch").textContent!.length).toBeGreaterThan(short.length));
    expect((await panel(host)).records).toEqual([]);
    expect(host.server.received).toHaveLength(received);
  });

  it("is a choice of the conversation over that of the settings", async () => {
    const host = await start(1);
    summaries();
    const pane = within(screen.getByRole("complementary"));
    const slider = await pane.findByRole("slider");
    fireEvent.change(slider, { target: { value: "0.45" } });
    const folding = async () => (await panel(host)).folding;
    await waitFor(async () => expect(await folding()).toEqual({ policy: null, rate: 0.45 }));
    // The named points are rates as well, and each says what it is for.
    pane.getByText(/^Detailed keeps more/);
    await push(pane.findByRole("button", { name: "Short" }));
    await waitFor(async () => expect(await folding()).toEqual({ policy: null, rate: 0.1 }));
    await pane.findByRole("button", { name: "Short", pressed: true });
    pane.getByText(/^Short saves the most/);
    await push(pane.findByRole("button", { name: "As in the settings: 0.30" }));
    await waitFor(async () => expect(await folding()).toEqual({ policy: null, rate: null }));
    await pane.findByRole("button", { name: "Balanced", pressed: true });
    // Where not three turns have to come together, all that there is can be folded.
    const { summary } = await host.settings();
    await host.change({ summary: { ...summary, policy: "rolling" } });
    await gone(() => pane.queryByRole("slider"));
    await click("Fold now");
    await pane.findByRole("button", { name: /^Turn 1 ?v1/ });
    await waitFor(() => expect(pane.getByRole<HTMLButtonElement>("button", { name: "Fold now" }).disabled).toBe(true));
  });

  it("has its page in the settings, in both languages", async () => {
    const host = await start(1);
    const summary = async () => (await host.settings()).summary;
    setLanguage("ko");
    act(() => openOverlay({ kind: "settings", tab: "summaries" }));
    const threshold = await screen.findByRole("textbox", { name: "요약하지 않은 토큰이 이보다 많아지면 접기" });
    fireEvent.change(threshold, { target: { value: "50" } });
    fireEvent.blur(threshold);
    await screen.findByText("100에서 1,000,000 사이의 정수");
    expect((await summary()).threshold).toBe(8000);
    fireEvent.change(threshold, { target: { value: "16000" } });
    fireEvent.blur(threshold);
    await waitFor(async () => expect((await summary()).threshold).toBe(16_000));
    await expectAccessible();
    fireEvent.click(screen.getByRole("switch", { name: "앞선 내용을 모델에 전하기" }));
    await waitFor(async () => expect((await summary()).enabled).toBe(false));
    act(() => usePlace.setState({ overlay: null }));
    summaries();
    await screen.findByText("접기가 꺼져 있어요");
  });

  it("is announced on the bar, which asks nothing anew while the person types", async () => {
    const host = await start(1);
    const asked = vi.spyOn(host, "invoke");
    await button("Next fold in 2 turns");
    fireEvent.input(await field(), { target: { value: "A draft that is being written" } });
    await waitFor(() => expect(asked.mock.calls.map(([command]) => command)).toContain("request_preview"));
    expect(asked.mock.calls.map(([command]) => command)).not.toContain("summary_list");
    await ask("Question 2");
    await click("Folds after the next reply");
    await screen.findByRole("tabpanel", { name: "Summaries" });
  });
});
