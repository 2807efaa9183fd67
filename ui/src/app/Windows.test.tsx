// How much a model holds, where nobody says so: that it is assumed is seen beside the total, and one click says better.
import { act, fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost } from "@/test/host";
import { button, click, expectAccessible, gone, shut, startAfresh } from "@/test/journey";
import { showContext } from "./actions";
import { App } from "./App";

startAfresh();

it("says that a window is assumed until the person says how much the model holds", async () => {
  const host = await startHost({ model: {}, models: [{ id: "our-own-model" }] });
  setTransport(host);
  render(<App />);
  fireEvent.click(await button(/^Just talk/));
  fireEvent.click(await button("assumed"));
  await screen.findByRole("dialog", { name: "How much our-own-model holds" });
  await expectAccessible();
  const tokens = screen.getByRole<HTMLInputElement>("textbox", { name: "Tokens" });
  expect(tokens.value).toBe("32768");
  fireEvent.change(tokens, { target: { value: "12" } });
  await click("Save");
  await screen.findByText("Between 1,024 and 100,000,000.");
  fireEvent.change(tokens, { target: { value: "131,072" } });
  await click("Save");
  await shut();
  await gone(() => screen.queryByRole("button", { name: "assumed" }));
  expect((await host.settings()).windows).toEqual({ "our-own-model": 131_072 });

  act(() => showContext("next"));
  await screen.findByText("The model holds 131k tokens, as you said.");
  await click("Change");
  await click("As it was");
  await screen.findByText("Nobody says how much our-own-model holds: 32.8k tokens are assumed.");
  await button("assumed");
  expect((await host.settings()).windows).toEqual({});
});
