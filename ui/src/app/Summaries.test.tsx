// Summaries through the whole interface on the fake host: they form, fail and are tried again, are edited, compared,
// unfolded, tried at another rate; the line between the messages, the bar, and the settings behind it all.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setTransport, type Failure } from "@/ipc";
import { createFake, type Fake, type FakeOptions } from "@/ipc/fake";
import { formatTokens, setLanguage } from "@/shared/i18n";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { openOverlay, runAction, showContext, toggleSide, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const WORDS = "Ten words that a reply is made of, no more.";

const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const summaries = () => act(() => runAction("summaries"));
const openCard = (name: RegExp) => within(screen.getByRole("complementary")).findByRole("button", { name }).then(fireEvent.click);
const openBlock = (name: string) => screen.findByText(name, { selector: "aside *" }).then(fireEvent.click);

async function ask(text: string) {
  fireEvent.input(await field(), { target: { value: text } });
  await click("Send");
  await screen.findByText(text, { selector: "[data-row] *" });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
}

/** A conversation under Segments, with these many turns. */
async function start(turns: number, options: FakeOptions = {}): Promise<Fake> {
  const { DEFAULTS } = await import("@/ipc/fake/summaries");
  const summary = { ...DEFAULTS, policy: "segments" as const };
  const fake = createFake({ reply: () => WORDS, settings: { summary }, ...options });
  setTransport(fake);
  render(<App />);
  await click(/^Just talk/);
  await field();
  for (let turn = 1; turn <= turns; turn += 1) await ask(`Question ${turn}, about the store`);
  return fake;
}

describe("summaries", () => {
  it("form by themselves, take the place of their messages, and open above them", async () => {
    await start(0);
    summaries();
    await screen.findByText("Nothing is folded yet");
    await screen.findByText(/Next fold in 3 turns\.$/);
    for (const turn of [1, 2, 3]) await ask(`Question ${turn}, about the store`);
    const pane = within(screen.getByRole("complementary"));
    await pane.findByRole("button", { name: /Turns 1–3/ });
    await pane.findByText("1 summary");
    await pane.findByText("of 3 turns");
    expect(screen.getByRole("status").textContent).toBe("Folded, Turns 1–3");

    const line = await button(/^Turns 1–3 · summary v1 · \d+ → \d+ characters$/);
    // But for the newest turn, which is still to be read.
    await waitFor(() => expect(screen.queryAllByRole("article")).toHaveLength(2));
    screen.getByText("Question 3, about the store", { selector: "[data-row] *" });
    fireEvent.click(line);
    const opened = within(await screen.findByRole("region", { name: "Summary, Turns 1–3" }));
    opened.getByText(/^Question 1, about/);
    const originals = screen.getAllByRole("article");
    expect(originals).toHaveLength(6);
    expect(line.compareDocumentPosition(originals[0]!)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    await expectAccessible();

    summaries();
    expect(screen.queryByRole("complementary")).toBeNull();
    fireEvent.click(opened.getByRole("button", { name: "Versions and more" }));
    const card = await within(await screen.findByRole("complementary")).findByRole("button", { name: /Turns 1–3/ });
    await waitFor(() => expect(card.getAttribute("aria-expanded")).toBe("true"));
    expect(document.activeElement).toBe(card);
    // And back to its line, as it stands there.
    fireEvent.click(line);
    await waitFor(() => expect(screen.queryAllByRole("article")).toHaveLength(2));
    await click("Show in the conversation");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: /^Turns 1–3 · / })));
    expect(screen.getAllByRole("article")).toHaveLength(2);
    // The request tells of it too, and of what it stands for.
    act(() => showContext("next"));
    await openBlock("Turns 1–3, v1");
    await screen.findByText("Stands for earlier messages");
    await screen.findByText("6 earlier messages");
    await screen.findByText("Summaries stand for them");
    await click("Show the summary");
    await screen.findByRole("tabpanel", { name: "Summaries" });
  });

  it("give way to whoever looks for a message, edits one, or takes another branch", async () => {
    await start(3);
    await button(/^Turns 1–3 · /);
    const gone = () => waitFor(() => expect(screen.queryAllByRole("article")).toHaveLength(2));
    const close = async () => {
      await click(/^Turns 1–3 · /);
      await gone();
    };
    await gone();
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
    const editing = await screen.findByRole("textbox", { name: "Edit message" });
    await new Promise((rest) => setTimeout(rest, 250));
    fireEvent.keyDown(editing, { key: "Escape" });
    await gone();
    // Edited in earnest it begins a branch that nothing stands for yet; the way back leads to the fold.
    await click(/^Turns 1–3 · /);
    fireEvent.click(within((await screen.findAllByRole("article"))[2]!).getByRole("button", { name: "Edit" }));
    fireEvent.input(await screen.findByRole("textbox", { name: "Edit message" }), { target: { value: "Another question" } });
    await click("Send edited");
    await screen.findByText("Another question", { selector: "[data-row] *" });
    await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(4));
    expect(screen.queryByRole("button", { name: /^Turns 1–3 · / })).toBeNull();
    await click("Previous version");
    const line = await button(/^Turns 1–3 · /);
    // As it was left.
    expect(line.getAttribute("aria-expanded")).toBe("true");
    await close();
  });

  it("that are on their way can be stopped, and one that failed tried again", async () => {
    let broken = true;
    const failure: Failure = { code: "provider_timed_out", message: "60 s", hint: "" };
    const summarise = () => {
      if (broken) throw failure;
      return "Made after all.";
    };
    const fake = await start(3, { summarise });
    summaries();
    await screen.findByText("Turns 1–3: v1 was not written");
    await screen.findByText("The model said nothing for too long.");
    await expectAccessible();
    broken = false;
    // Slow enough to be seen while it is written.
    fake.state.options.delayMs = 20;
    await click("Try again");
    await screen.findByRole("timer");
    await screen.findByText(/^Made/);
    await click("Cancel");
    await screen.findByText("Turns 1–3: v2 was not written");
    fake.state.options.delayMs = 0;
    await click("Try again");
    await openCard(/Turns 1–3 ?v3/);
    await screen.findByText("Made after all.");
    expect(screen.queryByText(/was not written/)).toBeNull();
  });

  it("are edited as a new version, compared word by word, and taken back", async () => {
    await start(3, { summarise: () => "The port is 5432 here." });
    summaries();
    await openCard(/Turns 1–3/);
    fireEvent.click(await within(screen.getByRole("complementary")).findByRole("button", { name: "Edit" }));
    const text = await screen.findByRole("textbox", { name: "Your version" });
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save as a new version" }).disabled).toBe(true);
    fireEvent.change(text, { target: { value: "The port is 5433 here." } });
    // What was written is there again when the pane is.
    act(() => toggleSide("pane", false));
    await waitFor(() => expect(screen.queryByRole("complementary")).toBeNull());
    act(() => toggleSide("pane", true));
    expect(await screen.findByRole("textbox", { name: "Your version" })).toHaveProperty("value", "The port is 5433 here.");
    await click("Save as a new version");
    await screen.findByText("edited");
    await click("2 versions");
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByText("Compared with v2");
    expect([dialog.getByText("5433").tagName, dialog.getByText("5432").tagName]).toEqual(["DEL", "INS"]);
    await expectAccessible();
    fireEvent.click(dialog.getByRole("button", { name: "Use v1" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await button("3 versions");
    expect((await screen.findByLabelText("Text of the summary")).textContent).toBe("The port is 5432 here.");
  });

  it("are tried at another rate beside the one in use, and change nothing before they are adopted", async () => {
    const fake = await start(3, { summarise: (_, target) => "x".repeat(target) });
    summaries();
    await openCard(/Turns 1–3/);
    await click("Try another rate…");
    const dialog = within(await screen.findByRole("dialog"));
    const original = fake.state.conversations.values().next().value!.summaries[0]!.original_chars;
    fireEvent.change(dialog.getByRole("slider"), { target: { value: "0.5" } });
    const target = Math.trunc(original * 0.5);
    dialog.getByText(`${original} → about ${target} characters`);
    fireEvent.click(dialog.getByRole("button", { name: "Write a candidate" }));
    const candidate = within(await dialog.findByRole("region", { name: "Candidate" }));
    candidate.getByText("x".repeat(target));
    await expectAccessible();
    expect(screen.getAllByText(new RegExp(`${original} → ${Math.trunc(original * 0.3)} characters`)).length).toBeGreaterThan(0);
    fireEvent.click(dialog.getByRole("button", { name: "Adopt" }));
    await button(new RegExp(`^Turns 1–3 · summary v2 · ${original} → ${target} characters$`));
  });

  it("let go of a try that is stopped", async () => {
    const fake = await start(3);
    summaries();
    await openCard(/Turns 1–3/);
    await click("Try another rate…");
    fake.state.options.delayMs = 20;
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.click(dialog.getByRole("button", { name: "Write a candidate" }));
    await dialog.findByRole("timer");
    fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(dialog.queryByRole("timer")).toBeNull());
    dialog.getByText(/^The candidate appears here/);
    expect(dialog.queryByRole("alert")).toBeNull();
    const { candidates, summaries: records } = fake.state.conversations.values().next().value!;
    expect([candidates.length, records.length]).toEqual([0, 1]);
  });

  it("say by how much their messages are too many to be sent again", async () => {
    const fake = await start(2);
    await ask("a long question ".repeat(3000).trim());
    summaries();
    await openCard(/Turns 1–3/);
    const pane = within(screen.getByRole("complementary"));
    fireEvent.click(await pane.findByRole("button", { name: "Unfold" }));
    const said = within(await pane.findByRole("alert"));
    const conversation = fake.state.conversations.values().next().value!;
    const over = [...conversation.messages.values()].reduce((sum, { tokens }) => sum + tokens, 0) - 8_000;
    said.getByText(`Its messages are ${formatTokens(over)} tokens too many to be sent word for word.`);
    await expectAccessible();
    expect(conversation.summaries.map(({ unfolded_at }) => unfolded_at)).toEqual([null]);
    // The card stays open while other things are looked at.
    act(() => showContext("next"));
    await screen.findByText("6 earlier messages");
    summaries();
    await pane.findByRole("button", { name: "Unfold" });
  });

  it("of the running policy are at no rate", async () => {
    const { DEFAULTS } = await import("@/ipc/fake/summaries");
    const fake = await start(3, { settings: { summary: { ...DEFAULTS, policy: "running" } } });
    act(() => runAction("fold"));
    await openCard(/Turns 1–3/);
    const pane = within(screen.getByRole("complementary"));
    await pane.findByRole("button", { name: "Edit" });
    expect(pane.queryByText(/rate/)).toBeNull();
    expect(fake.state.conversations.values().next().value!.summaries[0]!.compression_rate).toBe(0.3);
  });

  it("change what a later request says, which is compared block by block", async () => {
    await start(2);
    await ask("Question 3, about the store");
    await button(/^Turns 1–3 · /);
    await click(/^Turns 1–3 · /);
    const replies = screen.getAllByRole("button", { name: "What this reply saw" });
    fireEvent.click(replies.at(-1)!);
    await click("Compare with the next message");
    const list = within(await screen.findByRole("list", { name: "Differences" }));
    const rows = list.getAllByRole("button").map((row) => row.textContent);
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatch(/^Siltstone's instructions\d+The same$/);
    expect(rows[1]).toMatch(/^Turns 1–3, v1\d+Only in the next message$/);
    expect(rows[2]).toMatch(/^4 earlier messages\d+Not in the next message$/);
    expect(rows[3]).toMatch(/^Your message\d+Not in the next message$/);
    fireEvent.click(list.getByText("Your message"));
    list.getByText("Question 3, about the store");
    await expectAccessible();
  });

  it("are unfolded and folded again", async () => {
    await start(3);
    summaries();
    await openCard(/Turns 1–3/);
    const pane = within(screen.getByRole("complementary"));
    fireEvent.click(await pane.findByRole("button", { name: "Unfold" }));
    await pane.findByText("sent word for word");
    await button("Turns 1–3 · sent word for word");
    fireEvent.click(await pane.findByRole("button", { name: "Fold" }));
    await waitFor(() => expect(pane.queryByText("sent word for word")).toBeNull());
    await button(/^Turns 1–3 · summary v1/);
  });
});

describe("folding", () => {
  it("is a choice of the conversation over that of the settings", async () => {
    const fake = await start(1);
    summaries();
    const pane = within(screen.getByRole("complementary"));
    const slider = await pane.findByRole("slider");
    fireEvent.change(slider, { target: { value: "0.45" } });
    const folding = () => fake.state.conversations.values().next().value!.folding;
    await waitFor(() => expect(folding()).toEqual({ policy: null, rate: 0.45 }));
    fireEvent.click(await pane.findByRole("button", { name: "As in the settings: 0.30" }));
    await waitFor(() => expect(folding()).toEqual({ policy: null, rate: null }));
    await click("Fold now");
    await pane.findByRole("button", { name: /Turn 1/ });
    await waitFor(() => expect(pane.getByRole<HTMLButtonElement>("button", { name: "Fold now" }).disabled).toBe(true));
  });

  it("has its page in the settings, in both languages", async () => {
    const fake = await start(1);
    setLanguage("ko");
    act(() => openOverlay({ kind: "settings", tab: "summaries" }));
    const threshold = await screen.findByRole("textbox", { name: "요약하지 않은 토큰이 이보다 많아지면 접기" });
    fireEvent.change(threshold, { target: { value: "50" } });
    fireEvent.blur(threshold);
    await screen.findByText("100에서 1,000,000 사이의 정수");
    expect(fake.state.settings.summary.threshold).toBe(8000);
    fireEvent.change(threshold, { target: { value: "16000" } });
    fireEvent.blur(threshold);
    await waitFor(() => expect(fake.state.settings.summary.threshold).toBe(16_000));
    await expectAccessible();
    fireEvent.click(screen.getByRole("switch", { name: "앞선 내용을 모델에 전하기" }));
    await waitFor(() => expect(fake.state.settings.summary.enabled).toBe(false));
    act(() => usePlace.setState({ overlay: null }));
    summaries();
    await screen.findByText("접기가 꺼져 있어요");
  });

  it("is announced on the bar, which asks nothing anew while the person types", async () => {
    const fake = await start(1);
    const asked = vi.spyOn(fake, "invoke");
    await button("Next fold in 2 turns");
    fireEvent.input(await field(), { target: { value: "A draft that is being written" } });
    await waitFor(() => expect(asked.mock.calls.map(([command]) => command)).toContain("request_preview"));
    expect(asked.mock.calls.map(([command]) => command)).not.toContain("summary_list");
    await ask("Question 2");
    await click("Folds after the next reply");
    await screen.findByRole("tabpanel", { name: "Summaries" });
  });
});
