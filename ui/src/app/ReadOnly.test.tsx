// A data folder that cannot be written (safety.md, R11), in both languages: everything is there to be read, nothing can
// be sent, the window says what to do, and goes on as ever when that was done.
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost } from "@/test/host";
import { button, expectAccessible, gone, startAfresh } from "@/test/journey";
import { usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const WORDS = {
  en: {
    title: "The data folder cannot be written: for reading only",
    field: "Message",
    send: "Send",
    again: "Try again",
    waiting: "Nothing can be sent while the data folder cannot be written",
  },
  ko: {
    title: "데이터 폴더에 쓸 수 없어서 읽기만 할 수 있어요",
    field: "메시지",
    send: "보내기",
    again: "다시 시도",
    waiting: "데이터 폴더에 쓸 수 없는 동안에는 보낼 수 없어요",
  },
};

describe.each(["en", "ko"] as const)("a data folder that cannot be written, in %s", (language) => {
  it("is read, says what to do, and is written again once that was done", async () => {
    const words = WORDS[language];
    const host = await startHost({ language, settings: { language } });
    setTransport(host);
    render(<App />);
    const { id } = await host.invoke("conversation_create", { project_id: null });
    act(() => usePlace.setState({ conversationId: id }));
    const writable = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: words.field });
    fireEvent.input(writable, { target: { value: "What is a siltstone?" } });
    fireEvent.click(await button(words.send));
    await screen.findAllByText("What is a siltstone?");
    cleanup();

    await host.settled(id);
    const mended = host.instead("app_info", async (_, real) => ({
      ...(await real()),
      data: { state: "read_only", detail: "Read-only file system" },
    }));
    render(<App />);
    await screen.findByText(words.title);
    await screen.findAllByText("What is a siltstone?");
    const field = await screen.findByRole("textbox", { name: words.field });
    expect(field).toHaveProperty("readOnly", true);
    expect(field).toHaveProperty("placeholder", words.waiting);
    expect(await button(words.send)).toHaveProperty("disabled", true);
    await expectAccessible();

    mended();
    fireEvent.click(await button(words.again));
    await gone(() => screen.queryByText(words.title));
    const again = await screen.findByRole("textbox", { name: words.field });
    await waitFor(() => expect(again).toHaveProperty("readOnly", false));
  });
});
