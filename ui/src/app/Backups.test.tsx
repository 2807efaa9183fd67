// Backups through the whole interface on the fake host: made, looked at before anything is replaced, and gone back to.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { createFake } from "@/ipc/fake";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { openOverlay, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

async function ask(text: string) {
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  fireEvent.input(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
  fireEvent.keyUp(field, { key: "Enter", keyCode: 13 });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
}

describe("backups", () => {
  it("are made, compared with what is there, and gone back to, with the present kept", async () => {
    const fake = createFake({ reply: () => "Here I am" });
    setTransport(fake);
    render(<App />);
    fireEvent.click(await button(/^Just talk/));
    await screen.findByRole("textbox", { name: "Message" });
    act(() => openOverlay({ kind: "settings", tab: "data" }));
    await screen.findByText("There is no backup yet.");
    await click("Back up now");
    await screen.findByText(/^Made by you · 4.2 MB · 1 conversation, 0 messages$/);
    await expectAccessible();
    await click("Close");
    await ask("Does this stay?");
    await screen.findByText("Here I am");

    act(() => openOverlay({ kind: "settings", tab: "data" }));
    await click(/^Restore the backup of/);
    const plan = await screen.findByRole("dialog", { name: "Restore this backup?" });
    await within(plan).findByText("1 conversation, 2 messages");
    within(plan).getByText("2 → 0 messages");
    expect(fake.state.backups).toHaveLength(1);
    await expectAccessible();
    fireEvent.click(within(plan).getByRole("button", { name: "Cancel" }));
    expect(fake.state.backups).toHaveLength(1);

    await click(/^Restore the backup of/);
    const again = await screen.findByRole("dialog", { name: "Restore this backup?" });
    const now = within(again).getByRole("button", { name: "Restore" });
    await waitFor(() => expect(now).toHaveProperty("disabled", false));
    fireEvent.click(now);
    await screen.findByText("Restored. What was there before is the newest backup.");
    expect(usePlace.getState().conversationId).toBeNull();
    act(() => openOverlay({ kind: "settings", tab: "data" }));
    await screen.findByText(/^Before a restore · 4.2 MB · 1 conversation, 2 messages$/);
  });

  it("say why they cannot be gone back to now", async () => {
    const fake = createFake({ settings: { language: "ko" } });
    setTransport(fake);
    render(<App />);
    await screen.findByText("프로젝트 폴더를 여기에 놓으세요");
    act(() => openOverlay({ kind: "settings", tab: "data" }));
    await click("지금 백업");
    await screen.findByText(/^직접 만든 백업 · 4.2 MB · 대화 0개, 메시지 0개$/);
    await click(/백업 복원$/);
    const plan = await screen.findByRole("dialog", { name: "이 백업을 복원할까요?" });
    await within(plan).findByText("메시지가 줄어드는 대화는 없어요.");
    fake.state.backups.length = 0;
    fireEvent.click(within(plan).getByRole("button", { name: "복원" }));
    await within(plan).findByRole("alert");
  });
});
