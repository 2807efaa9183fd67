// Checkpoints through the whole interface: made, gone through, compared, restored by a plan with a merge,
// undone, cut off and finished, cleaned, and marked in the conversation.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type ConversationItem } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { pathOf, startHost, type Host } from "@/test/host";
import { answered as ask, button, click, expectAccessible, field, gone, opened, push, startAfresh } from "@/test/journey";
import { goToConversation, openOverlay, runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";
const AUTH = "one\ntwo\nthree\n";

interface Journey {
  host: Host;
  projectId: string;
  conversation: ConversationItem;
  /** The disk, as another program writes it. */
  files: Record<string, string>;
  make: (tag: string | null) => Promise<string>;
}

async function start(): Promise<Journey> {
  const folder = { "src/auth.rs": AUTH, "README.md": "# aurora\n", ".env": "KEY=1\n" };
  const host = await startHost({ folders: { [ROOT]: folder }, model: { reply: () => "A reply." } });
  setTransport(host);
  const { id: projectId } = await host.open(ROOT);
  const conversation = await host.invoke("conversation_create", { project_id: projectId });
  const make = async (tag: string | null) =>
    (await host.invoke("checkpoint_create", { project_id: projectId, conversation_id: conversation.id, tag })).id;
  render(<App />);
  act(() => goToConversation(conversation));
  await field();
  return { host, projectId, conversation, files: host.files(ROOT), make };
}

async function openScreen() {
  await click(/^Checkpoints/);
  return screen.findByRole("listbox", { name: "Checkpoints" });
}

/** Chooses among what a select offers. */
async function pick(name: RegExp | string, option: RegExp) {
  fireEvent.keyDown(await screen.findByRole("combobox", { name }), { key: "ArrowDown" });
  const found = await screen.findByRole("option", { name: option });
  fireEvent.pointerDown(found, { pointerType: "mouse", buttons: 1 });
  fireEvent.click(found);
}

const options = () => screen.getAllByRole("option").map((one) => one.textContent);
const press = (key: string, init: KeyboardEventInit = {}, on: Element = document.body) =>
  fireEvent.keyDown(on, { key, code: `Key${key.toUpperCase()}`, ...init });

describe("checkpoints", () => {
  it("are made by hand with a name, marked in the conversation, and gone on from", async () => {
    const { host, conversation } = await start();
    await ask("Question 1");
    await click(/^Checkpoints/);
    await screen.findByText("No checkpoints yet");
    await expectAccessible();
    press("K", { ctrlKey: true, shiftKey: true });
    const name = await screen.findByRole("textbox", { name: "Name" });
    fireEvent.change(name, { target: { value: "works" } });
    fireEvent.keyDown(name, { key: "Enter" });
    await screen.findByText("Checkpoint made, with 2 files.");
    const entry = within(screen.getByRole("navigation")).getByRole("button", { name: /^Checkpoints/ });
    await waitFor(() => expect(entry.textContent).toBe("Checkpoints1"));
    // The same name twice is refused where it is typed.
    act(() => void runAction("checkpointNow"));
    fireEvent.change(await screen.findByRole("textbox", { name: "Name" }), { target: { value: "works" } });
    await click("Make a checkpoint");
    await screen.findByText("Another checkpoint of this project has that name.");
    await click("Cancel");

    await click("Back");
    await ask("Question 2");
    fireEvent.click(await button(/^Checkpoint, .*: works$/));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Continue from here" }));
    await gone(() => screen.queryByText("Question 2", { selector: "[data-row] *" }));
    screen.getByText("Question 1", { selector: "[data-row] *" });
    await ask("Another second question");
    const shown = await pathOf(host, conversation.id);
    expect(shown.filter(({ role }) => role === "user")).toHaveLength(2);
    expect(shown.at(-2)!.siblings.ids).toHaveLength(2);
  });

  it("are gone through with the arrow keys, and compared with now and with each other", async () => {
    const { files, make } = await start();
    await make("first");
    await ask("Question 1");
    files["src/auth.rs"] = "one\n2\nthree\nfour\n";
    await make(null);
    files["README.md"] = "\0";
    const list = await openScreen();
    await waitFor(() => expect(options()).toHaveLength(2));
    expect(options()).toEqual([expect.stringMatching(/Made by hand.*1 file changed/), expect.stringMatching(/first.*2 files changed/)]);
    const view = await screen.findByRole("region", { name: "Made by hand" });
    await within(view).findByRole("tab", { name: "Files 1" });
    await push(within(view).findByRole("button", { name: "README.md, changed" }));
    await within(view).findByText(/^Not text, or too large to show/);

    fireEvent.keyDown(list, { key: "ArrowDown" });
    expect(screen.getByRole("option", { selected: true }).textContent).toContain("first");
    const first = within(await screen.findByRole("region", { name: "first" }));
    await first.findByRole("tab", { name: "Files 2" });
    const file = await first.findByRole("button", { name: "src/auth.rs, changed" });
    await waitFor(() => expect(file.textContent).toContain("+2−1"));
    fireEvent.click(file);
    const diff = await first.findByLabelText("src/auth.rs");
    expect(diff.textContent).toContain("- two");
    expect(diff.textContent).toContain("+ four");
    // What it does not hold is named, with why.
    first.getByText("1 path is not captured and stays untouched");
    first.getByText("never leaves the folder: excluded");
    fireEvent.click(first.getByRole("tab", { name: "Chat 2" }));
    await first.findByText("2 messages came since and would leave the shown branch");
    first.getByText("Question 1");
    await expectAccessible();
    await pick("Compare with", /^Compared with .*, Made by hand$/);
    await first.findByRole("tab", { name: "Files 1" });
  });

  it("show what the model saw last at each moment, and where that can be read", async () => {
    const { make } = await start();
    await make("before");
    await ask("Question 1");
    await make("first");
    await ask("Question 2");
    await make("second");
    const list = await openScreen();
    const seen = async (moment: string) => {
      const view = within(await screen.findByRole("region", { name: moment }));
      const strata = within(await view.findByRole("group", { name: "What the model saw last" }));
      return strata.getAllByRole("button").map((one) => one.getAttribute("aria-label") ?? one.textContent);
    };
    const second = await seen("second");
    expect(second).toContainEqual(expect.stringMatching(/^Turn 1, /));
    expect(second.at(-1)).toMatch(/^Last request: .* tokens/);
    fireEvent.keyDown(list, { key: "ArrowDown" });
    expect(await seen("first")).not.toContainEqual(expect.stringMatching(/^Turn/));
    await expectAccessible();
    fireEvent.keyDown(list, { key: "ArrowDown" });
    await screen.findByRole("region", { name: "before" });
    await gone(() => screen.queryByRole("group", { name: "What the model saw last" }));
    fireEvent.keyDown(list, { key: "ArrowUp" });
    await seen("first");
    await click(/^Last request/);
    expect((await screen.findByRole("combobox", { name: "Show" })).textContent).toContain("Question 1");
  });

  it("are restored by a plan in which a conflict is merged, and the restore is undone", async () => {
    const { files, make } = await start();
    // Where nothing was ever said there is no rail.
    await ask("Hello");
    await make("then");
    files["src/auth.rs"] = "one\ntwo\nthree of ours\n";
    delete files["README.md"];
    await make("later");
    files["src/auth.rs"] = "one\nTWO\nthree\n";
    files["mine.txt"] = "nobody else's";
    const list = await openScreen();
    fireEvent.keyDown(list, { key: "End" });
    await screen.findByRole("region", { name: "then" });
    await click("Restore…");
    const plan = within(await opened());
    await plan.findByRole("region", { name: "1 file was changed since by others: you decide" });
    plan.getByText("It was changed outside since Siltstone last looked.");
    within(plan.getByRole("region", { name: "1 file changes" })).getByText("It was there then and is not now.");
    within(plan.getByRole("region", { name: "1 file stays as it is" })).getByText("mine.txt");
    await expectAccessible();
    await pick("What happens to src/auth.rs", /Merge both/);
    const result = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Result" });
    expect(result.value).toContain("<<<<<<<");
    const use = await button("Use this text");
    expect(use).toHaveProperty("disabled", true);
    await click("Take both");
    fireEvent.change(result, { target: { value: `${result.value}by hand\n` } });
    expect(use).toHaveProperty("disabled", false);
    await expectAccessible();
    fireEvent.click(use);
    await gone(() => screen.queryByRole("textbox", { name: "Result" }));
    await click("Restore");
    await screen.findByText(/^Restored .*2 files were written\.$/);
    expect(files["src/auth.rs"]).toMatch(/TWO[^]*two[^]*by hand/);
    expect(files).toMatchObject({ "README.md": "# aurora\n", "mine.txt": "nobody else's", ".env": "KEY=1\n" });
    await screen.findByRole("option", { name: /Before a restore/ });

    // In a text the key is the text's own.
    act(() => openOverlay({ kind: "checkpoint", projectId: usePlace.getState().checkpoints!.projectId, conversationId: null }));
    press("z", { ctrlKey: true }, await screen.findByRole("textbox", { name: "Name" }));
    act(() => usePlace.setState({ overlay: null }));
    await gone(() => screen.queryByRole("dialog", { name: "Checkpoint now" }));
    expect(files["src/auth.rs"]).toContain("by hand");
    press("z", { ctrlKey: true });
    await screen.findByText(/^The restore was undone\./);
    // What offered to undo it is gone, or it would undo nothing.
    await gone(() => screen.queryByText(/^Restored .*were written\.$/));
    expect(files["src/auth.rs"]).toBe("one\nTWO\nthree\n");
    expect(files["README.md"]).toBeUndefined();
  });

  it("say what could not be written, and finish or roll back a restore that was cut off", async () => {
    const { host, projectId, files, make } = await start();
    await ask("Hello");
    const then = await make("then");
    files["src/auth.rs"] = "changed\n";
    await make(null);
    const permitted = host.instead("checkpoint_restore", async (_, real) => ({
      ...(await real()),
      failed: [{ path: "src/auth.rs", detail: "permission denied" }],
    }));
    const list = await openScreen();
    fireEvent.keyDown(list, { key: "End" });
    await screen.findByRole("region", { name: "then" });
    await click("Restore…");
    await screen.findByRole("region", { name: "1 file changes" });
    await click("Restore");
    const failed = within(await screen.findByRole("dialog", { name: "1 file could not be written" }));
    failed.getByText("src/auth.rs");
    failed.getByText("permission denied");
    fireEvent.click(failed.getAllByRole("button", { name: "Close" })[0]!);

    // As after a kill in the middle of one.
    permitted();
    const parts = { chat: true, files: true, memory: false, context: false };
    const { plan_id } = await host.invoke("checkpoint_plan", { id: then, parts });
    const before = await make(null);
    const cutOff = { plan_id, checkpoint_id: then, before };
    const whole = host.instead("checkpoint_list", async (_, real) => ({ ...(await real()), unfinished: [cutOff] }));
    const rolledBack = host.instead("checkpoint_undo", async (_, real) => {
      whole();
      return real();
    });
    await make(null);
    await screen.findByText(/^The restore of .* was cut off$/);
    await expectAccessible();
    await click("Roll back");
    await gone(() => screen.queryByText(/was cut off$/));
    rolledBack();
    await gone(() => screen.queryByText(/was cut off$/));
    expect(files["src/auth.rs"]).toBe("changed\n");
    expect((await host.invoke("checkpoint_list", { project_id: projectId, before: null, limit: 1 })).unfinished).toEqual([]);
  });

  it("are named, kept, deleted after a question, and cleaned by the rules after a look", async () => {
    const { host, projectId, make } = await start();
    const stored = async () => (await host.invoke("checkpoint_list", { project_id: projectId, before: null, limit: 100 })).items;
    const { checkpoints } = await host.settings();
    await host.change({ checkpoints: { ...checkpoints, retention: { days: null, count: 2, bytes: null } } });
    await ask("Hello");
    for (const tag of [null, null, null, "keep"]) await make(tag);
    await openScreen();
    // The list takes no key from the window.
    press("H", { ctrlKey: true, shiftKey: true });
    await field();
    await openScreen();
    const choose = async (item: string) => {
      fireEvent.click(within(await screen.findByRole("main")).getByRole("button", { name: /^More for/ }));
      fireEvent.click(await screen.findByRole("menuitem", { name: item }));
    };
    await screen.findByRole("region", { name: "keep" });
    await choose("Keep whatever the rules say");
    await screen.findByRole("img", { name: "Stays" });
    await choose("Name…");
    fireEvent.change(await screen.findByRole("textbox", { name: "Name" }), { target: { value: "release" } });
    await click("Save");
    await screen.findByRole("region", { name: "release" });

    await click("Clean up…");
    const dialog = within(await opened());
    const row = await dialog.findByRole("row", { name: /^Too many 2/ });
    expect(row.textContent).toMatch(/kB|B$/);
    await expectAccessible();
    expect(await stored()).toHaveLength(4);
    fireEvent.click(dialog.getByRole("button", { name: "Delete 2 checkpoints" }));
    await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(2));
    expect(options()[0]).toContain("release");

    await choose("Delete…");
    await screen.findByText(/This cannot be undone/);
    expect(await stored()).toHaveLength(2);
    await click("Delete for ever");
    await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(1));
  });

  it("have a page of the settings, and can be verified and repaired, in Korean too", async () => {
    const { host } = await start();
    // Damage that can be found again, as the store would name it.
    let damaged = [{ id: "ab12", checkpoints: ["one"] }];
    host.instead("checkpoint_verify", async (_, real) => ({ ...(await real()), damaged }));
    host.instead("checkpoint_repair", async (_, real) => {
      damaged = [];
      return { ...(await real()), repaired: 1 };
    });
    act(() => setLanguage("ko"));
    act(() => openOverlay({ kind: "settings", tab: "checkpoints" }));
    const days = await screen.findByRole("textbox", { name: "날짜 수" });
    fireEvent.change(days, { target: { value: "0" } });
    fireEvent.blur(days);
    await screen.findByText("0보다 큰 수");
    fireEvent.change(days, { target: { value: "" } });
    fireEvent.blur(days);
    await waitFor(async () => expect((await host.settings()).checkpoints.retention.days).toBeNull());
    fireEvent.click(screen.getByRole("switch", { name: "체크포인트 만들기" }));
    await waitFor(async () => expect((await host.settings()).checkpoints.on).toBe(false));
    await click("확인");
    await screen.findByText("ab12");
    await expectAccessible();
    await click("복구");
    await screen.findByText("조각 1개를 다시 찾았어요.");
    await screen.findByText("모두 온전해요.");
  });
});
