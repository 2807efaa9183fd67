// What leaves this computer, through the whole interface on the fake host: the list, the exact request of a reply, the
// projects that stay here, and the way out.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { createFake, type Fake, type FakeOptions } from "@/ipc/fake";
import { listed } from "@/ipc/fake/model";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { openOverlay, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const KEY = "sk-ant-api03-0123456789abcdefc3f9";
const ANTHROPIC = { name: "Anthropic", kind: "anthropic", base_url: "https://api.anthropic.com/v1" } as const;
const HOSTED = [{ base_url: ANTHROPIC.base_url, key: KEY, models: [listed("opus")] }];
const FOLDERS = { "/code/aurora": { files: { "AGENTS.md": "Never break the API." } } };

let copied = "";
beforeEach(() => {
  copied = "";
  const clipboard = { writeText: async (text: string) => void (copied = text) };
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: clipboard });
});
afterEach(() => {
  Reflect.deleteProperty(navigator, "clipboard");
});

function start(options: FakeOptions = {}): Fake {
  const fake = createFake({ hosted: HOSTED, folders: FOLDERS, reply: () => "Here I am", ...options });
  fake.state.providers.push({ ...ANTHROPIC });
  fake.state.keys.kept.set("Anthropic https://api.anthropic.com", { key: KEY, place: "keyring" });
  fake.state.settings = { ...fake.state.settings, default_provider: "Anthropic", default_model: "opus" };
  setTransport(fake);
  render(<App />);
  return fake;
}

async function ask(text: string) {
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  fireEvent.input(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
  fireEvent.keyUp(field, { key: "Enter", keyCode: 13 });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
}

describe("what left this computer", () => {
  it("is listed, opens to the very bytes, is copied without the key, and is forgotten after a question", async () => {
    const fake = start();
    await click(/^Just talk/);
    await ask("Where is the heron?");
    await screen.findByText("Here I am");
    await act(async () => openOverlay({ kind: "settings", tab: "privacy" }));
    const row = (await screen.findByText("api.anthropic.com")).closest("tr")!;
    within(row).getByText("POST");
    within(row).getByText("200");
    await expectAccessible();
    fireEvent.click(within(row).getByRole("button"));
    const sent = await screen.findByRole("dialog", { name: "What was sent" });
    await within(sent).findByText("POST https://api.anthropic.com/v1/messages");
    within(sent).getByText("authorization: Bearer $KEY");
    expect(within(sent).getByRole("document", { name: "Body" }).textContent).toContain('"model": "opus",');
    await expectAccessible();
    fireEvent.click(within(sent).getByRole("button", { name: "Copy JSON" }));
    await waitFor(() => expect(copied).toBe(fake.state.egress[0]!.body));
    fireEvent.click(within(sent).getByRole("button", { name: "Copy as curl" }));
    await waitFor(() => expect(copied).toMatch(/^printf .*Where is the heron\?.*\| curl /));
    expect(copied).not.toContain(KEY);
    fireEvent.keyDown(sent, { key: "Escape" });

    await click("Clear the list");
    const question = await screen.findByRole("dialog", { name: "Clear the list?" });
    expect(fake.state.egress).toHaveLength(1);
    fireEvent.click(within(question).getByRole("button", { name: "Clear the list" }));
    await screen.findByText("Nothing has left this computer");
    expect(fake.state.egress).toHaveLength(0);
  });

  it("comes a page at a time, and leaves out this computer's own servers until asked", async () => {
    const fake = start();
    const at = new Date().toISOString();
    for (let seq = 1; seq <= 130; seq += 1) {
      const home = seq % 2 === 0;
      const url = home ? "http://127.0.0.1:11434/api/chat" : `https://api.example.com/${seq}`;
      const facts = { provider: home ? "Ollama" : "Example", method: "POST", url, home, size: 2, hash: "", answer: "rate_limited" };
      fake.state.egress.push({ seq, at, turn_id: null, conversation_id: null, ...facts, body_kept: false, body: "{}" });
    }
    await act(async () => openOverlay({ kind: "settings", tab: "privacy" }));
    const rows = () => screen.getAllByRole("row").length - 1;
    await screen.findAllByText("Too many requests.");
    expect(rows()).toBe(50);
    await click("Show older ones");
    await waitFor(() => expect(rows()).toBe(65));
    expect(screen.queryByRole("button", { name: "Show older ones" })).toBeNull();
    expect(screen.queryByText("127.0.0.1:11434")).toBeNull();
    fireEvent.click(screen.getAllByRole("row")[1]!.querySelector("button")!);
    await screen.findByText(/Its body is no longer kept/);
    fireEvent.keyDown(screen.getByRole("dialog", { name: "What was sent" }), { key: "Escape" });
    fireEvent.click(screen.getByRole("switch", { name: /own servers too/ }));
    await screen.findAllByText("127.0.0.1:11434");
  });

  it("is seen from the reply it was for, and said to be gone once it is", async () => {
    const fake = start();
    await click(/^Just talk/);
    await ask("Where is the heron?");
    await screen.findByText("Here I am");
    await click("What this reply saw");
    const pane = await screen.findByRole("complementary", { name: "Context" });
    fireEvent.click(await within(pane).findByRole("button", { name: "Exact request" }));
    const sent = await screen.findByRole("dialog", { name: "What was sent" });
    await within(sent).findByRole("button", { name: "Copy JSON" });
    fireEvent.keyDown(sent, { key: "Escape" });
    // Forgotten while the pane still offers it.
    fake.state.egress = [];
    await click("Exact request");
    await screen.findByText(/Its body is no longer kept/);
    fireEvent.keyDown(screen.getByRole("dialog", { name: "What was sent" }), { key: "Escape" });
    fake.state.emit({ type: "all" });
    await within(pane).findByText("The exact bytes are no longer kept.");
    expect(within(pane).queryByRole("button", { name: "Exact request" })).toBeNull();
  });
});

describe("the way out", () => {
  it("is closed for one project, when it is opened and in the settings", async () => {
    const fake = start();
    await screen.findByText("Drop a project folder here");
    act(() => fake.drag({ type: "drop", paths: ["/code/aurora"] }));
    const sheet = await screen.findByRole("dialog", { name: "aurora" });
    fireEvent.click(await within(sheet).findByRole("switch", { name: "This computer only for this project" }));
    await expectAccessible();
    fireEvent.click(within(sheet).getByRole("button", { name: /^Trust and use/ }));
    await screen.findByRole("textbox", { name: "Message" });
    const project = () => [...fake.state.projects.values()][0]!;
    expect(project().this_computer_only).toBe(true);
    act(() => openOverlay({ kind: "settings", tab: "privacy" }));
    const own = await screen.findByRole("switch", { name: "aurora" });
    fireEvent.click(own);
    await waitFor(() => expect(own.getAttribute("aria-checked")).toBe("false"));
    expect(project().this_computer_only).toBe(false);
  });

  it("goes through a proxy that can be used; what cannot stays typed, with the reason", async () => {
    const fake = start({ picksCertificates: "/home/ada/notes.txt" });
    await screen.findByText("Drop a project folder here");
    act(() => openOverlay({ kind: "settings", tab: "network" }));
    fireEvent.keyDown(await screen.findByRole("combobox", { name: "Proxy" }), { key: "ArrowDown" });
    const option = await screen.findByRole("option", { name: "At an address" });
    fireEvent.pointerDown(option, { pointerType: "mouse", buttons: 1 });
    fireEvent.click(option);
    const address = await screen.findByRole<HTMLInputElement>("textbox", { name: "Address of the proxy" });
    expect(fake.state.settings.proxy).toEqual({ by: "system" });
    const type = (field: HTMLElement, value: string) => {
      fireEvent.change(field, { target: { value } });
      fireEvent.blur(field);
    };
    type(address, "http://ada:secret@proxy.example:3128");
    await screen.findByText(/The proxy cannot be used/);
    expect(address.value).toBe("http://ada:secret@proxy.example:3128");
    await expectAccessible();
    type(address, "http://proxy.example:3128");
    await waitFor(() => expect(fake.state.settings.proxy).toEqual({ by: "address", url: "http://proxy.example:3128" }));
    expect(screen.queryByText(/The proxy cannot be used/)).toBeNull();
    // Left with the field still in hand: it is stored all the same.
    const file = screen.getByRole("textbox", { name: "Extra certificates" });
    fireEvent.change(file, { target: { value: "/etc/ssl/company.pem" } });
    await click("Close");
    await waitFor(() => expect(fake.state.settings.extra_ca).toBe("/etc/ssl/company.pem"));
    act(() => openOverlay({ kind: "settings", tab: "network" }));
    await click("Choose…");
    await screen.findByText("The certificate file cannot be used.");
    expect(fake.state.settings.extra_ca).toBe("/etc/ssl/company.pem");
  });
});

describe("the sample project", () => {
  it("opens its recorded conversation, the same one again, and steps back for real ones", async () => {
    const fake = start();
    await click(/^Explore a sample project/);
    await screen.findByText("When is high water?", { selector: "[data-selectable]" });
    expect(fake.state.conversations.size).toBe(1);
    act(() => usePlace.setState({ conversationId: null }));
    const again = await button("Explore a sample project");
    expect(screen.queryByText(/A recorded conversation/)).toBeNull();
    fireEvent.click(again);
    await screen.findByText("When is high water?", { selector: "[data-selectable]" });
    expect(fake.state.conversations.size).toBe(1);
  });
});
