// What every journey through the whole interface needs: a window as on its first day, buttons by their names, questions
// and their ends, and axe.
import { fireEvent, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { afterEach, beforeEach, expect, onTestFinished } from "vitest";
import { usePlace } from "@/app/actions";
import { stream } from "@/ipc";
import { hasDialog } from "@/shared/kit";
import { fakeLayout } from "./layout";

/** Before each journey of a file nothing is remembered, and rows have a height. */
export function startAfresh(): void {
  let restore = () => {};
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    restore = fakeLayout(() => 80, 600);
  });
  afterEach(() => restore());
}

export const button = (name: string | RegExp) => screen.findByRole("button", { name });

/** Presses what was looked for, once it can be pressed: what is still being done holds a button for a moment. */
export async function push(found: Promise<HTMLElement>): Promise<void> {
  const it = await found;
  await waitFor(() => expect(it).not.toHaveProperty("disabled", true));
  fireEvent.click(it);
}

export const click = (name: string | RegExp) => push(button(name));

/** All that the window says from now on to whoever cannot see it. */
export function heard(): string[] {
  const said: string[] = [];
  const region = () => document.querySelector("[role=status]")?.textContent ?? "";
  const listening = new MutationObserver(() => {
    if (region() !== "" && region() !== said.at(-1)) said.push(region());
  });
  listening.observe(document.body, { childList: true, characterData: true, subtree: true });
  onTestFinished(() => listening.disconnect());
  return said;
}

export const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });

/** It is not there, or not any more: the window may be a moment behind the program. */
export const gone = (query: () => Element | null) => waitFor(() => expect(query()).toBeNull());

/** The one dialog that is open; a toast is none. */
export const opened = () =>
  waitFor(() => {
    const open = screen.getAllByRole("dialog").filter((one) => one.dataset.toast === undefined);
    expect(open).toHaveLength(1);
    return open[0]!;
  });

/** No dialog is open any more. */
export const shut = () => waitFor(() => expect(hasDialog()).toBe(false));

/** Sends a message, which is in the conversation then. */
export async function ask(text: string): Promise<void> {
  fireEvent.input(await field(), { target: { value: text } });
  await click("Send");
  await screen.findAllByText(text, { selector: "[data-row] *" });
}

/** Nothing is on its way any more in the open conversation, and the window shows that. */
export async function ended(): Promise<void> {
  await stream("turn_watch", { id: usePlace.getState().conversationId! }, () => {});
  await gone(() => screen.queryByRole("button", { name: "Stop" }));
}

/** Sends a message and waits for what comes of it. */
export async function answered(text: string): Promise<void> {
  await ask(text);
  await ended();
}

/** Once what is on its way in or out is there or gone, axe finds nothing. */
export async function expectAccessible(): Promise<void> {
  await waitFor(async () => {
    const { violations } = await axe.run(document.body, { resultTypes: ["violations"], rules: { "color-contrast": { enabled: false } } });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });
}
