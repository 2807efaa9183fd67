// Sealed checkpoints through the whole interface on the fake host: on with a passphrase that is shown once, stopped and
// gone on with, locked and opened again, off.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { createFake, type Fake } from "@/ipc/fake";
import { forget } from "@/ipc/fake/sealing";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { goToCheckpoints, openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";

async function start(): Promise<{ fake: Fake; projectId: string }> {
  const fake = createFake({ folders: { [ROOT]: { files: { "a.txt": "one\n" } } } });
  setTransport(fake);
  const { id: projectId } = await fake.invoke("project_open", { path: ROOT, trust: "trusted", this_computer_only: null });
  await fake.invoke("checkpoint_create", { project_id: projectId, conversation_id: null, tag: "works" });
  render(<App />);
  return { fake, projectId };
}

const toggle = () => screen.findByRole<HTMLElement>("switch", { name: "Encrypt checkpoints" });
const isOn = (on: boolean) =>
  waitFor(async () => expect((await toggle()).getAttribute("aria-checked")).toBe(String(on)));

describe("sealing", () => {
  it("is switched on, stopped, gone on with and switched off; the passphrase is shown once", async () => {
    const { fake } = await start();
    fake.state.options.delayMs = 30;
    act(() => openOverlay({ kind: "settings", tab: "checkpoints" }));
    fireEvent.click(await toggle());
    const sealing = await screen.findByText("Sealing what exists");
    fireEvent.click(within(sealing.closest("section")!).getByRole("button", { name: "Cancel" }));
    await screen.findByText(/are not sealed yet\.$/);
    await isOn(true);
    await screen.findByText(/^There is no recovery passphrase/);
    fake.state.options.delayMs = 0;
    await click("Go on");
    await screen.findByText(/^Everything is sealed/);

    await click("Set a recovery passphrase…");
    await click("Make one");
    await waitFor(() => expect(fake.state.sealing.recovery).not.toBeNull());
    await screen.findByText(fake.state.sealing.recovery!);
    await expectAccessible();
    await click("I wrote it down");
    await waitFor(() => expect(screen.queryByText(fake.state.sealing.recovery!)).toBeNull());
    expect(screen.queryByText(/^There is no recovery passphrase/)).toBeNull();

    await click("Another recovery passphrase…");
    const own = await screen.findByLabelText<HTMLInputElement>("Or one of your own");
    fireEvent.input(own, { target: { value: "short" } });
    await click("Use my own");
    await screen.findByText("At least 12 characters.");
    fireEvent.input(own, { target: { value: "correct horse battery" } });
    await click("Use my own");
    await screen.findByText("The recovery passphrase was set.");
    expect(fake.state.sealing.recovery).toBe("correct horse battery");

    fireEvent.click(await toggle());
    await isOn(false);
    expect(fake.state.settings.privacy.encrypt_checkpoints).toBe(false);
  });

  it("says that they are locked, and opens them with the recovery passphrase alone", async () => {
    const { fake, projectId } = await start();
    await fake.stream("checkpoint_seal", { place: "keyring" }, () => {});
    await fake.invoke("checkpoint_recovery_set", { passphrase: "correct horse battery" });
    fake.state.keys.keyring = "locked";
    forget(fake.state);
    act(() => goToCheckpoints({ projectId, conversationId: null }));
    await screen.findByText("The checkpoints are sealed, and their key is not at hand");
    await button("Open the keyring");
    // A plan could not be made, and nothing can be pressed that would only fail.
    const restore = await button("Restore…");
    await waitFor(() => expect(restore).toHaveProperty("disabled", true));
    expect(restore.title).toBe("It is sealed, and its key is not at hand.");
    await expectAccessible();
    const field = await screen.findByLabelText<HTMLInputElement>("Recovery passphrase");
    fireEvent.input(field, { target: { value: "wrong horse battery" } });
    await click("Open with the passphrase");
    await screen.findByText("This passphrase does not open them.");
    fireEvent.input(field, { target: { value: "correct horse battery" } });
    await click("Open with the passphrase");
    await waitFor(() => expect(screen.queryByText("The checkpoints are sealed, and their key is not at hand")).toBeNull());
    await screen.findByRole("region", { name: "works" });
    await waitFor(async () => expect(await button("Restore…")).toHaveProperty("disabled", false));
  });

  it("with a key in the encrypted file says what discarding that file loses", async () => {
    const { fake, projectId } = await start();
    Object.assign(fake.state.sealing, { on: true, place: "vault" });
    fake.state.keys.vault = "locked";
    forget(fake.state);
    act(() => goToCheckpoints({ projectId, conversationId: null }));
    await click("Forgotten");
    const question = await screen.findByRole("dialog", { name: "Discard the encrypted file?" });
    await within(question).findByText(/nobody can open them again\.$/);
  });
});
