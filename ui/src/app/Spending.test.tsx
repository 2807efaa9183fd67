// Costs through the whole interface: the month, its limit, and the prices a person can change.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost, type Host } from "@/test/host";
import { answered, button, click, expectAccessible, gone, startAfresh } from "@/test/journey";
import { openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const KEY = "sk-ant-api03-0123456789abcdefc3f9";
const CLOUD = { name: "Cloud", base_url: "https://cloud.example/v1" };

async function start(model: string): Promise<Host> {
  const reply = () => "Here I am";
  // In November 2026.
  const clock_ahead = Math.round((Date.parse("2026-11-22T03:00:00Z") - Date.now()) / 1000);
  const host = await startHost({ elsewhere: true, provider: CLOUD, key: KEY, model: { reply }, models: [{ id: model }], world: { clock_ahead } });
  setTransport(host);
  render(<App />);
  fireEvent.click(await button(/^Just talk/));
  await answered("Are you there?");
  await screen.findByText("Here I am");
  return host;
}

const spending = () => act(() => openOverlay({ kind: "settings", tab: "spending" }));

describe("spending", () => {
  it("says where the month stands, takes a limit as it is typed, and lets the month go on", async () => {
    const host = await start("claude-opus-5");
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
    expect((await host.settings()).monthly_limit).toBeNull();
    fireEvent.change(limit, { target: { value: "０．０００００１" } });
    fireEvent.keyDown(limit, { key: "Enter" });
    await waitFor(async () => expect((await host.settings()).monthly_limit).toBe(1));
    await waitFor(() => expect(limit.value).toBe("0.000001"));
    await screen.findByText("The limit is reached");
    await expectAccessible();
    await click("Let this month go on");
    await screen.findByText(/^You let this month go on up to/);
    fireEvent.change(limit, { target: { value: "" } });
    fireEvent.blur(limit);
    await waitFor(async () => expect((await host.settings()).monthly_limit).toBeNull());
  });

  it("explains what has no price, takes one for a family of models, and gives it up again", async () => {
    const host = await start("mystery-1");
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
    await waitFor(async () => expect((await host.settings()).prices).toEqual({ "mystery-1": own }));
    // Behind the dialog nothing is reached until it has closed.
    fireEvent.change(await screen.findByRole("searchbox", { name: "Find a model" }), { target: { value: "mystery" } });
    const row = (await button("Change the price of mystery-1")).closest("tr")!;
    expect(within(row).getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["$0.075", "$0.075", "$0.30", "you"]);

    fireEvent.change(screen.getByRole("searchbox", { name: "Find a model" }), { target: { value: "HAIKU" } });
    await gone(() => screen.queryByRole("button", { name: "Change the price of mystery-1" }));
    await click("Change the price of claude-haiku-4-5");
    dialog = await screen.findByRole("dialog", { name: "Price of claude-haiku-4-5" });
    // What is not on the table is not lost by a change.
    type("Output", "4.5");
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(async () => expect((await host.settings()).prices["claude-haiku-4-5"]?.cache_write).toBe(1_250_000));
    await click("Change the price of claude-haiku-4-5");
    await click("Remove my price");
    await waitFor(async () => expect(Object.keys((await host.settings()).prices)).toEqual(["mystery-1"]));

    await click("Add a model");
    dialog = await screen.findByRole("dialog", { name: "Price of a model" });
    type("Model", "*-mini");
    type("Input", "1");
    type("Output", "2");
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    await within(dialog).findByText("A * can only stand at the end.");
    type("Model", "our-*");
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(async () => expect(Object.keys((await host.settings()).prices)).toEqual(["mystery-1", "our-*"]));
  });
});
