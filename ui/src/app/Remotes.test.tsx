// Checkpoints that leave and arrive, through the whole interface: as files, from other programs, and by way of a remote.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { latch, startHost, type Files, type Surroundings } from "@/test/host";
import { button, click, expectAccessible, gone, startAfresh } from "@/test/journey";
import { goToCheckpoints, openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";
const STICK = "/media/stick";

async function start({ files = {}, world, language = "en" }: { files?: Files; world?: Surroundings; language?: "en" | "ko" } = {}) {
  const folders = { [ROOT]: { "a.txt": "one\n", ...files }, [STICK]: {} };
  const host = await startHost({ folders, settings: { language }, ...(world && { world }) });
  setTransport(host);
  const { id: projectId } = await host.open(ROOT);
  await host.invoke("checkpoint_create", { project_id: projectId, conversation_id: null, tag: "works" });
  render(<App />);
  const stored = async () => (await host.invoke("checkpoint_list", { project_id: projectId, before: null, limit: 100 })).items;
  const remotes = async () => (await host.settings()).checkpoints.remotes;
  return { host, projectId, stored, remotes };
}

const type = async (label: string, text: string) =>
  fireEvent.input(await screen.findByLabelText(label), { target: { value: text } });
const choose = async (menu: string | RegExp, item: string) => {
  await click(menu);
  fireEvent.click(await screen.findByRole("menuitem", { name: item }));
};

describe("checkpoints beyond this computer", () => {
  it("are saved as a locked file and imported again", async () => {
    const { host, projectId } = await start();
    host.dialogs.file = host.at("/home/ada/works.siltstone-checkpoint");
    act(() => goToCheckpoints({ projectId, conversationId: null }));
    await choose("More for works", "Save as a file…");
    await type("Passphrase (optional)", "correct horse");
    await expectAccessible();
    await click("Choose where…");
    await screen.findByText(/^Saved as .*works\.siltstone-checkpoint\.$/);

    host.dialogs.shared = true;
    await choose("More for works", "Save as a file…");
    await type("Passphrase (optional)", "correct horse");
    await click("Choose where…");
    await screen.findByText(/^Saved as .*\. Others can write in this folder; the file itself is yours alone\.$/);

    await choose("From and to elsewhere", "Import from a file…");
    await click("Choose the file…");
    await screen.findByText(/^The file is locked\./);
    await type("Passphrase of the file", "wrong horse");
    await click("Choose the file…");
    await screen.findByText("This passphrase does not open the file.");
    await type("Passphrase of the file", "correct horse");
    await click("Choose the file…");
    await screen.findByText(/^Taken over: works/);
    await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(2));
  });

  it("of other programs are found, said what they lack, and taken over", async () => {
    const said = (role: string, content: string) => ({ role, content });
    const theirs = {
      id: "cp-1",
      tag: "before-refactor",
      timestamp: "2026-05-20T10:00:00Z",
      conversation: { messages: [said("user", "Split it"), said("assistant", "Done.")], model: "gemini-x" },
      files: [
        { path: "src/a.rs", content: "fn a() {}\n", hash: `sha256:${"0".repeat(64)}` },
        { path: "src/b.rs", content: "fn b() {}\n" },
      ],
      metadata: { version: "1.0.0" },
    };
    const { projectId } = await start({ files: { ".gemini/checkpoints/a.json": JSON.stringify(theirs) } });
    act(() => goToCheckpoints({ projectId, conversationId: null }));
    await screen.findByText("Another program left 1 checkpoint of this project.");
    await click("Look…");
    await screen.findByText("The content of src/a.rs is not what its hash says.");
    await expectAccessible();
    await click("Take over before-refactor");
    await screen.findByText("Taken over: before-refactor. 1 thing of it is not as it says.");
    await screen.findByRole("region", { name: "before-refactor" });
  });

  it("are pushed to a remote that was added and tested, and what is elsewhere is pulled", async () => {
    const { host, projectId, stored } = await start();
    act(() => openOverlay({ kind: "settings", tab: "remotes" }));
    await click("Add a remote…");
    const form = within(await screen.findByRole("form", { name: "New remote" }));
    fireEvent.click(form.getByRole("button", { name: "Add" }));
    await form.findByText("This is needed.");
    fireEvent.change(form.getByRole("textbox", { name: "Name" }), { target: { value: "stick" } });
    fireEvent.change(form.getByRole("textbox", { name: "Folder" }), { target: { value: host.at(STICK) } });
    await type("Passphrase of the remote", "correct horse");
    await type("The same again", "correct house");
    fireEvent.click(form.getByRole("button", { name: "Add" }));
    await form.findByText("The two are not the same.");
    await expectAccessible();
    await type("The same again", "correct horse");
    fireEvent.click(form.getByRole("button", { name: "Add" }));
    await click("Test stick");
    await screen.findByText("It answers, with 0 checkpoints.");
    await click("Close");

    act(() => goToCheckpoints({ projectId, conversationId: null }));
    // What was there before the push is told after it: it is not taken for what is there now.
    const told = latch();
    const late = host.instead("remote_checkpoints", async (_, real) => {
      const before = await real();
      await told.opened;
      return before;
    });
    await choose("From and to elsewhere", "Push and pull…");
    await click("Push what is missing there");
    await screen.findByText(/^1 checkpoint pushed/);
    late();
    told.open();
    const list = await screen.findByRole("list", { name: "On the remote" });
    await within(list).findByText(/already here/);
    // As from another computer: what is gone here is still there.
    const [item] = await stored();
    await host.invoke("checkpoint_delete", { ids: [item!.id] });
    const works = await within(list).findByRole("checkbox", { name: /works/ });
    await waitFor(() => expect(works).toHaveProperty("disabled", false));
    fireEvent.click(works);
    await expectAccessible();
    await click("Pull 1 checkpoint");
    await screen.findByText(/^1 checkpoint pulled/);
    await waitFor(async () => expect((await stored()).map(({ tag }) => tag)).toEqual(["works"]));
  });

  it("are asked for another place of the remote's secrets when an open keyring refuses; nothing typed is lost", async () => {
    const { host, remotes } = await start({ world: { keyring_refuses: true } });
    act(() => openOverlay({ kind: "settings", tab: "remotes" }));
    await click("Add a remote…");
    const form = within(await screen.findByRole("form", { name: "New remote" }));
    fireEvent.change(form.getByRole("textbox", { name: "Name" }), { target: { value: "stick" } });
    fireEvent.change(form.getByRole("textbox", { name: "Folder" }), { target: { value: host.at(STICK) } });
    await type("Passphrase of the remote", "correct horse");
    await type("The same again", "correct horse");
    fireEvent.click(form.getByRole("button", { name: "Add" }));
    const choice = within(await form.findByRole("group", { name: "Where the key is kept" }));
    choice.getByText("The keyring refuses to keep it.");
    // A remote is there tomorrow, so its key may not be gone by then.
    await gone(() => choice.queryByRole("button", { name: "For this session only" }));
    await expectAccessible();
    fireEvent.click(choice.getByRole("button", { name: "Cancel" }));
    await gone(() => form.queryByRole("group"));
    expect(form.getByLabelText<HTMLInputElement>("Passphrase of the remote").value).toBe("correct horse");
    expect(await remotes()).toEqual([]);

    await host.invoke("vault_unlock", { passphrase: "sediment" });
    const add = form.getByRole<HTMLButtonElement>("button", { name: "Add" });
    await waitFor(() => expect(add.disabled).toBe(false));
    fireEvent.click(add);
    await click("In an encrypted file");
    await button("Test stick");
    expect(await remotes()).toMatchObject([{ name: "stick", key_place: "vault" }]);
  });

  it("stay here while no cloud storage is on, in Korean too", async () => {
    const { host } = await start({ language: "ko" });
    act(() => openOverlay({ kind: "settings", tab: "privacy" }));
    fireEvent.click(await screen.findByRole("switch", { name: "클라우드 저장소 쓰지 않기" }));
    await waitFor(async () => expect((await host.settings()).privacy.local_only).toBe(true));
    act(() => openOverlay({ kind: "settings", tab: "remotes" }));
    await screen.findByText(/켜져 있어서 보내거나 가져오지 않아요/);
    expect(await button("원격 저장소 추가…")).toHaveProperty("disabled", true);
  });
});
