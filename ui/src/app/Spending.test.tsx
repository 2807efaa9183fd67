// Costs through the whole interface on the fake host: the month, its limit, and the prices a person can change.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { createFake, type Fake } from "@/ipc/fake";
import { listed } from "@/ipc/fake/model";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const KEY = "sk-ant-api03-0123456789abcdefc3f9";
const ANTHROPIC = { name: "Anthropic", kind: "anthropic", base_url: "https://api.anthropic.com/v1" } as const;

async function start(model: string): Promise<Fake> {
  const hosted = [{ base_url: ANTHROPIC.base_url, key: KEY, models: [listed(model)] }];
  const fake = createFake({ hosted, reply: () => "Here I am", now: () => Date.parse("2026-11-22T03:00:00Z") });
  fake.state.providers.push({ ...ANTHROPIC });
  fake.state.keys.kept.set("Anthropic https://api.anthropic.com", { key: KEY, place: "keyring" });
  fake.state.settings = { ...fake.state.settings, default_provider: "Anthropic", default_model: model };
  setTransport(fake);
  render(<App />);
  fireEvent.click(await button(/^Just talk/));
  await ask("Are you there?");
  await screen.findByText("Here I am");
  return fake;
}

const spending = () => act(() => openOverlay({ kind: "settings", tab: "spending" }));

async function ask(text: string) {
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  fireEvent.input(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
  fireEvent.keyUp(field, { key: "Enter", keyCode: 13 });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
}

describe("spending", () => {
  it("says where the month stands, takes a limit as it is typed, and lets the month go on", async () => {
    const fake = await start("claude-opus-4");
    spending();
    await screen.findByRole("heading", { name: "Spent in November 2026" });
    screen.getByText("No limit is set.");
    await expectAccessible();
    const limit = screen.getByRole<HTMLInputElement>("textbox", { name: "Monthly limit" });
    fireEvent.change(limit, { target: { value: "0.0" } });
    fireEvent.change(limit, { target: { value: "0.0o" } });
    fireEvent.blur(limit);
    await screen.findByText("Write an amount such as 0.075.");
    expect(limit.value).toBe("0.0o");
    expect(fake.state.settings.monthly_limit).toBeNull();
    fireEvent.change(limit, { target: { value: "０．０００００１" } });
    fireEvent.keyDown(limit, { key: "Enter" });
    await waitFor(() => expect(fake.state.settings.monthly_limit).toBe(1));
    expect(limit.value).toBe("0.000001");
    await screen.findByText("The limit is reached");
    await expectAccessible();
    await click("Let this month go on");
    await screen.findByText(/^You let this month go on up to/);
    fireEvent.change(limit, { target: { value: "" } });
    fireEvent.blur(limit);
    await waitFor(() => expect(fake.state.settings.monthly_limit).toBeNull());
  });

  it("explains what has no price, takes one for a family of models, and gives it up again", async () => {
    const fake = await start("mystery-1");
    spending();
    await screen.findByText("1 reply has no known price and is not in the sum.");
    await click("Give a price to mystery-1");
    let dialog = await screen.findByRole("dialog", { name: "Price of mystery-1" });
    const type = (name: string, value: string) =>
      fireEvent.change(within(dialog).getByRole("textbox", { name }), { target: { value } });
    type("Input", "$0.075");
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    await within(dialog).findByText("Write an amount; 0 is one.");
    expect(within(dialog).getByRole<HTMLInputElement>("textbox", { name: "Input" }).value).toBe("$0.075");
    await expectAccessible();
    type("Output", "0.3");
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    const own = { input: 75_000, output: 300_000, cached_input: null, cache_write: null };
    await waitFor(() => expect(fake.state.settings.prices).toEqual({ "mystery-1": own }));
    const row = (await button("Change the price of mystery-1")).closest("tr")!;
    expect(within(row).getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["$0.075", "$0.075", "$0.30", "you"]);

    fireEvent.change(screen.getByRole("searchbox", { name: "Find a model" }), { target: { value: "HAIKU" } });
    await waitFor(() => expect(screen.queryByRole("button", { name: "Change the price of mystery-1" })).toBeNull());
    await click("Change the price of claude-haiku-4");
    dialog = await screen.findByRole("dialog", { name: "Price of claude-haiku-4" });
    // What is not on the table is not lost by a change.
    type("Output", "4.5");
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(fake.state.settings.prices["claude-haiku-4"]?.cache_write).toBe(1_250_000));
    await click("Change the price of claude-haiku-4");
    await click("Remove my price");
    await waitFor(() => expect(Object.keys(fake.state.settings.prices)).toEqual(["mystery-1"]));

    await click("Add a model");
    dialog = await screen.findByRole("dialog", { name: "Price of a model" });
    type("Model", "*-mini");
    type("Input", "1");
    type("Output", "2");
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    await within(dialog).findByText("A * can only stand at the end.");
    type("Model", "our-*");
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(Object.keys(fake.state.settings.prices)).toEqual(["mystery-1", "our-*"]));
  });
});
