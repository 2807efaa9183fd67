// What is said while a model has not begun, by a clock that the test moves.
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { usePlace } from "@/app/actions";
import { setLanguage } from "@/shared/i18n";
import { Waiting } from "./Waiting";

beforeEach(() => {
  vi.useFakeTimers();
  setLanguage("en");
});
afterEach(() => vi.useRealTimers());

const pass = (seconds: number) => act(() => vi.advanceTimersByTime(seconds * 1000));

it("says that it waits, then for how long, then offers another model", () => {
  render(<Waiting pause={null} />);
  screen.getByRole("img", { name: "Waiting for the first words" });
  expect(screen.queryByText(/sec$/)).toBeNull();
  pass(6);
  screen.getByText("6 sec");
  expect(screen.queryByRole("button")).toBeNull();
  pass(20);
  screen.getByText("No word for 26 sec.");
  fireEvent.click(screen.getByRole("button", { name: "Use another model" }));
  expect(usePlace.getState().overlay).toEqual({ kind: "palette", mode: "models" });
});

it("counts down to when a provider that could not is asked again, then waits as before", () => {
  const until = new Date(Date.now() + 6_500).toISOString();
  const { rerender } = render(<Waiting pause={{ limited: true, until }} />);
  screen.getByText("Too many requests. Asked again in 7 sec.");
  screen.getByRole("button", { name: "Use another model" });
  pass(4);
  screen.getByText("Too many requests. Asked again in 3 sec.");
  pass(3);
  screen.getByText("7 sec");
  rerender(<Waiting pause={{ limited: false, until: new Date(Date.now() + 2_000).toISOString() }} />);
  screen.getByText("The provider has trouble. Asked again in 2 sec.");
});
