// What a message brings of the place it is written at, through the whole interface: the file that is
// read and the lines picked in it, and the entries of the context pane that can be taken out.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { startHost, type Host } from "@/test/host";
import { answered as ask, expectAccessible, field, gone, push, shut, startAfresh } from "@/test/journey";
import { openOverlay, showContext, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const AUTH = "src/auth.rs";
const FOLDERS = {
  "/code/aurora": {
    "AGENTS.md": "Never break the API.",
    [AUTH]: "mod token;\nfn rotate() {}\nfn revoke() {}\nfn expire() {}",
    "src/token.rs": "struct Token;",
  },
};

const chip = () => screen.queryByRole("group", { name: "Goes with your message" });

/** A conversation in a trusted project. */
async function start() {
  const host = await startHost({ folders: FOLDERS, model: { reply: () => "So it is." } });
  const asked = vi.spyOn(host, "invoke");
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));
  await push(screen.findByRole("button", { name: /^Trust and use/ }));
  await field();
  const requests = (command: string) => asked.mock.calls.filter(([name]) => name === command).map(([, request]) => request);
  return { host, requests, project: usePlace.getState().projectId! };
}

async function openFile(projectId: string, path: string, line: number | null) {
  act(() => openOverlay({ kind: "file", projectId, path, line }));
  const dialog = await screen.findByRole("dialog", { name: path });
  return { dialog: within(dialog), text: await within(dialog).findByRole("document") };
}

async function closeFile() {
  fireEvent.keyDown(screen.getByRole("document"), { key: "Escape" });
  await shut();
}

/** What the app's volatile context of the project says, without where it works. */
async function known(host: Host, project_id: string) {
  const { stores } = await host.invoke("context_get", { project_id });
  const entries = stores.find(({ kind }) => kind === "volatile")!.entries;
  return entries.filter(({ source }) => source !== "place").map(({ key, value }) => [key, value]);
}

describe("the file that is read", () => {
  it("goes with the message, with the lines that keys picked, until it is taken away", async () => {
    const { host, requests, project } = await start();
    const { dialog, text } = await openFile(project, AUTH, 2);
    fireEvent.keyDown(text, { key: "ArrowDown", shiftKey: true });
    await dialog.findByText(`Goes with your message: ${AUTH}, line 2`);
    fireEvent.keyDown(text, { key: "ArrowDown", shiftKey: true });
    await dialog.findByText(`Goes with your message: ${AUTH}, lines 2–3`);
    await expectAccessible();
    await closeFile();

    within(chip()!).getByText(`${AUTH}, lines 2–3`);
    await expectAccessible();
    const context = {
      entries: [
        { key: "currentFile", value: AUTH },
        { key: "selection", value: `${AUTH}:2-3\nfn rotate() {}\nfn revoke() {}` },
      ],
      policy: "merged",
    };
    await waitFor(() => expect(requests("request_preview").at(-1)).toMatchObject({ context }));
    await screen.findByRole("button", { name: /^This moment, / });
    await ask("What does it do?");
    expect(requests("send")).toMatchObject([{ text: "What does it do?", context }]);

    fireEvent.keyDown(within(chip()!).getByRole("button", { name: `Leave out ${AUTH}, lines 2–3` }), { key: "Delete" });
    expect(chip()).toBeNull();
    expect(document.activeElement).toBe(await field());
    await waitFor(async () => expect(await known(host, project)).toEqual([]));
    await ask("And now?");
    expect(requests("send").at(-1)).toMatchObject({ context: undefined });
  });

  it("goes with what is asked again too", async () => {
    const { requests, project } = await start();
    await ask("First");
    await openFile(project, AUTH, null);
    await closeFile();
    const context = { entries: [{ key: "currentFile", value: AUTH }, { key: "selection", value: "" }], policy: "merged" };
    await push(screen.findByRole("button", { name: "Answer again" }));
    await waitFor(() => expect(requests("regenerate")).toMatchObject([{ context }]));
    await screen.findByRole("group", { name: "Version 2 of 2" });
    await gone(() => screen.queryByRole("button", { name: "Stop" }));
    fireEvent.click(screen.getByRole("button", { name: "Edit" }));
    fireEvent.input(await screen.findByRole("textbox", { name: "Edit message" }), { target: { value: "Second" } });
    fireEvent.click(screen.getByRole("button", { name: "Send edited" }));
    await waitFor(() => expect(requests("edit")).toMatchObject([{ text: "Second", context }]));
  });

  it("takes lines by the pointer, and another file drops those of the one before", async () => {
    const { host, requests, project } = await start();
    setLanguage("ko");
    const { dialog, text } = await openFile(project, AUTH, 3);
    const line = (content: string) => within(text).getByText(content).firstChild!;
    await dialog.findByText(/^줄을 선택하면/);
    // Backwards, from the very start of a line, which is not in it.
    document.getSelection()!.setBaseAndExtent(line("fn revoke() {}"), 0, line("fn rotate() {}"), 3);
    act(() => void document.dispatchEvent(new Event("selectionchange")));
    await dialog.findByText(`메시지와 함께 보내요: ${AUTH}, 2번째 줄`);
    document.getSelection()!.setBaseAndExtent(line("fn rotate() {}"), 3, line("fn revoke() {}"), 1);
    act(() => void document.dispatchEvent(new Event("selectionchange")));
    await dialog.findByText(`메시지와 함께 보내요: ${AUTH}, 2–3번째 줄`);
    await closeFile();
    setLanguage("en");
    await ask("First");
    await openFile(project, "src/token.rs", null);
    await closeFile();
    within(chip()!).getByText("src/token.rs");
    await ask("Second");
    expect(requests("send")).toHaveLength(2);
    expect(await known(host, project)).toEqual([["currentFile", "src/token.rs"], ["selection", ""]]);

    // Nothing of a project goes anywhere else.
    act(() => usePlace.setState({ projectId: null, conversationId: null }));
    await push(screen.findByRole("button", { name: /^Just talk/ }));
    await field();
    await waitFor(() => expect(requests("request_preview").at(-1)).toMatchObject({ context: undefined }));
    expect(chip()).toBeNull();
  });
});

describe("a file that is mentioned", () => {
  it("is found by its letters, in a trusted project alone", async () => {
    const { host, project, requests } = await start();
    const composer = await field();
    const list = () => screen.findByRole("listbox", { name: "Files to mention" });
    fireEvent.input(composer, { target: { value: "What of @aut" } });
    within(await list()).getByRole("option", { name: /^auth.rs/ });
    await expectAccessible();
    fireEvent.keyDown(composer, { key: "Enter", keyCode: 13 });
    expect(composer.value).toBe(`What of @${AUTH} `);
    expect(requests("send")).toEqual([]);
    await act(() => host.invoke("project_trust", { id: project, trust: "untrusted" }));
    fireEvent.input(composer, { target: { value: "@aut" } });
    await waitFor(() => expect(requests("project_paths").at(-1)).toMatchObject({ query: "aut" }));
    await gone(() => screen.queryByRole("listbox"));
  });
});

describe("the context pane", () => {
  it("names who put an entry there and takes it out", async () => {
    const { host, project: project_id } = await start();
    const put = (kind: "persistent" | "volatile", key: string) =>
      act(() => host.invoke("context_put", { project_id, kind, key, value: `the ${key}` }));
    await put("persistent", "style");
    await put("volatile", "terminal");
    await put("volatile", "branch");
    await openFile(project_id, AUTH, null);
    await closeFile();
    await ask("Hello");
    act(() => showContext("next"));
    const pane = within(await screen.findByRole("complementary"));
    await push(pane.findByRole("button", { name: /^This moment/ }));
    const rows = async () => {
      const list = await pane.findByRole("list", { name: "Can be taken out" });
      return within(list).getAllByRole("listitem").map((row) => row.textContent);
    };
    const TOLD = "Put here by you or another program";
    expect(await rows()).toEqual([`terminal${TOLD}`, `branch${TOLD}`, "currentFileBrought by a message"]);
    await expectAccessible();

    fireEvent.click(pane.getByRole("button", { name: "Take out terminal" }));
    await waitFor(async () => expect(await rows()).toHaveLength(2));
    await waitFor(() => expect(document.activeElement).toBe(pane.getByRole("button", { name: "Take out branch" })));
    fireEvent.click(pane.getByRole("button", { name: "Take out currentFile" }));
    await waitFor(async () => expect(await rows()).toEqual([`branch${TOLD}`]));
    expect(chip()).toBeNull();
    expect((await known(host, project_id)).map(([key]) => key)).toEqual(["branch", "selection"]);

    fireEvent.click(pane.getByRole("button", { name: /^This moment/ }));
    fireEvent.click(pane.getByRole("button", { name: /^Project facts/ }));
    await push(pane.findByRole("button", { name: "Take out style" }));
    await gone(() => pane.queryByRole("button", { name: "Take out style" }));
    await waitFor(() => expect(screen.getByRole("complementary").contains(document.activeElement)).toBe(true));
  });
});
