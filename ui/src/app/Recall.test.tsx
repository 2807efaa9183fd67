// Recall through the whole interface on the fake host: what was said earlier stands in the request with its reason, can be
// pinned, rejected and taken back, is switched by conversation and in the settings; and who makes vectors is chosen there.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { createFake, type FakeOptions } from "@/ipc/fake";
import { DEFAULTS } from "@/ipc/fake/summaries";
import { setLanguage } from "@/shared/i18n";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { openOverlay, showContext, showSummaries, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const FOLDERS = { "/code/aurora": { files: { "AGENTS.md": "# Rules" } } };
const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const rows = () => [...document.querySelectorAll<HTMLElement>("[data-block]")];
const recalled = () => rows().filter(({ dataset }) => dataset.block!.startsWith("recall:"));
const menuOf = (row: HTMLElement) => fireEvent.click(within(row).getByRole("button", { name: /^More about/ }));
const choose = (name: string) => screen.findByRole("menuitem", { name }).then(fireEvent.click);

async function ask(text: string) {
  fireEvent.input(await field(), { target: { value: text } });
  await click("Send");
  await screen.findByText(text, { selector: "[data-row] *" });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
}

async function write(text: string) {
  fireEvent.input(await field(), { target: { value: text } });
}

async function pick(name: RegExp | string, option: RegExp) {
  fireEvent.keyDown(await screen.findByRole("combobox", { name }), { key: "ArrowDown" });
  const found = await screen.findByRole("option", { name: option });
  fireEvent.pointerDown(found, { pointerType: "mouse", buttons: 1 });
  fireEvent.click(found);
}

/** Two conversations of a project: what the first one says is in no request of the second one by itself. */
async function start(options: FakeOptions = {}) {
  const summary = { ...DEFAULTS, policy: "none" as const };
  const fake = createFake({ folders: FOLDERS, reply: () => "So it is.", ...options, settings: { summary, ...options.settings } });
  setTransport(fake);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  act(() => fake.drag({ type: "drop", paths: ["/code/aurora"] }));
  await click(/^Trust and use/);
  await ask("The heron nests beside the old mill");
  const earlier = usePlace.getState().conversationId!;
  fireEvent.keyDown(document.body, { key: "n", code: "KeyN", ctrlKey: true });
  await waitFor(() => expect(usePlace.getState().conversationId).not.toBe(earlier));
  act(() => showContext("next"));
  return { fake, earlier };
}

describe("recall", () => {
  it("puts what was said into the request with who, when, where and why, and a way there", async () => {
    const { earlier } = await start();
    expect(recalled()).toEqual([]);
    await write("Where is the heron?");
    await waitFor(() => expect(recalled()).toHaveLength(1));
    const [row] = recalled();
    expect(row!.textContent).toMatch(/The heron nests beside the old mill, Today/);
    expect(row!.textContent).toMatch(/Said on \d{4}-\d\d-\d\d by the user/);
    expect(row!.textContent).toMatch(/passage 1, worth \d+ of 100/);
    await screen.findByText(/^1 passage recalled, \d+ tokens/);
    screen.getByText("Something that was said is about this: up to 25 %");
    const bar = screen.getByRole("group", { name: /^What the next message sends/ });
    within(bar).getByRole("button", { name: /old mill, Today.*Something that was said is about this/ });
    await expectAccessible();
    menuOf(row!);
    await choose("Open the source");
    await waitFor(() => expect(usePlace.getState().conversationId).toBe(earlier));
  });

  it("keeps a rejected passage out of every request until it is taken back, and a pinned one in", async () => {
    const { fake } = await start();
    await write("Where is the heron?");
    await waitFor(() => expect(recalled()).toHaveLength(1));
    menuOf(recalled()[0]!);
    await choose("Never recall it here");
    const left = await screen.findByText("You left it out of this conversation");
    expect(recalled()).toEqual([]);
    expect(left.closest("li")!.textContent).toContain("The heron nests beside the old mill, Today");
    await ask("Where is the heron?");
    const sent = [...fake.state.turns.values()].at(-1)!;
    expect(sent.sections.some(({ id }) => id.startsWith("recall:"))).toBe(false);
    await write("And the heron now?");
    const still = await screen.findByText("You left it out of this conversation");
    expect(recalled()).toEqual([]);
    fireEvent.click(within(still.closest("li")!).getByText("Take back"));
    await waitFor(() => expect(recalled()).toHaveLength(1));

    menuOf(recalled()[0]!);
    await choose("Pin");
    await write("Something else entirely");
    await waitFor(() => expect(recalled()[0]?.textContent).toMatch(/Pinned by you/));
  });

  it("is switched off and fixed for one conversation beside the policy, and goes by the settings again", async () => {
    const { fake } = await start();
    await write("Where is the heron?");
    await waitFor(() => expect(recalled()).toHaveLength(1));
    await click("Change what is recalled");
    await screen.findByRole("combobox", { name: "Recall what was said" });
    await expectAccessible();
    await pick("Recall what was said", /^Off/);
    const id = usePlace.getState().conversationId!;
    await waitFor(() => expect(fake.state.conversations.get(id)!.folding.recall?.on).toBe(false));
    act(() => showContext("next"));
    await waitFor(() => expect(recalled()).toEqual([]));
    act(() => showSummaries());
    await pick("Recall what was said", /fixed share/);
    const slider = await screen.findByRole<HTMLInputElement>("slider", { name: "Share of passages" });
    fireEvent.change(slider, { target: { value: "40" } });
    slider.dispatchEvent(new Event("change"));
    await waitFor(() => expect(fake.state.conversations.get(id)!.folding.recall).toMatchObject({ on: true, share: 40 }));
    await pick("From where", /alone/);
    await waitFor(() => expect(fake.state.conversations.get(id)!.folding.recall?.scope).toBe("conversation"));
    await pick("Recall what was said", /^As in the settings: On, with as much room/);
    await waitFor(() => expect(fake.state.conversations.get(id)!.folding.recall).toBeUndefined());
    act(() => showContext("next"));
    await waitFor(() => expect(recalled()).toHaveLength(1));
  });
});

describe("settings of recall", () => {
  const servers = {
    ollama: { name: "ollama", kind: "ollama", base_url: "http://127.0.0.1:11434" },
    away: { name: "away", kind: "openai", base_url: "https://api.away.example/v1" },
  } as const;

  async function settings(options: FakeOptions = {}) {
    const { fake } = await start({
      embedders: { away: ["embed-small", "embed-large"] },
      localEmbedders: [{ name: "small-ko-en", bytes: 31_000_000 }],
      ...options,
    });
    for (const record of Object.values(servers)) await fake.invoke("provider_add", record);
    act(() => openOverlay({ kind: "settings", tab: "recall" }));
    await screen.findByRole("heading", { name: "Find by meaning too" });
    return fake;
  }

  it("says what would be sent and cost before a provider is asked, and asks for an allowance", async () => {
    const fake = await settings();
    await pick("Who makes the vectors", /^away/);
    await pick("Model", /^embed-small/);
    await screen.findByText(/^Sends 2 messages, about \d+ tokens, to this provider\./);
    screen.getByText(/^That costs about .*Later messages are sent as they come/);
    await expectAccessible();
    const most = screen.getByRole("textbox", { name: "Tokens to send at most, in all" });
    fireEvent.change(most, { target: { value: "lots" } });
    screen.getByText("A whole number of tokens");
    expect((await button("Use it")).hasAttribute("disabled")).toBe(true);
    fireEvent.change(most, { target: { value: "5000" } });
    await click("Use it");
    await screen.findByText(/of at most 5k tokens sent/);
    expect(fake.state.settings.meaning).toEqual({
      embedder: { by: "provider", provider: "away", model: "embed-small" },
      most_tokens: 5000,
      stopped: false,
    });
    await click("Words alone");
    await waitFor(() => expect(fake.state.settings.meaning.embedder).toBeNull());
    await screen.findByRole("combobox", { name: "Who makes the vectors" });
  });

  it("uses a model of this computer without sending anything, stops and goes on", async () => {
    const fake = await settings();
    await pick("Who makes the vectors", /^small-ko-en/);
    await screen.findByText(/on this computer\. Nothing is sent\.$/);
    expect(screen.queryByRole("textbox", { name: /^Tokens to send/ })).toBeNull();
    await click("Use it");
    await screen.findByText("2 of 2 messages");
    screen.getByText(/^Nothing leaves this computer/);
    await act(async () => void (await fake.invoke("meaning_stop", null)));
    await screen.findByText("Stopped. What is made already still serves.");
    await expectAccessible();
    await click("Go on");
    await screen.findByText("2 of 2 messages");
  });

  it("says what this computer alone means, refuses what would leave it, and speaks Korean", async () => {
    const fake = await settings();
    fake.state.settings = { ...fake.state.settings, this_computer_only: true };
    act(() => fake.state.emit({ type: "settings" }));
    await screen.findByText(/^This computer only is on/);
    await pick("Who makes the vectors", /^away/);
    await pick("Model", /^embed-large/);
    await click("Use it");
    await screen.findByRole("alert");
    expect(fake.state.settings.meaning.embedder).toBeNull();
    act(() => setLanguage("ko"));
    await screen.findByRole("heading", { name: "뜻으로도 찾기" });
    await expectAccessible();
    await pick("전에 한 말 떠올리기", /^끄기/);
    await waitFor(() => expect(fake.state.settings.summary.recall.on).toBe(false));
  });
});
