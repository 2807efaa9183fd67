// Folds with receipts through the whole interface: what is left behind is kept with one press, lines lead to their messages,
// a false figure is marked, a fold is seen before it is made and taken back, and a rule that a request would not say is
// told before it is sent.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type Summary } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { CUT, latch, MODEL, pathOf, startHost, type Host, type Model } from "@/test/host";
import { answered as ask, button, click, expectAccessible, gone, push, shut, startAfresh } from "@/test/journey";
import { runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const RULE = "Never log the session token.";
const SAID = `The handler is src/api/session.rs, on port 5433. ${RULE}`;
/** So long that three of them are more than stays whole. */
const SAYS = `It pauses for 250 ms. ${"Whoever waits for it has time enough to look at something else. ".repeat(22).trim()}`;
const WINDOW = 4_000;
const SUMMARY = "They look for the handler. [m1]\nIts pause is 900 ms. [m1, m2]";

const pane = () => within(screen.getByRole("complementary"));
const summaries = () => act(() => runAction("summaries"));

/**
 * A conversation in which one turn says what matters, and two are so new that they stay whole, with its tab of summaries. No
 * fact but a rule goes along by itself.
 */
async function start(summarise: Model["summarise"] = () => SUMMARY, timeout_s = 60): Promise<Host> {
  const host = await startHost({ model: { reply: () => SAYS, summarise }, models: [{ id: MODEL, context_window: WINDOW }] });
  const { summary } = await host.settings();
  await host.change({ summary: { ...summary, policy: "rolling", kept_facts_share: 0, timeout_s } });
  setTransport(host);
  render(<App />);
  await click(/^Just talk/);
  for (const text of [SAID, "Go on.", "And on.", "And to the end."]) await ask(text);
  summaries();
  return host;
}

const here = () => usePlace.getState().conversationId!;
const records = async (host: Host): Promise<Summary[]> => (await host.invoke("summary_list", { id: here() })).records;
const newest = async (host: Host): Promise<Summary> => (await records(host)).at(-1)!;
const kept = async (host: Host) => (await newest(host)).receipt.kept.map(({ text }) => text);

async function foldNow(): Promise<void> {
  const now = await pane().findByRole<HTMLButtonElement>("button", { name: "Fold now" });
  await waitFor(() => expect(now.disabled).toBe(false));
  fireEvent.click(now);
}

async function folded(): Promise<void> {
  await foldNow();
  await push(pane().findByRole("button", { name: /^Turns 1–2 ?v\d/ }));
  await pane().findByRole("list", { name: "Kept of what was said" });
}

describe("a receipt", () => {
  it("says what is left behind, which is kept with one press and let go with one", async () => {
    const host = await start();
    await folded();
    const shares = pane().getByRole("list", { name: "Kept of what was said" });
    expect(within(shares).getAllByRole("listitem").map((share) => share.textContent)).toEqual([
      "rules 1/1",
      "paths 0/1",
      "numbers 0/2",
    ]);
    pane().getByText(/^It may stand for its messages, but much is lost of: paths, numbers$/);
    // A rule goes with it in any case, and cannot be let go by mistake.
    expect(await kept(host)).toEqual([RULE]);
    await gone(() => screen.queryByRole("button", { name: `Let it go: ${RULE}` }));
    const row = await pane().findByRole("button", { name: /^Turns 1–2 ?v1.*3 left behind.*1 fact goes with it/ });
    await expectAccessible();

    await click("Keep: src/api/session.rs");
    await waitFor(async () => expect(await kept(host)).toEqual([RULE, "src/api/session.rs"]));
    await waitFor(() => expect(row.textContent).toContain("2 left behind"));
    await screen.findByText("Kept: src/api/session.rs");
    await click("Undo");
    await waitFor(async () => expect(await kept(host)).toEqual([RULE]));
    await waitFor(() => expect(row.textContent).toContain("3 left behind"));
    await click("Keep: port 5433");
    fireEvent.click(await pane().findByText("2 facts go with it", { selector: "summary" }));
    await click("Let it go: port 5433");
    await screen.findByText("No longer kept: port 5433");
    await waitFor(async () => expect((await newest(host)).receipt.dropped).toEqual(["port 5433"]));
    await gone(() => screen.queryByRole("button", { name: "Keep: port 5433" }));
  });

  it("leads from a line and from a fact to what they rest on, and marks what no message says", async () => {
    const host = await start();
    await folded();
    const text = pane().getByRole("group", { name: "Text of the summary" });
    expect(text.textContent).toBe("They look for the handler.Its pause is 900 ms.");
    const [mark] = text.getElementsByTagName("mark");
    expect([mark!.textContent, mark!.closest<HTMLElement>("[data-flag]")!.dataset.flag]).toEqual([
      "900 ms",
      "not in the source",
    ]);
    within((await pane().findByText("1 line says what no message does:")).closest<HTMLElement>("[role=note]")!).getByText("900 ms");

    const [asked, answered] = (await pathOf(host, here())).map(({ id }) => id);
    const focused = (id: string) =>
      waitFor(() => expect(document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row).toBe(id));
    fireEvent.click(pane().getByRole("button", { name: "Show source 2 of 2: Its pause is 900 ms." }));
    await focused(answered!);
    fireEvent.click(pane().getByRole("button", { name: "Show its source: They look for the handler." }));
    await focused(asked!);
    fireEvent.click(pane().getByRole("button", { name: "port 5433" }));
    await focused(asked!);
  });

  it("says that the model was not done, until somebody mends it", async () => {
    const host = await start(() => ["They look for the handler. [m1]\nIts pause is 25", CUT]);
    await folded();
    const row = pane().getByRole("button", { name: /^Turns 1–2 ?v1.*not whole/ });
    // Half a figure would be a false one.
    const text = pane().getByRole("group", { name: "Text of the summary" });
    expect(text.textContent).toBe("They look for the handler.");
    pane().getByText("The model was not done with it");
    await expectAccessible();
    await push(pane().findByRole("button", { name: "Try another rate…" }));
    const tried = within(await screen.findByRole("region", { name: "v1, as it is" }));
    tried.getByText("The model was not done with it");
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    await shut();

    await push(pane().findByRole("button", { name: "Edit" }));
    fireEvent.change(pane().getByRole("textbox", { name: "Your version" }), { target: { value: "They look for it. It pauses for 250 ms." } });
    await push(pane().findByRole("button", { name: "Save as a new version" }));
    await waitFor(() => expect(row.textContent).not.toContain("not whole"));
    await gone(() => pane().queryByText("The model was not done with it"));
    expect((await newest(host)).receipt.cut).toBe(false);
  });

  it("says so before the fold is made, too", async () => {
    await start(() => ["They look for the handler. [m1]\nIts pause is 25", CUT]);
    await click("Preview…");
    const dialog = within(await screen.findByRole("dialog", { name: "The next fold: Turns 1–2" }));
    dialog.getByText("The model was not done with it");
    await expectAccessible();
  });

  it("stands in the conversation too, below the opened fold", async () => {
    const host = await start();
    await foldNow();
    await click(/^Turns 1–2 · /);
    const opened = within(await screen.findByRole("region", { name: "Summary, Turns 1–2" }));
    await push(opened.findByRole("button", { name: "Keep: src/api/session.rs" }));
    await waitFor(async () => expect(await kept(host)).toContain("src/api/session.rs"));
    await expectAccessible();
  });
});

describe("a fold", () => {
  it("is seen before it is made, edited, adopted and taken back", async () => {
    const host = await start();
    await click("Preview…");
    const dialog = within(await screen.findByRole("dialog", { name: "The next fold: Turns 1–2" }));
    dialog.getByText(/^Next request: [\d.]+k? → [\d.]+k? tokens$/);
    dialog.getByText(/^The provider's cache ends where the fold begins: [\d.]+k? tokens are read anew, once\.$/);
    dialog.getByText("1 line says what no message does:");
    await expectAccessible();
    expect(await records(host)).toEqual([]);

    fireEvent.click(dialog.getByRole("button", { name: "Add to the text: src/api/session.rs" }));
    await gone(() => dialog.queryByRole("button", { name: "Add to the text: src/api/session.rs" }));
    fireEvent.click(dialog.getByRole("button", { name: "Adopt" }));
    await screen.findByText("Folded, Turns 1–2", { selector: "[data-tone] *" });
    await gone(() => screen.queryByRole("dialog", { name: /The next fold/ }));
    expect((await newest(host)).summary).toBe("They look for the handler.\nIts pause is 900 ms.\nsrc/api/session.rs");
    expect((await newest(host)).receipt.lines.map(({ sources }) => sources.length)).toEqual([1, 2, 0]);

    await click("Undo");
    await pane().findByText("Turns 1–2: v1 was taken back");
    await gone(() => screen.queryByRole("button", { name: /^Turns 1–2 · / }));
    fireEvent.click(pane().getByRole("button", { name: "Fold" }));
    await button(/^Turns 1–2 · summary v2/);
    await push(pane().findByRole("button", { name: /^Turns 1–2 ?v\d/ }));
    await click("Undo the fold");
    await pane().findByText("Turns 1–2: v2 was taken back");
  });

  it("is let go where its preview is closed, and says why there is none", async () => {
    const host = await start(() => [latch().opened], 1);
    await click("Preview…");
    const dialog = within(await screen.findByRole("dialog", { name: "The next fold" }));
    await dialog.findByText("The model said nothing for too long.");
    expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Adopt" }).disabled).toBe(true);
    fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
    await shut();
    expect(await records(host)).toEqual([]);
  });
});

it("of a request without a rule in force is told before it is sent, in both languages", async () => {
  const host = await start();
  await folded();
  const { id, conversation_id } = await newest(host);
  await gone(() => screen.queryByText(/in force would not be/));
  const wish = { conversation_id, id: `summary:${id}`, source: "summary", wish: "left_out" as const };
  await act(() => host.invoke("section_wish", wish));
  const notice = within((await screen.findByText("1 rule in force would not be in the request:")).closest<HTMLElement>("[role=note]")!);
  notice.getByText(RULE);
  notice.getByText(/^There is no room for them, or their block was left out\./);
  await expectAccessible();
  act(() => setLanguage("ko"));
  await push(notice.findByRole("button", { name: "빠지는 것 보기" }));
  await screen.findByRole("tabpanel", { name: "요청" });
});
