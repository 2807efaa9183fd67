// Backups through the whole interface: made, looked at before anything is replaced, and gone back to.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost, type Host } from "@/test/host";
import { answered, button, click, expectAccessible, field, startAfresh } from "@/test/journey";
import { openOverlay, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

/** All of them but the one that is made a day. */
async function made(host: Host) {
  return (await host.invoke("backup_list", null)).filter(({ kind }) => kind.why !== "daily");
}

const restoreNewest = async () => fireEvent.click((await screen.findAllByRole("button", { name: /^Restore the backup of/ }))[0]!);

describe("backups", () => {
  it("are made, compared with what is there, and gone back to, with the present kept", async () => {
    const host = await startHost({ model: { reply: () => "Here I am" } });
    setTransport(host);
    render(<App />);
    fireEvent.click(await button(/^Just talk/));
    await field();
    act(() => openOverlay({ kind: "settings", tab: "data" }));
    await click("Back up now");
    await screen.findByText(/^Made by you · \d+ kB · 1 conversation, 0 messages$/);
    await expectAccessible();
    await click("Close");
    await answered("Does this stay?");
    await screen.findByText("Here I am");

    act(() => openOverlay({ kind: "settings", tab: "data" }));
    await restoreNewest();
    const plan = await screen.findByRole("dialog", { name: "Restore this backup?" });
    await within(plan).findByText("1 conversation, 2 messages");
    within(plan).getByText("2 → 0 messages");
    expect(await made(host)).toHaveLength(1);
    await expectAccessible();
    fireEvent.click(within(plan).getByRole("button", { name: "Cancel" }));
    expect(await made(host)).toHaveLength(1);

    await restoreNewest();
    const again = await screen.findByRole("dialog", { name: "Restore this backup?" });
    const now = within(again).getByRole("button", { name: "Restore" });
    await waitFor(() => expect(now).toHaveProperty("disabled", false));
    fireEvent.click(now);
    await screen.findByText("Restored. What was there before is the newest backup.");
    expect(usePlace.getState().conversationId).toBeNull();
    act(() => openOverlay({ kind: "settings", tab: "data" }));
    await screen.findByText(/^Before a restore · \d+ kB · 1 conversation, 2 messages$/);
  });

  it("say why they cannot be gone back to now", async () => {
    const host = await startHost({ settings: { language: "ko" } });
    setTransport(host);
    render(<App />);
    await screen.findByText("프로젝트 폴더를 여기에 놓으세요");
    act(() => openOverlay({ kind: "settings", tab: "data" }));
    await click("지금 백업");
    await screen.findByText(/^직접 만든 백업 · \d+ kB · 대화 0개, 메시지 0개$/);
    fireEvent.click((await screen.findAllByRole("button", { name: /백업 복원$/ }))[0]!);
    const plan = await screen.findByRole("dialog", { name: "이 백업을 복원할까요?" });
    await within(plan).findByText("메시지가 줄어드는 대화는 없어요.");
    // Somebody else took them away meanwhile.
    const backups = host.kept("backups");
    Object.keys(backups).forEach((name) => delete backups[name]);
    fireEvent.click(within(plan).getByRole("button", { name: "복원" }));
    await within(plan).findByRole("alert");
  });
});
