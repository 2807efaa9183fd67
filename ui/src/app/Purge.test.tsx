// Deleting for ever: the question says what it does not reach, and what went wrong is told even when nobody waited for it.
import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { imported, latch, startHost, type Host } from "@/test/host";
import { click, expectAccessible, gone, startAfresh } from "@/test/journey";
import { openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const CLOUD = { name: "Cloud", base_url: "https://cloud.example/v1" };

/** A conversation in the trash that was asked elsewhere, and is in a backup. */
async function start(): Promise<{ host: Host; id: string }> {
  const key = "sk-cloud-0123456789abcdef";
  const host = await startHost({ elsewhere: true, provider: CLOUD, key, model: { reply: () => "As you say." } });
  const id = await imported(host, ["Where is the heron?", "In the reeds."]);
  await host.invoke("conversation_rename", { id, title: "The heron" });
  await host.invoke("send", { conversation_id: id, text: "And now?", attachments: [] });
  await host.settled(id);
  await host.invoke("backup_create", null);
  await host.invoke("conversation_delete", { id });
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  act(() => openOverlay({ kind: "trash" }));
  await click("Delete for ever: The heron");
  return { host, id };
}

const question = async () => within(await screen.findByRole("dialog", { name: "Delete for ever?" }));

describe("deleting for ever", () => {
  it("says what it does not reach, deletes backups when that is wanted, and is done", async () => {
    const { host, id } = await start();
    const dialog = await question();
    // A day's own may be among them.
    await dialog.findByText(/^\d backups? holds? it still\./);
    await dialog.findByText("It was sent to Cloud. What is kept there is not reached from here.");
    await gone(() => dialog.queryByText(/have been pushed/));
    await expectAccessible();
    fireEvent.click(dialog.getByRole("button", { name: "Delete those backups too" }));
    await gone(() => dialog.queryByText(/it still\./));
    expect((await host.invoke("conversation_traces", { id })).backups).toEqual([]);
    fireEvent.click(dialog.getByRole("button", { name: "Delete for ever" }));
    await screen.findByText("The trash is empty");
    await expect(host.invoke("conversation_get", { id })).rejects.toMatchObject({ code: "not_found" });
  });

  it("tells what went wrong after it was closed, and leaves another question open", async () => {
    const { host } = await start();
    const held = latch();
    host.instead("conversation_purge", async () => {
      await held.opened;
      throw { code: "disk_full", message: "no space left", hint: "" };
    });
    const dialog = await question();
    fireEvent.click(dialog.getByRole("button", { name: "Delete for ever" }));
    fireEvent.keyDown(dialog.getByRole("button", { name: "Cancel" }), { key: "Escape" });
    await gone(() => screen.queryByRole("dialog", { name: "Delete for ever?" }));
    await act(async () => held.open());
    await screen.findByText(/^The disk is full\./, { selector: "[data-tone] *" });
    await click("Delete for ever: The heron");
    await question();
  });

  it("says what goes with a folder before it is forgotten", async () => {
    const host = await startHost({ folders: { "/home/ada/aurora": { "a.txt": "one\n" } } });
    setTransport(host);
    const { id: project_id } = await host.open("/home/ada/aurora");
    const change = { change: "add_plan", title: "Move the port", description: "" } as const;
    await host.invoke("workflow_change", { project_id, change, reset: false });
    await host.invoke("memory_add", { project_id, conversation_id: null, text: "Staging runs on 5434", source: null });
    await host.invoke("checkpoint_create", { project_id, conversation_id: null, tag: null });
    render(<App />);
    act(() => openOverlay({ kind: "settings", tab: "projects" }));
    await click("Forget aurora");
    const dialog = within(await screen.findByRole("dialog", { name: "Forget aurora?" }));
    await dialog.findByText("1 plan");
    dialog.getByText("1 line of memory");
    dialog.getByText(/^[12] checkpoints?, /);
    await gone(() => dialog.queryByText(/decision/));
    await expectAccessible();
    fireEvent.click(dialog.getByRole("button", { name: "Forget" }));
    await screen.findByText("No folder has been opened yet");
  });
});
