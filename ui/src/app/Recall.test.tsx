// Recall through the whole interface: what was said earlier stands in the request with its reason, can be
// pinned, rejected and taken back, is switched by conversation and in the settings; and who makes vectors is chosen there.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { imported, latch, startHost, type HostOptions } from "@/test/host";
import { answered as ask, button, click, expectAccessible, field, gone, startAfresh } from "@/test/journey";
import { openOverlay, showContext, showSummaries, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const FOLDERS = { "/code/aurora": { "AGENTS.md": "# Rules" } };
const rows = () => [...document.querySelectorAll<HTMLElement>("[data-block]")];
const recalled = () => rows().filter(({ dataset }) => dataset.block!.startsWith("recall:"));
const menuOf = (row: HTMLElement) => fireEvent.click(within(row).getByRole("button", { name: /^More about/ }));
const choose = (name: string) => screen.findByRole("menuitem", { name }).then(fireEvent.click);

async function write(text: string) {
  fireEvent.input(await field(), { target: { value: text } });
}

async function pick(name: RegExp | string, option: RegExp) {
  fireEvent.keyDown(await screen.findByRole("combobox", { name }), { key: "ArrowDown" });
  const found = await screen.findByRole("option", { name: option });
  fireEvent.pointerDown(found, { pointerType: "mouse", buttons: 1 });
  fireEvent.click(found);
}

/** What else was said: a word stands out only among others. */
const OTHER = [
  "Which port does the database use?",
  "5433, as the file says.",
  "And who writes the release notes?",
  "Grace does that on Tuesdays.",
];

/** Two conversations of a project, and the person's answer whether what one says may go in the other; null is none yet. */
async function start({ others = true, ...options }: HostOptions & { others?: boolean | null } = {}) {
  const host = await startHost({ folders: FOLDERS, model: { reply: () => "So it is." }, ...options });
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));
  await click(/^Trust and use/);
  await field();
  const title = "The heron nests beside the old mill";
  const project_id = usePlace.getState().projectId!;
  const earlier = await imported(host, [title, "So it is.", ...OTHER], project_id);
  await host.invoke("conversation_rename", { id: earlier, title });
  if (others !== null) await host.invoke("others_allow", { project_id, allow: others });
  act(() => showContext("next"));
  return { host, earlier };
}

describe("recall", () => {
  it("puts what was said into the request with who, when, where and why, and a way there", async () => {
    const { earlier } = await start({ others: null });
    expect(recalled()).toEqual([]);
    await write("Where is the heron?");
    // Not before the person was asked.
    const asked = await screen.findByRole("group", { name: "Other conversations" });
    expect(recalled()).toEqual([]);
    fireEvent.click(within(asked).getByRole("button", { name: "Let them go along, always here" }));
    await waitFor(() => expect(recalled()).toHaveLength(1));
    await gone(() => screen.queryByRole("group", { name: "Other conversations" }));
    const [row] = recalled();
    expect(row!.textContent).toMatch(/The heron nests beside the old mill, Today/);
    expect(row!.textContent).toMatch(/Said on \d{4}-\d\d-\d\d by the user/);
    expect(row!.textContent).toMatch(/passage 1, worth \d+ of 100/);
    await screen.findByText(/^1 passage recalled, \d+ tokens/);
    screen.getByText(/^Something that was said is about this: up to \d+ %$/);
    const bar = screen.getByRole("group", { name: /^What the next message sends/ });
    within(bar).getByRole("button", { name: /old mill, Today.*Something that was said is about this/ });
    await expectAccessible();
    menuOf(row!);
    await choose("Open the source");
    await waitFor(() => expect(usePlace.getState().conversationId).toBe(earlier));
  });

  it("brings what was said otherwise later, and says when", async () => {
    const { host } = await start();
    const older = "The archive of the mill listens on port 7433";
    const newer = "7433 is taken by the old one. Use 7435 instead.";
    await imported(host, [older, "Noted.", ...OTHER, newer, "Done."], usePlace.getState().projectId!);
    await write("On which port does the archive of the mill listen?");
    const first = /, Today, said otherwise later.*Said on .*; said otherwise later that day.*: passage 2, worth \d+ of 100/;
    await waitFor(() => expect(recalled()[0]?.textContent).toMatch(first));
    const [row, ...others] = recalled();
    const best = others.find(({ textContent }) => /: passage 1, worth/.test(textContent!))!;
    expect(best.textContent).not.toMatch(/otherwise/);
    fireEvent.click(within(row!).getAllByRole("button")[0]!);
    await waitFor(() => expect(row!.textContent).toContain(older));
    await expectAccessible();
  });

  it("keeps a rejected passage out of every request until it is taken back, and a pinned one in", async () => {
    const { host } = await start();
    await write("Where is the heron?");
    await waitFor(() => expect(recalled()).toHaveLength(1));
    menuOf(recalled()[0]!);
    await choose("Never recall it here");
    const left = await screen.findByText("You left it out of this conversation");
    expect(recalled()).toEqual([]);
    expect(left.closest("li")!.textContent).toContain("The heron nests beside the old mill, Today");
    await ask("Where is the heron?");
    const { messages } = await host.invoke("conversation_page", { id: usePlace.getState().conversationId!, start: null, limit: 2 });
    const sent = await host.invoke("request_sent", { id: messages[0]!.turn_id! });
    expect(sent.sections.some(({ section }) => section.id.startsWith("recall:"))).toBe(false);
    await write("And does the heron nest beside the old mill?");
    const still = await screen.findByText("You left it out of this conversation");
    expect(recalled()).toEqual([]);
    fireEvent.click(within(still.closest("li")!).getByText("Take back"));
    await waitFor(() => expect(recalled().length).toBeGreaterThan(0));

    menuOf(recalled()[0]!);
    await choose("Pin");
    await write("Something else entirely");
    await waitFor(() => expect(recalled()[0]?.textContent).toMatch(/Pinned by you/));
  });

  it("is switched off and fixed for one conversation beside the policy, and goes by the settings again", async () => {
    const { host } = await start();
    await write("Where is the heron?");
    await waitFor(() => expect(recalled()).toHaveLength(1));
    await click("Change what is recalled");
    await screen.findByRole("combobox", { name: "Recall what was said" });
    await expectAccessible();
    await pick("Recall what was said", /^Off/);
    const id = usePlace.getState().conversationId!;
    const recall = async () => (await host.invoke("summary_list", { id })).folding.recall;
    await waitFor(async () => expect((await recall())?.on).toBe(false));
    act(() => showContext("next"));
    await waitFor(() => expect(recalled()).toEqual([]));
    act(() => showSummaries());
    await pick("Recall what was said", /fixed share/);
    const slider = await screen.findByRole<HTMLInputElement>("slider", { name: "Share of passages" });
    fireEvent.change(slider, { target: { value: "40" } });
    slider.dispatchEvent(new Event("change"));
    await waitFor(async () => expect(await recall()).toMatchObject({ on: true, share: 40 }));
    // What is chosen while the choice before it is being kept is kept too.
    const slow = latch();
    const quick = host.instead("folding_set", async (_, real) => {
      await slow.opened;
      return real();
    });
    await pick("From where", /alone/);
    await pick("Recall what was said", /^As in the settings: On, with as much room/);
    slow.open();
    await waitFor(async () => expect((await recall()) ?? null).toBeNull());
    quick();
    act(() => showContext("next"));
    await waitFor(() => expect(recalled()).toHaveLength(1));
  });
});

describe("settings of recall", () => {
  /** Two servers that make vectors: one of this computer, and one elsewhere. */
  async function settings() {
    const models = ["test-1", "text-embedding-3-small", "text-embedding-3-large"].map((id) => ({ id }));
    const { host } = await start({ elsewhere: true, models });
    await host.invoke("provider_add", { name: "home", kind: "openai", base_url: host.server.baseUrl });
    await host.invoke("provider_add", { name: "away", kind: "openai", base_url: "https://api.away.example/v1" });
    await host.invoke("key_set", { provider: "away", key: "sk-away-0123456789abcdef", place: "keyring" });
    act(() => openOverlay({ kind: "settings", tab: "recall" }));
    await screen.findByRole("heading", { name: "Find by meaning too" });
    return host;
  }

  it("says what would be sent and cost before a provider is asked, and asks for an allowance", async () => {
    const host = await settings();
    await pick("Who makes the vectors", /^away/);
    await pick("Model", /^text-embedding-3-small/);
    await screen.findByText(/^Sends 6 messages, about \d+ tokens, to this provider\./);
    screen.getByText(/^That costs about .*Later messages are sent as they come/);
    await expectAccessible();
    const most = screen.getByRole("textbox", { name: "Tokens to send at most, in all" });
    fireEvent.change(most, { target: { value: "lots" } });
    screen.getByText("A whole number of tokens");
    expect((await button("Use it")).hasAttribute("disabled")).toBe(true);
    fireEvent.change(most, { target: { value: "5000" } });
    await click("Use it");
    await screen.findByText(/of at most 5k tokens sent/);
    expect((await host.settings()).meaning).toEqual({
      embedder: { by: "provider", provider: "away", model: "text-embedding-3-small" },
      most_tokens: 5000,
      nobody: false,
      stopped: false,
    });
    await click("Words alone");
    await waitFor(async () => expect((await host.settings()).meaning).toMatchObject({ embedder: null, nobody: true }));
    await screen.findByRole("combobox", { name: "Who makes the vectors" });
  });

  it("uses a model of this computer without sending anything, stops and goes on", async () => {
    const host = await settings();
    await pick("Who makes the vectors", /^home/);
    await pick("Model", /^text-embedding-3-small/);
    await screen.findByText(/on this computer\. Nothing is sent\.$/);
    await gone(() => screen.queryByRole("textbox", { name: /^Tokens to send/ }));
    // Stopped while it is at work.
    const busy = latch();
    host.server.model.vectors = () => busy.opened;
    await click("Use it");
    await click("Stop");
    await screen.findByText("Stopped. What is made already still serves.");
    screen.getByText(/^Nothing leaves this computer/);
    await expectAccessible();
    busy.open();
    await click("Go on");
    await screen.findByText("6 of 6 messages");
  });

  it("shows what a command answered, though a look that began before it comes later", async () => {
    const host = await settings();
    const [busy, late] = [latch(), latch()];
    host.server.model.vectors = () => busy.opened;
    await pick("Who makes the vectors", /^home/);
    await pick("Model", /^text-embedding-3-small/);
    let [looks, answered] = [0, false];
    host.instead("meaning_choose", async (_, real) => {
      const state = await real();
      await waitFor(() => expect(looks).toBeGreaterThan(0));
      answered = true;
      return state;
    });
    host.instead("meaning_state", async (_, real) => {
      if (answered) return real();
      looks += 1;
      const before = await real();
      await late.opened;
      return { ...before, running: false };
    });
    await click("Use it");
    await button("Stop");
    await act(async () => late.open());
    await click("Stop");
    await screen.findByText("Stopped. What is made already still serves.");
    busy.open();
  });

  it("says of a model that came along that it did", async () => {
    const { host } = await start();
    host.instead("meaning_state", async (_, real) => ({
      ...(await real()),
      embedder: { by: "local" as const, name: "e5-small" },
      local: [{ name: "e5-small", bytes: 24_448_896, shipped: true }],
    }));
    act(() => openOverlay({ kind: "settings", tab: "recall" }));
    await screen.findByText(/^Comes with Siltstone · Nothing leaves this computer/);
    await expectAccessible();
    await click("Change…");
    fireEvent.keyDown(await screen.findByRole("combobox", { name: "Who makes the vectors" }), { key: "ArrowDown" });
    await screen.findByRole("option", { name: /^e5-small.*comes with Siltstone/ });
  });

  it("says what this computer alone means, refuses what would leave it, and speaks Korean", async () => {
    const host = await settings();
    await host.change({ this_computer_only: true });
    await screen.findByText(/^This computer only is on/);
    // Its models cannot even be asked for.
    await pick("Who makes the vectors", /^away/);
    await screen.findByRole("alert");
    expect((await host.settings()).meaning.embedder).toBeNull();
    act(() => setLanguage("ko"));
    await screen.findByRole("heading", { name: "뜻으로도 찾기" });
    await expectAccessible();
    await pick("전에 한 말 떠올리기", /^끄기/);
    await waitFor(async () => expect((await host.settings()).summary.recall.on).toBe(false));
  });
});
