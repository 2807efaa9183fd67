// What is said of the program itself: what it is, and the licences of what comes with it.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost } from "@/test/host";
import { click, expectAccessible, gone, opened, startAfresh } from "@/test/journey";
import { openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

it.each([
  ["en", /^When the package is removed, what you wrote stays in \/./, /Debian 12 and 13/],
  ["ko", /^패키지를 제거해도 쓰던 것은 \/.+에 그대로 남아요\.$/, /Debian 12와 13/],
] as const)("says where it was shown to work, and what a removal leaves: %s", async (language, stays, systems) => {
  setTransport(await startHost({ settings: { language } }));
  render(<App />);
  act(() => openOverlay({ kind: "settings", tab: "about" }));
  const dialog = within(await opened());
  await dialog.findByText(stays);
  await dialog.findByText(systems);
});

it.each([
  ["en", "Licence of the fonts"],
  ["ko", "글꼴 라이선스"],
] as const)("shows the licence of the fonts where it is asked for: %s", async (language, name) => {
  setTransport(await startHost({ settings: { language } }));
  render(<App />);
  act(() => openOverlay({ kind: "settings", tab: "about" }));
  const dialog = within(await opened());
  const part = (await dialog.findByText(name)).closest("details")!;
  expect(part.textContent).toBe(name);
  act(() => {
    part.open = true;
    fireEvent(part, new Event("toggle"));
  });
  const text = await dialog.findByLabelText(name);
  for (const font of ["Pretendard", "D2Coding", "STIX Two Math", "SIL OPEN FONT LICENSE Version 1.1"]) {
    expect(text.textContent).toContain(font);
  }
  await expectAccessible();
});

it.each([
  ["en", "Open-source licences", /^\d+ packages$/, "1 package", "No package says “mit nowhere”.", "npm package", "Model"],
  ["ko", "오픈소스 라이선스", /^패키지 \d+개$/, "패키지 1개", "“mit nowhere”에 맞는 패키지가 없어요.", "npm 패키지", "모델"],
] as const)("lists what others made of it, each with its licence: %s", async (language, name, all, one, none, npm, model) => {
  setTransport(await startHost({ settings: { language } }));
  render(<App />);
  act(() => openOverlay({ kind: "settings", tab: "about" }));
  await click(`${name}…`);
  const dialog = within(await screen.findByRole("dialog", { name }));
  const field = dialog.getByRole<HTMLInputElement>("searchbox");
  const type = (value: string) => fireEvent.input(field, { target: { value } });
  const said = await dialog.findByText(all);
  // Of hundreds, those that are in sight.
  const rows = await dialog.findAllByRole("listitem");
  expect(said.textContent).toContain(rows[0]!.getAttribute("aria-setsize"));
  expect(rows.length).toBeLessThan(40);
  await expectAccessible();
  type("react-dom MIT");
  const texts = () => dialog.getAllByRole("listitem").map(({ textContent }) => textContent);
  await waitFor(() => expect(texts()).toContainEqual(expect.stringMatching(`^react-dom [\\d.]+ MIT ${npm}$`)));
  type(`e5 ${model}`);
  await dialog.findByText(one);
  expect(texts()).toEqual([expect.stringContaining(`MIT ${model}`)]);
  type("mit nowhere");
  await dialog.findByText(none);
  await gone(() => dialog.queryByRole("listitem"));
  await expectAccessible();
  // Escape empties the field first, and "find" goes to it and not to the one of the settings beneath.
  fireEvent.keyDown(field, { key: "Escape", code: "Escape" });
  await dialog.findByText(all);
  const list = dialog.getByRole("group", { name });
  act(() => list.focus());
  fireEvent.keyDown(list, { key: "f", code: "KeyF", ctrlKey: true });
  expect(document.activeElement).toBe(field);
  fireEvent.keyDown(field, { key: "Escape", code: "Escape" });
  await gone(() => screen.queryByRole("dialog", { name }));
  await screen.findByRole("button", { name: `${name}…` });
});
