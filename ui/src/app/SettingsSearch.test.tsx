// The search through the settings, through the whole interface.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost } from "@/test/host";
import { expectAccessible, startAfresh } from "@/test/journey";
import { openOverlay, SETTINGS } from "./actions";
import { findPages, loadPages } from "./actions/pages";
import { App } from "./App";

startAfresh();

async function open(language: "en" | "ko") {
  setTransport(await startHost({ settings: { language } }));
  render(<App />);
  act(() => openOverlay({ kind: "settings", tab: "general" }));
  const dialog = await screen.findByRole("dialog", { name: language === "ko" ? "설정" : "Settings" });
  const field = within(dialog).getByRole<HTMLInputElement>("searchbox");
  const type = (value: string) => fireEvent.input(field, { target: { value } });
  const pages = () => within(dialog).queryAllByRole("tab").map(({ textContent }) => textContent);
  const shown = () => within(dialog).queryAllByRole("tab", { selected: true }).map(({ textContent }) => textContent);
  return { dialog, field, type, pages, shown };
}

describe("the search through the settings", () => {
  it("leaves the pages that say the words, and shows the first of them", async () => {
    const { dialog, field, type, pages, shown } = await open("en");
    const all = pages();
    expect(all).toHaveLength(8);
    type("redact");
    await waitFor(() => expect(shown()).toEqual(["Privacy and networkRedact secrets"]));
    await within(dialog).findByRole("switch", { name: "Redact secrets" });
    expect(pages().length).toBeLessThan(4);
    await expectAccessible();
    // A part of that name comes before those that only speak of it.
    type("checkpoints");
    await waitFor(() => expect(shown()).toEqual(["Folders and checkpointsCheckpoints"]));
    type("no such thing");
    await within(dialog).findByText("No setting says “no such thing”.");
    expect(pages()).toEqual([]);
    fireEvent.keyDown(field, { key: "Escape", code: "Escape" });
    await waitFor(() => expect(pages()).toEqual(all));
    expect(field.value).toBe("");
    expect(screen.getByRole("dialog", { name: "Settings" })).toBe(dialog);
  });

  it("finds the words of the other language and Hangul initials, and takes Ctrl+F", async () => {
    const { dialog, field, type, shown } = await open("ko");
    type("redact secrets");
    await waitFor(() => expect(shown()[0]).toMatch(/^개인정보와 네트워크/));
    type("ㅊㅋㅍㅇㅌ");
    await waitFor(() => expect(shown()).toEqual(["폴더와 체크포인트체크포인트"]));
    act(() => within(dialog).getByRole("tab", { selected: true }).focus());
    fireEvent.keyDown(document.activeElement!, { key: "f", code: "KeyF", ctrlKey: true });
    expect(document.activeElement).toBe(field);
  });

  it("leads every label of every part to that part", async () => {
    const { dialog } = await open("en");
    const labels = (part: string) => {
      const here = dialog.querySelector<HTMLElement>(`[data-part="${part}"]`) ?? within(dialog).getByRole("tabpanel");
      const by = [...here.querySelectorAll("[role=combobox][aria-labelledby]")].map((one) => one.getAttribute("aria-labelledby")!.split(" ")[0]!);
      const named = [...here.querySelectorAll("label"), ...by.map((id) => document.getElementById(id))];
      return named.map((one) => one?.textContent.trim() ?? "").filter((name) => name !== "");
    };
    for (const { parts } of SETTINGS) {
      for (const part of parts) {
        act(() => openOverlay({ kind: "settings", tab: part }));
        // Of shortcuts and providers, what is there differs; a page of nothing but text has no labels.
        await waitFor(() => expect(within(dialog).getByRole("tabpanel").childElementCount).toBeGreaterThan(0));
        await loadPages();
        for (const label of labels(part)) {
          expect(findPages(label)?.map(({ tab }) => tab), `${part}: ${label}`).toContain(part);
        }
      }
    }
  });
});
