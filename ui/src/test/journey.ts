// What every journey through the whole interface needs: a window as on its first day, buttons by their names, and axe.
import { fireEvent, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { afterEach, beforeEach, expect } from "vitest";
import { usePlace } from "@/app/actions";
import { setLanguage } from "@/shared/i18n";
import { fakeLayout } from "./layout";

/** Before each journey of a file nothing is remembered, and rows have a height. */
export function startAfresh(): void {
  const fresh = usePlace.getInitialState();
  let restore = () => {};
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    usePlace.setState(fresh, true);
    setLanguage("en");
    restore = fakeLayout(() => 80, 600);
  });
  afterEach(() => restore());
}

export const button = (name: string | RegExp) => screen.findByRole("button", { name });
export const click = async (name: string | RegExp) => fireEvent.click(await button(name));

/** Once what is on its way in or out is there or gone, axe finds nothing. */
export async function expectAccessible(): Promise<void> {
  await waitFor(async () => {
    const { violations } = await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });
}
