// The main job through the whole interface on the fake host: start, drop, trust, ask, edit, branch,
// stop, search, links, trash, keys, language. Every screen that comes up is checked with axe.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type Backup } from "@/ipc";
import { createFake, type Fake, type FakeOptions } from "@/ipc/fake";
import { listed } from "@/ipc/fake/model";
import { button, expectAccessible, startAfresh } from "@/test/journey";
import { closeOverlay, openOverlay, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const FOLDERS = {
  "/code/aurora": {
    branch: "main",
    neverSent: [".env"],
    files: {
      "AGENTS.md": "# Rules\nNever break the API.",
      "CLAUDE.md": "# Rules\nNever break the API.",
      "src/auth.rs": "// The refresh token lives for thirty days.\nfn rotate() {}",
    },
  },
};

function start(options: FakeOptions = {}): Fake {
  const fake = createFake({ folders: FOLDERS, ...options });
  setTransport(fake);
  render(<App />);
  return fake;
}

async function dropAurora(fake: Fake) {
  await screen.findByText("Drop a project folder here");
  act(() => fake.drag({ type: "drop", paths: ["/code/aurora"] }));
  fireEvent.click(await screen.findByRole("button", { name: /^Trust and use/ }));
  return screen.findByRole("textbox", { name: "Message" });
}

async function ask(text: string) {
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  fireEvent.input(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
  fireEvent.keyUp(field, { key: "Enter", keyCode: 13 });
}

const press = (init: KeyboardEventInit) => fireEvent.keyDown(document.activeElement ?? document.body, init);
const ended = () => waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());

describe("the window", () => {
  it("goes from a dropped folder to an answer, an edit and back", async () => {
    const fake = start();
    await screen.findByText("Drop a project folder here");
    await expectAccessible();
    act(() => fake.drag({ type: "enter", paths: ["/code/aurora"] }));
    screen.getByText("Drop the folder to open it");
    act(() => fake.drag({ type: "drop", paths: ["/code/aurora"] }));

    const sheet = await screen.findByRole("dialog", { name: "aurora" });
    await within(sheet).findByText("same as AGENTS.md");
    within(sheet).getByText(".env");
    within(sheet).getByText("main");
    await expectAccessible();
    expect(fake.state.projects.size).toBe(0);
    fireEvent.click(within(sheet).getByRole("button", { name: /^Trust and use/ }));

    await screen.findByText(/tokens of memory go with the first message/);
    await expectAccessible();
    await ask("How long does the refresh token live?");
    await screen.findByText("src/auth.rs:1");
    await ended();
    expect([...fake.state.conversations.values()][0]!.title).toBe("How long does the refresh token live?");
    await expectAccessible();

    fireEvent.click((await screen.findAllByRole("button", { name: "Edit" }))[0]!);
    const edit = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Edit message" });
    fireEvent.change(edit, { target: { value: "And what rotates?" } });
    fireEvent.click(await button("Send edited"));
    await screen.findByText("And what rotates?");
    await ended();
    expect(screen.queryByText("How long does the refresh token live?", { selector: "[data-selectable]" })).toBeNull();
    press({ key: "ArrowLeft", code: "ArrowLeft", altKey: true });
    await screen.findByText("How long does the refresh token live?", { selector: "[data-selectable]" });
  });

  it("opens an answered folder at once and says kindly that files cannot be dropped", async () => {
    const fake = start();
    await fake.invoke("project_open", { path: "/code/aurora", trust: "untrusted", this_computer_only: null });
    await screen.findByText("Drop a project folder here");
    act(() => fake.drag({ type: "drop", paths: ["/code/notes.txt"] }));
    await screen.findByText(/Only folders can be dropped/);
    act(() => fake.offer("/code/aurora"));
    await screen.findByText(/instructions stay out, as you chose/);
    expect(usePlace.getState().overlay).toBeNull();
  });

  it("stops an answer, keeps what came, queues meanwhile, and continues", async () => {
    const words = Array.from({ length: 400 }, (_, n) => `word${n}`).join(" ");
    const fake = start({ reply: () => words, delayMs: 2 });
    await dropAurora(fake);
    await ask("Tell me much");
    await screen.findByText(/word3/);
    await ask("And then?");
    fireEvent.click(await button("Take out of the queue"));
    await waitFor(() => expect(screen.queryByText("And then?")).toBeNull());
    press({ key: "Escape", code: "Escape" });
    const resume = await button("Continue");
    screen.getByRole("complementary", { name: "Context" });
    press({ key: "Escape", code: "Escape" });
    await waitFor(() => expect(screen.queryByRole("complementary", { name: "Context" })).toBeNull());
    expect(document.body.textContent).not.toContain("word399");
    fireEvent.click(resume);
    await screen.findByText(/word399/, {}, { timeout: 20_000 });
  });

  it("gives the text back when it could not be sent, and sends it on Try again", async () => {
    const fake = start();
    await dropAurora(fake);
    const invoke = fake.invoke;
    fake.invoke = (command, request) =>
      command === "send"
        ? Promise.reject({ code: "disk_full", message: "no space left", hint: "" })
        : invoke(command, request);
    await ask("Do not lose me");
    await screen.findByText("The disk is full.");
    const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
    expect(field.value).toBe("Do not lose me");
    await expectAccessible();
    fake.invoke = invoke;
    fireEvent.click(await button("Try again"));
    await screen.findByText("Do not lose me", { selector: "[data-selectable]" });
    expect(field.value).toBe("");
  });

  it("keeps a draft for its conversation", async () => {
    const fake = start();
    const field = await dropAurora(fake);
    fireEvent.input(field, { target: { value: "half a thought" } });
    await ask("first");
    await ended();
    fireEvent.input(await screen.findByRole("textbox", { name: "Message" }), { target: { value: "half a thought" } });
    press({ key: "n", code: "KeyN", ctrlKey: true });
    await screen.findByText(/tokens of memory go/);
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" }).value).toBe("");
    fireEvent.click(await button("first"));
    await waitFor(() =>
      expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" }).value).toBe("half a thought"),
    );
  });

  it("finds a message everywhere and opens there; shows what a reply saw", async () => {
    const fake = start();
    await dropAurora(fake);
    await ask("The heron stands in the reeds");
    await ended();
    press({ key: "n", code: "KeyN", ctrlKey: true });
    await screen.findByText(/tokens of memory go/);
    press({ key: "F", code: "KeyF", ctrlKey: true, shiftKey: true });
    const dialog = await screen.findByRole("dialog", { name: "Search everything" });
    fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: "heron" } });
    const hit = await within(dialog).findByText("heron", { selector: "mark" });
    await expectAccessible();
    fireEvent.click(hit);
    await screen.findByText("The heron stands in the reeds", { selector: "[data-selectable]" });
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset.row).toBeDefined());

    press({ key: "I", code: "KeyI", ctrlKey: true, shiftKey: true });
    const pane = await screen.findByRole("complementary", { name: "Context" });
    fireEvent.click(await within(pane).findByRole("button", { name: /^AGENTS.md/ }));
    within(pane).getByText(/Never break the API/);
    within(pane).getByText("Left out: 1");
    await expectAccessible();
  });

  it("shows the address before a link leaves, and opens project files inside", async () => {
    const fake = start({
      reply: () => "[out](https://аpple.com/login) and [in](silt:file/src/auth.rs?line=2) and [no](javascript:alert(1))",
    });
    await dropAurora(fake);
    await ask("links");
    fireEvent.click(await screen.findByRole("link", { name: "out" }));
    const dialog = await screen.findByRole("dialog", { name: "Open this address?" });
    within(dialog).getByText(/^Goes to xn--/);
    within(dialog).getByText(/letters beyond plain Latin/);
    await expectAccessible();
    expect(fake.opened).toEqual([]);
    fireEvent.click(within(dialog).getByRole("button", { name: "Open" }));
    await waitFor(() => expect(fake.opened).toHaveLength(1));
    expect(screen.queryByRole("link", { name: "no" })).toBeNull();

    fireEvent.click(await screen.findByRole("link", { name: "in" }));
    const file = await screen.findByRole("dialog", { name: "src/auth.rs" });
    await within(file).findByText("fn rotate() {}");
    await expectAccessible();
  });

  it("deletes with a way back, and for ever only after a question", async () => {
    const fake = start();
    await dropAurora(fake);
    await ask("Short lived");
    await ended();
    fireEvent.click(await button("More for Short lived"));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Delete" }));
    fireEvent.click(await button("Undo"));
    const rail = () => within(screen.getByRole("navigation"));
    fireEvent.keyDown(await waitFor(() => rail().getByRole("button", { name: "Short lived" })), { key: "Delete" });
    fireEvent.click(await button("Trash"));
    const trash = await screen.findByRole("dialog", { name: "Trash" });
    fireEvent.click(await within(trash).findByRole("button", { name: "Delete Short lived for ever" }));
    const question = await screen.findByRole("dialog", { name: "Delete for ever?" });
    expect(fake.state.conversations.size).toBe(1);
    fireEvent.click(within(question).getByRole("button", { name: "Delete for ever" }));
    await waitFor(() => expect(fake.state.conversations.size).toBe(0));
  });

  it("connects a model of this computer and follows a change of it", async () => {
    const servers = [
      { name: "Ollama", kind: "ollama" as const, base_url: "http://127.0.0.1:11434", models: [listed("gemma3:270m")] },
    ];
    const fake = start({ servers });
    fireEvent.click(await button("Connect Ollama"));
    await screen.findByText("Answers come from gemma3:270m (Ollama).");
    fireEvent.click(await button("Another address"));
    fireEvent.change(screen.getByRole("textbox", { name: "Base URL" }), { target: { value: "http://example.com/v1" } });
    fireEvent.click(await button("Test"));
    await screen.findByText("That address is not encrypted.");
    expect(fake.state.providers.map(({ name }) => name)).toEqual(["offline", "Ollama"]);
  });

  it("switches language live and takes other keys, both from the settings", async () => {
    const fake = start();
    await screen.findByText("Drop a project folder here");
    press({ key: ",", code: "Comma", ctrlKey: true });
    await screen.findByRole("dialog", { name: "Settings" });
    for (const tab of ["Models & keys", "Privacy", "Projects", "Data", "About", "Shortcuts"]) {
      fireEvent.click(screen.getByRole("tab", { name: tab }));
      await expectAccessible();
    }
    fireEvent.click(await button("Change the keys of Command palette"));
    press({ key: "p", code: "KeyP", ctrlKey: true });
    await screen.findByText(/already does: Go to conversation/);
    press({ key: "j", code: "KeyJ", ctrlKey: true });
    await waitFor(() => expect(fake.state.settings.keys).toEqual({ palette: "Mod+J" }));
    fireEvent.click(await button("Close"));
    await act(() => fake.invoke("settings_set", { ...fake.state.settings, language: "ko" }));
    await screen.findByText("프로젝트 폴더를 여기에 놓으세요");
    expect(document.documentElement.lang).toBe("ko");
    press({ key: "j", code: "KeyJ", ctrlKey: true });
    const field = await screen.findByRole("combobox", { name: "명령이나 대화를 입력하세요" });
    await expectAccessible();
    fireEvent.change(field, { target: { value: "ㅅㅈ" } });
    expect(screen.getAllByRole("option")[0]!.textContent).toContain("설정");
    fireEvent.keyDown(field, { key: "Enter" });
    await screen.findByRole("dialog", { name: "설정" });
  });

  it("has the pages of the settings in a column that the arrows walk, and in a list where there is no room", async () => {
    start();
    await screen.findByText("Drop a project folder here");
    act(() => openOverlay({ kind: "settings", tab: "general" }));
    const column = await screen.findByRole("tablist", { name: "Settings" });
    expect(column.getAttribute("aria-orientation")).toBe("vertical");
    const chosen = () => within(column).getByRole("tab", { selected: true });
    act(() => chosen().focus());
    for (const [key, page] of [
      ["ArrowDown", "Shortcuts"],
      ["ArrowDown", "Models & keys"],
      ["End", "About"],
      ["Home", "General"],
    ] as const) {
      fireEvent.keyDown(document.activeElement!, { key });
      await waitFor(() => expect(chosen().textContent).toBe(page));
      expect(document.activeElement).toBe(chosen());
      screen.getByRole("tabpanel", { name: page });
    }
    const all = within(column).getAllByRole("tab").map(({ textContent }) => textContent);
    expect(new Set(all).size).toBe(16);

    const wide = window.matchMedia;
    window.matchMedia = (query) => Object.assign(wide(query), { matches: false });
    try {
      act(() => closeOverlay());
      act(() => openOverlay({ kind: "settings", tab: "data" }));
      const list = await screen.findByRole("combobox", { name: "Page" });
      await waitFor(() => expect(screen.queryByRole("tablist", { name: "Settings" })).toBeNull());
      screen.getByRole("region", { name: "Data" });
      await expectAccessible();
      fireEvent.keyDown(list, { key: "ArrowDown" });
      const option = await screen.findByRole("option", { name: "Network" });
      fireEvent.pointerDown(option, { pointerType: "mouse", buttons: 1 });
      fireEvent.click(option);
      await screen.findByRole("region", { name: "Network" });
    } finally {
      window.matchMedia = wide;
    }
  });

  it("says honestly that the data is damaged, and restores a backup", async () => {
    const backup: Backup = {
      name: "siltstone-daily-2026-05-01T09-00-00Z.db",
      kind: { why: "daily" },
      made_at: "2026-05-01T09:00:00Z",
      bytes: 6_200_000,
      holds: { conversations: 12, messages: 1340 },
    };
    const data = { state: "damaged", detail: "database disk image is malformed" } as const;
    start({ data, backups: [{ backup, messages: new Map() }] });
    await screen.findByText("The database cannot be read.");
    screen.getByText("database disk image is malformed");
    await screen.findByText("Daily · 6.2 MB · 12 conversations, 1,340 messages");
    await expectAccessible();
    fireEvent.click(await button(/^Restore the backup of May 1, 2026/));
    const question = await screen.findByRole("dialog", { name: "Restore this backup?" });
    const now = await within(question).findByRole("button", { name: "Restore" });
    await waitFor(() => expect(now).toHaveProperty("disabled", false));
    fireEvent.click(now);
    await screen.findByText("Drop a project folder here");
  });
});
