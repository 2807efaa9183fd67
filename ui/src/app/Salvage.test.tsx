// A damaged database: what could be read is seen before anything is done, alone and with a backup.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { imported, startHost, type Host, type HostOptions } from "@/test/host";
import { click, expectAccessible, gone, push, startAfresh } from "@/test/journey";
import { App } from "./App";

startAfresh();

const open = async (host: Host) => (await host.invoke("app_info", null)).data.state;

/** A database with twelve messages that was damaged, with the backups that were made of it before. */
async function damaged(options: HostOptions = {}, backups = true): Promise<Host> {
  const host = await startHost(options);
  await imported(host, Array.from({ length: 12 }, (_, n) => `message ${n}`));
  if (backups) await host.invoke("backup_create", null);
  const made = host.kept("backups");
  await host.breakDatabase({ wholly: false }, () => (backups ? [] : Object.keys(made)).forEach((name) => delete made[name]));
  setTransport(host);
  render(<App />);
  return host;
}

describe("salvage", () => {
  it("shows what could be read beside the newest backup, and adds from that one", async () => {
    const host = await damaged();
    await click("Salvage…");
    const asked = await screen.findByRole("dialog", { name: "Salvage the damaged database?" });
    await within(asked).findByText("From the damaged database alone");
    within(asked).getAllByText("1 conversation, 12 messages");
    within(asked).getAllByText(/\d+ of \d+ pages cannot be read/);
    await expectAccessible();
    fireEvent.click(within(asked).getByRole("button", { name: "Cancel" }));
    expect(await open(host)).toBe("damaged");

    await click("Salvage…");
    const again = await screen.findByRole("dialog", { name: "Salvage the damaged database?" });
    await push(within(again).findByRole("button", { name: "Salvage and add from the backup" }));
    await screen.findByText("Drop a project folder here");
    await screen.findByText(/^Salvaged: 1 conversation, 12 messages\. The damaged database is kept/);
    expect(await open(host)).toBe("open");
  });

  it("speaks the system's language, as nobody's choice can be read", async () => {
    await damaged({ language: "ko" });
    await screen.findByRole("heading", { name: "데이터베이스를 읽을 수 없어요." });
    await screen.findByRole("button", { name: "복구…" });
    await expectAccessible();
  });

  it("works without a backup, and says why where it cannot be done any more", async () => {
    const host = await damaged({}, false);
    await click("Salvage…");
    const asked = await screen.findByRole("dialog", { name: "Salvage the damaged database?" });
    await within(asked).findByText("There is no backup that could add what is missing.");
    await gone(() => within(asked).queryByRole("button", { name: "Salvage and add from the backup" }));
    // Another program mended it meanwhile.
    host.failing("salvage_run", { code: "conflict", message: "the database is open and needs no repair" });
    const now = within(asked).getByRole("button", { name: "Salvage" });
    await waitFor(() => expect(now).toHaveProperty("disabled", false));
    fireEvent.click(now);
    await within(asked).findByRole("alert");
  });
});
