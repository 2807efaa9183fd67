// Something in an open database cannot be read (safety.md, R12), in both languages: the window says so as soon as it is met,
// everything else is used, and it is salvaged from the notice or from Settings.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { call, setTransport, type Salvage } from "@/ipc";
import { startHost } from "@/test/host";
import { button, click, expectAccessible, gone, opened, shut, startAfresh } from "@/test/journey";
import { closeOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const WORDS = {
  en: {
    title: "Something in the database cannot be read",
    salvage: "Salvage…",
    backups: "Backups…",
    asked: "Salvage the damaged database?",
    run: "Salvage",
    start: "Drop a project folder here",
    make: "Back up now",
  },
  ko: {
    title: "데이터베이스에서 읽을 수 없는 것이 있어요",
    salvage: "복구…",
    backups: "백업…",
    asked: "손상된 데이터베이스를 복구할까요?",
    run: "복구",
    start: "프로젝트 폴더를 여기에 놓으세요",
    make: "지금 백업",
  },
};

describe.each(["en", "ko"] as const)("a database with something that cannot be read, in %s", (language) => {
  it("says so when it is met, goes on, and is salvaged", async () => {
    const words = WORDS[language];
    const host = await startHost({ language, settings: { language } });
    // A page that only this question reads is damaged: the first one says so, and so does the program from then on.
    const detail = "database disk image is malformed";
    let damaged = false;
    host.instead("app_info", async (_, real) => ({ ...(await real()), ...(damaged && { data: { state: "partly_damaged", detail } }) }));
    host.instead("spending_get", () => {
      damaged = true;
      return Promise.reject({ code: "damaged", message: detail, hint: "" });
    });
    const alone: Salvage = {
      pages: 120,
      unreadable_pages: 2,
      holds: { conversations: 0, messages: 0 },
      lost_messages: 0,
      touched: [],
      touched_count: 0,
      aside: 3,
      tables: [],
      kept: null,
    };
    host.instead("salvage_plan", () => ({ alone, backup: null, with_backup: null }));
    host.instead("salvage_run", () => {
      damaged = false;
      host.tell({ topics: [{ type: "all" }] });
      return { ...alone, kept: "/damaged" };
    });
    setTransport(host);
    render(<App />);
    const start = await screen.findByText(words.start);
    await gone(() => screen.queryByText(words.title));
    await act(() => call("spending_get").catch(() => undefined));
    await screen.findByText(words.title);
    expect(screen.getByText(words.start)).toBeTruthy();
    expect(start).toBeTruthy();
    await expectAccessible();

    // A backup cannot be made of it, and it is salvaged there as well.
    fireEvent.click(await button(words.backups));
    const settings = await opened();
    await within(settings).findByRole("button", { name: words.salvage });
    await gone(() => within(settings).queryByRole("button", { name: words.make }));
    act(() => closeOverlay());
    await shut();

    await click(words.salvage);
    const asked = await screen.findByRole("dialog", { name: words.asked });
    const run = await within(asked).findByRole("button", { name: words.run });
    await waitFor(() => expect(run).toHaveProperty("disabled", false));
    fireEvent.click(run);
    await gone(() => screen.queryByText(words.title));
    expect(damaged).toBe(false);
    await screen.findByText(words.start);
  });
});
