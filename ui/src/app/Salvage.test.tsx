// A damaged database on the fake host: what could be read is seen before anything is done, alone and with a backup.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type Backup } from "@/ipc";
import { createFake } from "@/ipc/fake";
import { click, expectAccessible, startAfresh } from "@/test/journey";
import { App } from "./App";

startAfresh();

const backup: Backup = {
  name: "siltstone-daily-2026-05-01T09-00-00Z.db",
  kind: { why: "daily" },
  made_at: "2026-05-01T09:00:00Z",
  bytes: 6_200_000,
  holds: { conversations: 12, messages: 1340 },
};
const data = { state: "damaged", detail: "database disk image is malformed" } as const;

describe("salvage", () => {
  it("shows what could be read beside the newest backup, and adds from that one", async () => {
    const fake = createFake({ data, backups: [{ backup, messages: new Map() }] });
    setTransport(fake);
    render(<App />);
    await click("Salvage…");
    const asked = await screen.findByRole("dialog", { name: "Salvage the damaged database?" });
    await within(asked).findByText("From the damaged database alone");
    within(asked).getByText("12 conversations, 1,340 messages");
    within(asked).getAllByText(/2 of 120 pages cannot be read · 3 rows could not be placed/);
    await expectAccessible();
    fireEvent.click(within(asked).getByRole("button", { name: "Cancel" }));
    expect(fake.state.data.state).toBe("damaged");

    await click("Salvage…");
    const again = await screen.findByRole("dialog", { name: "Salvage the damaged database?" });
    fireEvent.click(await within(again).findByRole("button", { name: "Salvage and add from the backup" }));
    await screen.findByText("Drop a project folder here");
    await screen.findByText(/^Salvaged: 0 conversations, 0 messages\. The damaged database is kept/);
    expect(fake.state.data.state).toBe("open");
  });

  it("speaks the system's language, as nobody's choice can be read", async () => {
    setTransport(createFake({ data, language: "ko" }));
    render(<App />);
    await screen.findByRole("heading", { name: "데이터베이스를 읽을 수 없어요." });
    await screen.findByRole("button", { name: "복구…" });
    await expectAccessible();
  });

  it("works without a backup, and says why where it cannot be done any more", async () => {
    const fake = createFake({ data });
    setTransport(fake);
    render(<App />);
    await click("Salvage…");
    const asked = await screen.findByRole("dialog", { name: "Salvage the damaged database?" });
    await within(asked).findByText("There is no backup that could add what is missing.");
    expect(within(asked).queryByRole("button", { name: "Salvage and add from the backup" })).toBeNull();
    fake.state.data = { state: "open" };
    const now = within(asked).getByRole("button", { name: "Salvage" });
    await waitFor(() => expect(now).toHaveProperty("disabled", false));
    fireEvent.click(now);
    await within(asked).findByRole("alert");
  });
});
