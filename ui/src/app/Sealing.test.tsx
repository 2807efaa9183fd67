// Sealed checkpoints through the whole interface: on with a passphrase that is shown once, stopped and gone on with, locked
// and opened again, off.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type Place } from "@/ipc";
import { latch, startHost, type Host, type Surroundings } from "@/test/host";
import { button, click, expectAccessible, gone, startAfresh } from "@/test/journey";
import { goToCheckpoints, openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";
const SEDIMENT = "sediment";

async function start(before: (host: Host) => Promise<void> = async () => {}): Promise<{ host: Host; projectId: string }> {
  const host = await startHost({ folders: { [ROOT]: { "a.txt": "one\n" } } });
  setTransport(host);
  const { id: projectId } = await host.open(ROOT);
  await host.invoke("checkpoint_create", { project_id: projectId, conversation_id: null, tag: "works" });
  await before(host);
  render(<App />);
  return { host, projectId };
}

/** They were sealed in the start before this one, and where the key is kept is closed now. */
async function sealedBefore(host: Host, place: Place, world: Surroundings, passphrase: string | null): Promise<void> {
  await host.stream("checkpoint_seal", { place }, () => {});
  if (passphrase !== null) await host.invoke("checkpoint_recovery_set", { passphrase });
  await host.again();
  await host.world(world);
}

const toggle = () => screen.findByRole<HTMLElement>("switch", { name: "Encrypt checkpoints" });
const isOn = (on: boolean) =>
  waitFor(async () => expect((await toggle()).getAttribute("aria-checked")).toBe(String(on)));

describe("sealing", () => {
  it("is switched on, stopped, gone on with and switched off; the passphrase is shown once", async () => {
    const { host } = await start();
    // Too little is here to be met half sealed: it is held, and told as it would be then.
    const stopped = latch();
    const held = [
      host.instead("checkpoint_seal", async (_, real, tell) => {
        await real();
        tell({ done: 0, total: 1_000 });
        await stopped.opened;
        throw { code: "cancelled", message: "", hint: "" };
      }),
      host.instead("checkpoint_seal_cancel", () => {
        stopped.open();
        return null;
      }),
      host.instead("checkpoint_sealing", async (_, real) => {
        const { sealed_bytes, plain_bytes, ...state } = await real();
        return { ...state, sealed_bytes: 0, plain_bytes: sealed_bytes + plain_bytes };
      }),
    ];
    act(() => openOverlay({ kind: "settings", tab: "checkpoints" }));
    fireEvent.click(await toggle());
    const sealing = await screen.findByText("Sealing what exists");
    fireEvent.click(within(sealing.closest("section")!).getByRole("button", { name: "Cancel" }));
    await screen.findByText(/are not sealed yet\.$/);
    await isOn(true);
    await screen.findByText(/^There is no recovery passphrase/);
    held.forEach((letGo) => letGo());
    await click("Go on");
    await screen.findByText(/^Everything is sealed/);

    const opens = async (passphrase: string) => (await host.invoke("checkpoint_unlock", { passphrase })).on;
    await click("Set a recovery passphrase…");
    await click("Make one");
    const made = (await screen.findByLabelText("Recovery passphrase", { selector: "p" })).textContent;
    expect(await opens(made)).toBe(true);
    await expectAccessible();
    await click("I wrote it down");
    await gone(() => screen.queryByText(made));
    await gone(() => screen.queryByText(/^There is no recovery passphrase/));

    await click("Another recovery passphrase…");
    const own = await screen.findByLabelText<HTMLInputElement>("Or one of your own");
    fireEvent.input(own, { target: { value: "short" } });
    await click("Use my own");
    await screen.findByText("At least 12 characters.");
    fireEvent.input(own, { target: { value: "correct horse battery" } });
    await click("Use my own");
    await screen.findByText("The recovery passphrase was set.");
    expect(await opens("correct horse battery")).toBe(true);
    await expect(opens(made)).rejects.toMatchObject({ code: "wrong_passphrase" });

    fireEvent.click(await toggle());
    await isOn(false);
    await waitFor(async () => expect((await host.settings()).privacy.encrypt_checkpoints).toBe(false));
  });

  it("says that they are locked, and opens them with the recovery passphrase alone", async () => {
    const { projectId } = await start((host) => sealedBefore(host, "keyring", { keyring: "locked" }, "correct horse battery"));
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
    await gone(() => screen.queryByText("The checkpoints are sealed, and their key is not at hand"));
    await screen.findByRole("region", { name: "works" });
    await waitFor(async () => expect(await button("Restore…")).toHaveProperty("disabled", false));
  });

  it("with a key in the encrypted file says what discarding that file loses", async () => {
    const { projectId } = await start(async (host) => {
      await host.invoke("vault_unlock", { passphrase: SEDIMENT });
      await sealedBefore(host, "vault", { vault_locked: SEDIMENT }, null);
    });
    act(() => goToCheckpoints({ projectId, conversationId: null }));
    await click("Forgotten");
    const question = await screen.findByRole("dialog", { name: "Discard the encrypted file?" });
    await within(question).findByText(/nobody can open them again\.$/);
  });
});
