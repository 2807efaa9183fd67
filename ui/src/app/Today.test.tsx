// The Today page of a project through the whole interface: how it is come to, what stands on it and what each row does, that
// the palette reaches every row, and how it is where nothing happened yet.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type ConversationId } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { startHost, type Call, type Host, type Step } from "@/test/host";
import { button, click, expectAccessible, field, gone, opened, shut, startAfresh } from "@/test/journey";
import { address, openOverlay, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";
const EDIT: Call = { name: "edit_file", arguments: { path: "src/auth.rs", old: "two", new: "2\nand more" } };
const REMEMBER: Call = { name: "remember", arguments: { text: "Ports are in config.toml.", why: "The person said so." } };

interface Journey {
  host: Host;
  projectId: string;
  files: Record<string, string>;
}

/** A window on its first screen, of a machine on which a project was opened once. */
async function start(steps: (question: string) => Step[] = () => [], before: (host: Host, id: string) => Promise<void> = async () => {}): Promise<Journey> {
  const model = { reply: () => "All done.", steps };
  const host = await startHost({ folders: { [ROOT]: { "src/auth.rs": "one\ntwo\nthree\n" } }, model });
  setTransport(host);
  const { id: projectId } = await host.open(ROOT);
  await before(host, projectId);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  return { host, projectId, files: host.files(ROOT) };
}

/** Asks in a new conversation, and allows every call that waits. */
async function talked(host: Host, project_id: string, text: string, allow = true): Promise<ConversationId> {
  const { id } = await host.invoke("conversation_create", { project_id });
  await host.invoke("send", { conversation_id: id, text, attachments: [] });
  if (!allow) {
    await waitFor(async () => expect(await host.invoke("approval_list", { id })).toHaveLength(1));
    return id;
  }
  for (;;) {
    const { open_turn } = await host.invoke("conversation_get", { id });
    if (open_turn === null) return id;
    for (const { call_id, hash } of await host.invoke("approval_list", { id })) {
      await host.invoke("approval_answer", { conversation_id: id, call_id, hash, answer: "once" });
    }
  }
}

const page = () => screen.findByRole("main", { name: "Today" });
const region = async (name: string | RegExp) => within(await screen.findByRole("region", { name }));
const at = () => address(usePlace.getState());
const press = (code: string) => fireEvent.keyDown(document.body, { key: code.slice(-1).toLowerCase(), code, ctrlKey: true });

/** Types into the palette and runs what is found. */
async function choose(query: string, name: RegExp) {
  act(() => openOverlay({ kind: "palette", mode: "all" }));
  const dialog = within(await opened());
  fireEvent.change(dialog.getByRole("combobox"), { target: { value: query } });
  fireEvent.click(await dialog.findByRole("option", { name }));
}

describe("the Today page", () => {
  it("is the first of a project with a past, and a project without one begins with a conversation", async () => {
    const { host, projectId } = await start();
    act(() => host.offer(ROOT));
    await field();
    await click(/^Today/);
    await page();
    expect(at()).toBe(`/p/${projectId}/today`);
    await screen.findByText("Nothing to go on with yet");
    await screen.findByText("When a reply changes files, it is listed here, to be reviewed or undone.");
    await screen.findByText("One is made before the first file change.");
    await screen.findByRole("textbox", { name: "Name of the new plan" });
    await gone(() => screen.queryByRole("region", { name: "Waits for you" }));
    await expectAccessible();
    await click(/^New ?Ctrl/);
    await field();

    await talked(host, projectId, "How do tokens rotate?");
    act(() => usePlace.setState({ conversationId: null }));
    act(() => host.offer(ROOT));
    await (await region("Where you stopped")).findByText("How do tokens rotate?");
    // The key goes back to what lies beneath, and here again.
    press("KeyT");
    await gone(() => screen.queryByRole("main", { name: "Today" }));
    press("KeyT");
    await page();
  });

  it("lists what turns changed, to be reviewed and undone, and the checkpoints they left", async () => {
    const { host, projectId, files } = await start((question) => (question === "Change it" ? [{ calls: [EDIT] }] : []));
    act(() => host.offer(ROOT));
    await field();
    await click(/^Today/);
    await page();
    await screen.findByText("When a reply changes files, it is listed here, to be reviewed or undone.");
    // It is told as it happens.
    await talked(host, projectId, "Change it");
    const changed = await region("Changed files");
    const bar = await changed.findByRole("group", { name: "Files that this reply changed" });
    expect(bar.textContent).toMatch(/Change it, Today.*1 file.*\+2−1/);
    expect(files["src/auth.rs"]).toContain("and more");
    const moments = await region("Checkpoints");
    await moments.findByRole("button", { name: /^Before: / });
    await expectAccessible();

    fireEvent.click(changed.getByRole("button", { name: "Undo turn" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Undo this turn" }));
    await waitFor(() => expect(dialog.getByRole("button", { name: "Undo turn" })).toHaveProperty("disabled", false));
    fireEvent.click(dialog.getByRole("button", { name: "Undo turn" }));
    await waitFor(() => expect(files["src/auth.rs"]).toBe("one\ntwo\nthree\n"));
    await waitFor(() => expect(bar.textContent).toContain("Taken back"));
    fireEvent.click(moments.getByRole("button", { name: /^Before: / }));
    await screen.findByRole("main", { name: "Checkpoints" });
    await click("Back");
    // What lay over it is gone, and the page is there again.
    await page();
    fireEvent.click(await button(/^Change it, Today/));
    await screen.findByText("Change it", { selector: "[data-row] *" });
  });

  it("names what waits, and leads to where it is answered", async () => {
    const { host, projectId } = await start((question) => (question === "Change it" ? [{ calls: [EDIT] }] : [{ calls: [REMEMBER] }]));
    await talked(host, projectId, "Remember it");
    const waiting = await talked(host, projectId, "Change it", false);
    act(() => host.offer(ROOT));
    const waits = await region("Waits for you");
    await waits.findByRole("button", { name: /src\/auth\.rs.*Change it/ });
    await expectAccessible();
    fireEvent.click(waits.getByRole("button", { name: "1 proposed" }));
    const inbox = within(await opened());
    expect((await inbox.findByRole("textbox")).textContent).toBe("Ports are in config.toml.");
    fireEvent.click(inbox.getByRole("button", { name: "Remember for this project" }));
    await gone(() => screen.queryByText("Ports are in config.toml."));
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
    await shut();
    fireEvent.click(waits.getByRole("button", { name: /src\/auth\.rs.*Change it/ }));
    await screen.findByRole("group", { name: /^Change / });
    expect(usePlace.getState().conversationId).toBe(waiting);
    press("KeyT");
    await region("Waits for you");
    const [approval] = await host.invoke("approval_list", { id: waiting });
    const { call_id, hash } = approval!;
    await host.invoke("approval_answer", { conversation_id: waiting, call_id, hash, answer: "once" });
    await gone(() => screen.queryByRole("region", { name: "Waits for you" }));
  });

  it("is reached row by row from the palette", async () => {
    const steps = (question: string): Step[] =>
      question === "Change it" ? [{ calls: [EDIT] }] : question === "Remember it" ? [{ calls: [REMEMBER] }] : [];
    const { host, projectId } = await start(steps);
    await talked(host, projectId, "Remember it");
    const id = await talked(host, projectId, "Change it");
    act(() => host.offer(ROOT));
    await page();
    await choose("review", /^Review 1 changed file: Change it/);
    await screen.findByRole("dialog", { name: "What this reply changed" });
    await choose("proposed line", /^Look at 1 proposed line/);
    await screen.findByRole("dialog", { name: /remember/i });
    await choose("continue", /^Continue where you stopped/);
    await field();
    expect(usePlace.getState().conversationId).toBe(id);
    await choose("fresh", /^Start fresh/);
    await waitFor(() => expect(usePlace.getState().conversationId).not.toBe(id));
    await choose("open today", /^Open Today/);
    await page();
  });

  it("shows a decision that was searched for, and is left when its project is gone", async () => {
    const { host, projectId } = await start(undefined, async (host, project_id) => {
      const change = { change: "add_decision", text: "tokens rotate daily", source: null, origin: "person" } as const;
      await host.invoke("workflow_change", { project_id, change, reset: false });
    });
    act(() => openOverlay({ kind: "search" }));
    fireEvent.change(await screen.findByRole("searchbox"), { target: { value: "rotate daily" } });
    fireEvent.click((await region(/^Decisions/)).getAllByRole("button")[0]!);
    await page();
    await waitFor(() => expect(document.activeElement?.textContent).toContain("tokens rotate daily"));
    await host.invoke("project_forget", { id: projectId });
    await gone(() => screen.queryByRole("main", { name: "Today" }));
  });

  it("reads in Korean", async () => {
    const { host, projectId } = await start((question) => (question === "바꿔 줘" ? [{ calls: [EDIT] }] : []));
    act(() => setLanguage("ko"));
    await talked(host, projectId, "바꿔 줘");
    act(() => host.offer(ROOT));
    const stopped = await region("멈춘 곳");
    await stopped.findByText("바꿔 줘");
    stopped.getByRole("button", { name: "이어 가기" });
    await (await region("바뀐 파일")).findByRole("button", { name: "살펴보기" });
    await expectAccessible();
  });
});
