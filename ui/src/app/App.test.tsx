// The main job through the whole interface: start, drop, trust, ask, edit, branch,
// stop, search, links, trash, keys, language. Every screen that comes up is checked with axe.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { toast } from "@/shared/kit";
import { CUT, latch, startHost, type Host, type HostOptions, type Model } from "@/test/host";
import { answered, button, click, ended, expectAccessible, field, gone, heard, push, startAfresh } from "@/test/journey";
import { closeOverlay, openOverlay, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const FOLDERS = {
  "/code/aurora": {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".env": "KEY=1",
    "AGENTS.md": "# Rules\nNever break the API.",
    "CLAUDE.md": "# Rules\nNever break the API.",
    "src/auth.rs": "// The refresh token lives for thirty days.\nfn rotate() {}",
  },
};

async function start(options: HostOptions = {}): Promise<Host> {
  const host = await startHost({ folders: FOLDERS, ...options });
  setTransport(host);
  render(<App />);
  return host;
}

async function dropAurora(host: Host) {
  await screen.findByText("Drop a project folder here");
  act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));
  await push(screen.findByRole("button", { name: /^Trust and use/ }));
  return field();
}

/** Writes a message and presses Enter. */
async function enter(text: string) {
  const message = await field();
  fireEvent.input(message, { target: { value: text } });
  fireEvent.keyDown(message, { key: "Enter", keyCode: 13 });
  fireEvent.keyUp(message, { key: "Enter", keyCode: 13 });
}

async function ask(text: string) {
  await enter(text);
  await screen.findByText(text, { selector: "[data-said] *" });
}

const conversations = (host: Host, trashed = false) => host.invoke("conversation_list", { project_id: null, trashed });
const press = (init: KeyboardEventInit) => fireEvent.keyDown(document.activeElement ?? document.body, init);

describe("the window", () => {
  it("goes from a dropped folder to an answer, an edit and back", async () => {
    const host = await start();
    await screen.findByText("Drop a project folder here");
    await expectAccessible();
    act(() => host.drag({ type: "enter", paths: [host.at("/code/aurora")] }));
    screen.getByText("Drop the folder to open it");
    act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));

    const sheet = await screen.findByRole("dialog", { name: "aurora" });
    await within(sheet).findByText("same as AGENTS.md");
    within(sheet).getByText(".env");
    within(sheet).getByText("main");
    await expectAccessible();
    expect(await host.invoke("project_list", null)).toEqual([]);
    fireEvent.click(within(sheet).getByRole("button", { name: /^Trust and use/ }));

    await screen.findByText("What would you like to know?");
    await expectAccessible();
    await ask("How long does the refresh token live?");
    await screen.findByText("src/auth.rs:1");
    await ended();
    expect((await conversations(host))[0]!.title).toBe("How long does the refresh token live?");
    await expectAccessible();

    fireEvent.click((await screen.findAllByRole("button", { name: "Edit" }))[0]!);
    const edit = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Edit message" });
    fireEvent.change(edit, { target: { value: "And what rotates?" } });
    fireEvent.click(await button("Send edited"));
    await screen.findByText("And what rotates?", { selector: "[data-said] *" });
    await ended();
    await gone(() => screen.queryByText("How long does the refresh token live?", { selector: "[data-said] *" }));
    press({ key: "ArrowLeft", code: "ArrowLeft", altKey: true });
    await screen.findByText("How long does the refresh token live?", { selector: "[data-said] *" });
  });

  it("opens an answered folder at once and says kindly that files cannot be dropped", async () => {
    const host = await start({ disk: { "/code/notes.txt": "Buy tea." } });
    await host.open("/code/aurora", "untrusted");
    await screen.findByText("Drop a project folder here");
    act(() => host.drag({ type: "drop", paths: [host.at("/code/notes.txt")] }));
    await screen.findByText(/Only folders can be dropped/);
    act(() => host.offer("/code/aurora"));
    await button(/rule files?, not trusted$/);
    expect(usePlace.getState().overlay).toBeNull();
  });

  it("stops an answer, keeps what came, queues meanwhile, and continues", async () => {
    const words = Array.from({ length: 400 }, (_, n) => `word${n}`).join(" ");
    const rest = words.indexOf(" word200");
    const reply = () => [words.slice(0, rest), latch().opened, words.slice(rest)];
    const host = await start({ model: { reply } });
    await dropAurora(host);
    await ask("Tell me much");
    await screen.findByText(/word3/);
    await enter("And then?");
    fireEvent.click(await button("Take out of the queue"));
    await gone(() => screen.queryByText("And then?"));
    press({ key: "Escape", code: "Escape" });
    const resume = await button("Continue");
    // The person stopped it: nothing is wrong.
    const stopped = screen.getAllByText("Stopped here. What arrived is kept.", { selector: "[data-row] *" });
    expect(stopped.map((one) => one.closest("[data-tone]"))).toEqual([null]);
    screen.getByRole("complementary", { name: "Context" });
    // While anything can be stopped, that is what the key does.
    await gone(() => screen.queryByRole("button", { name: "Stop" }));
    // What a toast says keeps no key from the page.
    act(() => void toast({ text: "Copied" }));
    await screen.findByText("Copied");
    press({ key: "Escape", code: "Escape" });
    await gone(() => screen.queryByRole("complementary", { name: "Context" }));
    expect(document.body.textContent).not.toContain("word399");
    fireEvent.click(resume);
    await screen.findByText(/word399/);
  });

  it("goes on inside a block of code that an answer was cut in", async () => {
    const reply = () => ["Here:\n\n```python\nfirst()\nsec", latch().opened, "ond()\n```\n\nThat is *all*."];
    const host = await start({ model: { reply } });
    await dropAurora(host);
    await ask("Write it");
    const code = (text: string) => screen.findByText((_, it) => it?.tagName === "PRE" && it.textContent === text);
    await code("first()\nsec");
    press({ key: "Escape", code: "Escape" });
    fireEvent.click(await button("Continue"));
    await code("ond()");
    expect((await screen.findByText("all")).tagName).toBe("EM");
  });

  it("says how an answer ended to whoever cannot see it, as its row does", async () => {
    const reply: Model["reply"] = (question) => (question === "Write it" ? "It is written." : ["It is half", CUT]);
    const host = await start({ model: { reply } });
    await dropAurora(host);
    const said = heard();
    const endings = () => said.filter((one) => one !== "Answering");
    await answered("Write it");
    await waitFor(() => expect(endings()).toEqual(["Done, 3 words"]));
    await answered("And more");
    await button("Continue");
    const title = "The answer reached its greatest length.";
    screen.getByText(title);
    await waitFor(() => expect(endings()).toHaveLength(2));
    expect(endings()[1]).toMatch(`${title} A greater maximum output`);
  });

  it("gives the text back when it could not be sent, and sends it on Try again", async () => {
    const host = await start();
    await dropAurora(host);
    const room = host.failing("send", { code: "disk_full", message: "no space left" });
    await enter("Do not lose me");
    await screen.findByText("The disk is full.");
    const message = await field();
    expect(message.value).toBe("Do not lose me");
    await expectAccessible();
    room();
    fireEvent.click(await button("Try again"));
    await screen.findByText("Do not lose me", { selector: "[data-said] *" });
    await waitFor(() => expect(message.value).toBe(""));
  });

  it("keeps a draft for its conversation", async () => {
    const host = await start();
    fireEvent.input(await dropAurora(host), { target: { value: "half a thought" } });
    await ask("first");
    await ended();
    fireEvent.input(await field(), { target: { value: "half a thought" } });
    press({ key: "n", code: "KeyN", ctrlKey: true });
    await screen.findByText("What would you like to know?");
    await waitFor(async () => expect((await field()).value).toBe(""));
    fireEvent.click(await button("first"));
    await waitFor(async () => expect((await field()).value).toBe("half a thought"));
  });

  it("finds a message everywhere and opens there; shows what a reply saw", async () => {
    const host = await start();
    await dropAurora(host);
    await ask("The heron stands in the reeds");
    await ended();
    press({ key: "n", code: "KeyN", ctrlKey: true });
    await screen.findByText("What would you like to know?");
    press({ key: "F", code: "KeyF", ctrlKey: true, shiftKey: true });
    const dialog = await screen.findByRole("dialog", { name: "Search everything" });
    fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: "heron" } });
    const hit = await within(dialog).findByText("heron", { selector: "mark" });
    await expectAccessible();
    fireEvent.click(hit);
    await screen.findByText("The heron stands in the reeds", { selector: "[data-said] *" });
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset.row).toBeDefined());

    press({ key: "I", code: "KeyI", ctrlKey: true, shiftKey: true });
    const pane = await screen.findByRole("complementary", { name: "Context" });
    await push(within(pane).findByRole("button", { name: /^AGENTS.md/ }));
    within(pane).getByText(/Never break the API/);
    within(pane).getByText("Left out: 1");
    await expectAccessible();
  });

  it("shows the address before a link leaves, and opens project files inside", async () => {
    const host = await start({
      model: { reply: () => "[out](https://аpple.com/login) and [in](silt:file/src/auth.rs?line=2) and [no](javascript:alert(1))" },
    });
    await dropAurora(host);
    await ask("links");
    await ended();
    fireEvent.click(await screen.findByRole("link", { name: "out" }));
    const dialog = await screen.findByRole("dialog", { name: "Open this address?" });
    within(dialog).getByText(/^Goes to xn--/);
    within(dialog).getByText(/letters beyond plain Latin/);
    await expectAccessible();
    expect(host.opened).toEqual([]);
    fireEvent.click(within(dialog).getByRole("button", { name: "Open" }));
    await waitFor(() => expect(host.opened).toHaveLength(1));
    await gone(() => screen.queryByRole("link", { name: "no" }));

    fireEvent.click(await screen.findByRole("link", { name: "in" }));
    const file = await screen.findByRole("dialog", { name: "src/auth.rs" });
    await within(file).findByText("fn rotate() {}");
    await expectAccessible();
  });

  it("deletes with a way back, and for ever only after a question", async () => {
    const host = await start();
    await dropAurora(host);
    await ask("Short lived");
    await ended();
    // Without any conversation there would be no rail.
    const { project_id } = (await conversations(host))[0]!;
    const other = await host.invoke("conversation_create", { project_id });
    await host.invoke("conversation_rename", { id: other.id, title: "Long lived" });
    await button("Long lived");
    fireEvent.click(await button("More for Short lived"));
    const row = () => {
      const rail = screen.queryByRole("navigation");
      return rail && within(rail).queryByRole("button", { name: "Short lived" });
    };
    fireEvent.click(await screen.findByRole("menuitem", { name: "Delete" }));
    await waitFor(() => expect(row()).toBeNull());
    // What stands beside it in the list is shown in its place, until it is back.
    await waitFor(() => expect(usePlace.getState().conversationId).toBe(other.id));
    fireEvent.click(await button("Undo"));
    await waitFor(() => expect(row()).not.toBeNull());
    await waitFor(() => expect(usePlace.getState().conversationId).not.toBe(other.id));
    // What is opened before the answer comes is not closed by it.
    const late = latch();
    const quick = host.instead("conversation_delete", async (_, real) => {
      await real();
      await late.opened;
      return null;
    });
    fireEvent.keyDown(row()!, { key: "Delete" });
    await waitFor(() => expect(row()).toBeNull());
    await click("Trash");
    const trash = await screen.findByRole("dialog", { name: "Trash" });
    late.open();
    quick();
    await waitFor(() => expect(usePlace.getState().conversationId).toBe(other.id));
    await push(within(trash).findByRole("button", { name: "Delete for ever: Short lived" }));
    const question = await screen.findByRole("dialog", { name: "Delete for ever?" });
    expect(await conversations(host, true)).toHaveLength(1);
    fireEvent.click(within(question).getByRole("button", { name: "Delete for ever" }));
    await waitFor(async () => expect(await conversations(host, true)).toEqual([]));
  });

  it("connects a model of this computer and follows a change of it", async () => {
    const host = await start({ servers: [{ name: "Ollama", kind: "openai" }], models: [{ id: "gemma3:270m" }] });
    fireEvent.click(await button("Connect a model"));
    fireEvent.click(await button("Connect Ollama"));
    await screen.findByText("Answers come from gemma3:270m (Ollama).");
    fireEvent.click(await button("Another address, or an agent"));
    fireEvent.change(screen.getByRole("textbox", { name: "Base URL" }), { target: { value: "http://example.com/v1" } });
    fireEvent.click(await button("Test"));
    await screen.findByText("That address is not encrypted.");
    expect((await host.invoke("provider_list", null)).map(({ name }) => name)).toEqual(["offline", "Ollama"]);
  });

  it("switches language live and takes other keys, both from the settings", async () => {
    const host = await start();
    await screen.findByText("Drop a project folder here");
    press({ key: ",", code: "Comma", ctrlKey: true });
    await screen.findByRole("dialog", { name: "Settings" });
    for (const tab of ["Models and cost", "Privacy and network", "Folders and checkpoints", "Data and backups", "Shortcuts"]) {
      fireEvent.click(screen.getByRole("tab", { name: tab }));
      await expectAccessible();
    }
    fireEvent.click(await button("Ctrl+K: change the keys of Command palette"));
    press({ key: "p", code: "KeyP", ctrlKey: true });
    await screen.findByText(/already does: Go to conversation/);
    press({ key: "j", code: "KeyJ", ctrlKey: true });
    await waitFor(async () => expect((await host.settings()).keys).toEqual({ palette: "Mod+J" }));
    fireEvent.click(await button("Close"));
    await act(() => host.change({ language: "ko" }));
    await screen.findByText("프로젝트 폴더를 여기에 놓으세요");
    expect(document.documentElement.lang).toBe("ko");
    press({ key: "j", code: "KeyJ", ctrlKey: true });
    const field = await screen.findByRole("combobox", { name: "명령, 이름, 설정을 입력하세요" });
    await expectAccessible();
    fireEvent.change(field, { target: { value: "ㅅㅈ" } });
    expect(screen.getAllByRole("option")[0]!.textContent).toContain("설정");
    fireEvent.keyDown(field, { key: "Enter" });
    await screen.findByRole("dialog", { name: "설정" });
  });

  it("has the pages of the settings in a column that the arrows walk, and in a list where there is no room", async () => {
    await start();
    await screen.findByText("Drop a project folder here");
    act(() => openOverlay({ kind: "settings", tab: "general" }));
    const column = await screen.findByRole("tablist", { name: "Settings" });
    expect(column.getAttribute("aria-orientation")).toBe("vertical");
    const chosen = () => within(column).getByRole("tab", { selected: true });
    act(() => chosen().focus());
    for (const [key, page] of [
      ["ArrowDown", "Models and cost"],
      ["ArrowDown", "Tools"],
      ["End", "Data and backups"],
      ["Home", "General"],
    ] as const) {
      fireEvent.keyDown(document.activeElement!, { key });
      await waitFor(() => expect(chosen().textContent).toBe(page));
      expect(document.activeElement).toBe(chosen());
      screen.getByRole("tabpanel", { name: page });
    }
    const all = within(column).getAllByRole("tab").map(({ textContent }) => textContent);
    expect(new Set(all).size).toBe(8);

    const wide = window.matchMedia;
    window.matchMedia = (query) => Object.assign(wide(query), { matches: false });
    try {
      act(() => closeOverlay());
      act(() => openOverlay({ kind: "settings", tab: "data" }));
      const list = await screen.findByRole("combobox", { name: "Page" });
      await gone(() => screen.queryByRole("tablist", { name: "Settings" }));
      screen.getByRole("group", { name: "Data and backups" });
      await expectAccessible();
      fireEvent.keyDown(list, { key: "ArrowDown" });
      const option = await screen.findByRole("option", { name: "Privacy and network" });
      fireEvent.pointerDown(option, { pointerType: "mouse", buttons: 1 });
      fireEvent.click(option);
      await screen.findByRole("group", { name: "Privacy and network" });
    } finally {
      window.matchMedia = wide;
    }
  });

  it("says honestly that the data is damaged, and restores a backup", async () => {
    const host = await startHost();
    const { id } = await host.invoke("conversation_create", { project_id: null });
    await host.invoke("send", { conversation_id: id, text: "Where is the heron?", attachments: [] });
    await host.settled(id);
    await host.invoke("backup_create", null);
    await host.breakDatabase();
    setTransport(host);
    render(<App />);
    await screen.findByText("The database cannot be read.");
    screen.getByText(/malformed|not a database/);
    await screen.findByText(/^Made by you · \d.* · 1 conversation, 2 messages$/);
    await expectAccessible();
    // The newest one, with all that was said.
    fireEvent.click((await screen.findAllByRole("button", { name: /^Restore the backup of / }))[0]!);
    const question = await screen.findByRole("dialog", { name: "Restore this backup?" });
    const now = await within(question).findByRole("button", { name: "Restore" });
    await waitFor(() => expect(now).toHaveProperty("disabled", false));
    fireEvent.click(now);
    await screen.findByText("Drop a project folder here");
  });
});
