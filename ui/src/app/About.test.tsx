// What is said of the program itself: what it is, and the licences of what comes with it.
import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost } from "@/test/host";
import { expectAccessible, startAfresh } from "@/test/journey";
import { openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

it.each([
  ["en", "Licence of the fonts"],
  ["ko", "글꼴 라이선스"],
] as const)("shows the licence of the fonts where it is asked for: %s", async (language, name) => {
  setTransport(await startHost({ settings: { language } }));
  render(<App />);
  act(() => openOverlay({ kind: "settings", tab: "about" }));
  const dialog = within(await screen.findByRole("dialog"));
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
