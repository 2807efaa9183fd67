// What leaves this computer, through the whole interface: the list, the exact request of a reply, the
// projects that stay here, and the way out.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setTransport, type EgressItem } from "@/ipc";
import { CERTIFICATES, startHost, type Host, type HostOptions } from "@/test/host";
import { answered, click, expectAccessible, gone, push, startAfresh } from "@/test/journey";
import { openOverlay, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const KEY = "sk-cloud-0123456789abcdefc3f9";
const FOLDERS = { "/code/aurora": { "AGENTS.md": "Never break the API." } };

let copied = "";
beforeEach(() => {
  copied = "";
  const clipboard = { writeText: async (text: string) => void (copied = text) };
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: clipboard });
});
afterEach(() => {
  Reflect.deleteProperty(navigator, "clipboard");
});

async function start(options: HostOptions = {}): Promise<Host> {
  const provider = { name: "Cloud", base_url: "https://cloud.example/v1" };
  const model = { reply: () => "Here I am" };
  const host = await startHost({ elsewhere: true, provider, key: KEY, model, models: [{ id: "opus" }], folders: FOLDERS, ...options });
  // That its models were listed is behind us.
  await host.invoke("egress_clear", null);
  setTransport(host);
  render(<App />);
  return host;
}

const left = (host: Host) => host.invoke("egress_list", { before: null, limit: 500, away_only: false });

describe("what left this computer", () => {
  it("is listed, opens to the very bytes, is copied without the key, and is forgotten after a question", async () => {
    const host = await start();
    await click(/^Just talk/);
    await answered("Where is the heron?");
    await screen.findByText("Here I am");
    await act(async () => openOverlay({ kind: "settings", tab: "privacy" }));
    const row = (await screen.findByText("cloud.example")).closest("tr")!;
    within(row).getByText("POST");
    within(row).getByText("200");
    await expectAccessible();
    fireEvent.click(within(row).getByRole("button"));
    const sent = await screen.findByRole("dialog", { name: "What was sent" });
    await within(sent).findByText("POST https://cloud.example/v1/chat/completions");
    within(sent).getByText("authorization: Bearer $KEY");
    expect(within(sent).getByRole("document", { name: "Body" }).textContent).toContain('"model": "opus",');
    await expectAccessible();
    fireEvent.click(within(sent).getByRole("button", { name: "Copy JSON" }));
    const [{ seq }] = (await left(host)) as [EgressItem];
    await waitFor(async () => expect(copied).toBe((await host.invoke("egress_body", { seq })).body));
    fireEvent.click(within(sent).getByRole("button", { name: "Copy as curl" }));
    await waitFor(() => expect(copied).toMatch(/^printf .*Where is the heron\?.*\| curl /));
    expect(copied).not.toContain(KEY);
    fireEvent.keyDown(sent, { key: "Escape" });

    await click("Clear the list");
    const question = await screen.findByRole("dialog", { name: "Clear the list?" });
    expect(await left(host)).toHaveLength(1);
    fireEvent.click(within(question).getByRole("button", { name: "Clear the list" }));
    await screen.findByText("Nothing has left this computer");
    expect(await left(host)).toEqual([]);
  });

  it("comes a page at a time, and leaves out this computer's own servers until asked", async () => {
    const host = await start();
    const at = new Date().toISOString();
    // More than a person would wait for: every other one to this computer, none of them with its body.
    const all = Array.from({ length: 130 }, (_, n): EgressItem => {
      const home = (n + 1) % 2 === 0;
      const url = home ? "http://127.0.0.1:11434/api/chat" : `https://api.example.com/${n + 1}`;
      const about = { provider: home ? "Ollama" : "Example", method: "POST", url, home, size: 2, hash: "", answer: "rate_limited" };
      return { seq: n + 1, at, turn_id: null, conversation_id: null, body_kept: false, ...about };
    }).reverse();
    host.instead("egress_list", ({ before, limit, away_only }) =>
      all.filter(({ seq, home }) => (before === null || seq < before) && !(away_only && home)).slice(0, limit),
    );
    host.failing("egress_body", { code: "not_found" });
    await act(async () => openOverlay({ kind: "settings", tab: "privacy" }));
    const rows = () => screen.getAllByRole("row").length - 1;
    await screen.findAllByText("Too many requests.");
    expect(rows()).toBe(50);
    await click("Show older ones");
    await waitFor(() => expect(rows()).toBe(65));
    await gone(() => screen.queryByRole("button", { name: "Show older ones" }));
    await gone(() => screen.queryByText("127.0.0.1:11434"));
    fireEvent.click(screen.getAllByRole("row")[1]!.querySelector("button")!);
    await screen.findByText(/Its body is no longer kept/);
    fireEvent.keyDown(screen.getByRole("dialog", { name: "What was sent" }), { key: "Escape" });
    fireEvent.click(screen.getByRole("switch", { name: /own servers too/ }));
    await screen.findAllByText("127.0.0.1:11434");
  });

  it("is seen from the reply it was for, and said to be gone once it is", async () => {
    const host = await start();
    await click(/^Just talk/);
    await answered("Where is the heron?");
    await screen.findByText("Here I am");
    await click("What this reply saw");
    const pane = await screen.findByRole("complementary", { name: "Context" });
    await push(within(pane).findByRole("button", { name: "Exact request" }));
    const sent = await screen.findByRole("dialog", { name: "What was sent" });
    await within(sent).findByRole("button", { name: "Copy JSON" });
    fireEvent.keyDown(sent, { key: "Escape" });
    // Forgotten while the pane still offers it.
    const { conversationId } = usePlace.getState();
    const list = await left(host);
    expect(list.map((it) => it.conversation_id)).toEqual([conversationId]);
    await host.invoke("egress_clear", null);
    await click("Exact request");
    await screen.findByText(/Its body is no longer kept/);
    fireEvent.keyDown(screen.getByRole("dialog", { name: "What was sent" }), { key: "Escape" });
    await host.invoke("conversation_rename", { id: conversationId!, title: "Herons" });
    await within(pane).findByText("The exact bytes are no longer kept.");
    await gone(() => within(pane).queryByRole("button", { name: "Exact request" }));
  });
});

describe("the way out", () => {
  it("is closed for one project, when it is opened and in the settings", async () => {
    const host = await start();
    await screen.findByText("Drop a project folder here");
    act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));
    const sheet = await screen.findByRole("dialog", { name: "aurora" });
    fireEvent.click(await within(sheet).findByRole("switch", { name: "This computer only for this project" }));
    await expectAccessible();
    fireEvent.click(within(sheet).getByRole("button", { name: /^Trust and use/ }));
    await screen.findByRole("textbox", { name: "Message" });
    const alone = async () => (await host.invoke("project_list", null))[0]!.this_computer_only;
    expect(await alone()).toBe(true);
    act(() => openOverlay({ kind: "settings", tab: "privacy" }));
    const own = await screen.findByRole("switch", { name: "aurora" });
    fireEvent.click(own);
    await waitFor(() => expect(own.getAttribute("aria-checked")).toBe("false"));
    expect(await alone()).toBe(false);
  });

  it("goes through a proxy that can be used; what cannot stays typed, with the reason", async () => {
    const host = await start({ disk: { "/notes.txt": "Buy tea." } });
    host.dialogs.certificates = host.at("/notes.txt");
    await screen.findByText("Drop a project folder here");
    act(() => openOverlay({ kind: "settings", tab: "network" }));
    fireEvent.keyDown(await screen.findByRole("combobox", { name: "Proxy" }), { key: "ArrowDown" });
    const option = await screen.findByRole("option", { name: "At an address" });
    fireEvent.pointerDown(option, { pointerType: "mouse", buttons: 1 });
    fireEvent.click(option);
    const address = await screen.findByRole<HTMLInputElement>("textbox", { name: "Address of the proxy" });
    expect((await host.settings()).proxy).toEqual({ by: "system" });
    const type = (field: HTMLElement, value: string) => {
      fireEvent.change(field, { target: { value } });
      fireEvent.blur(field);
    };
    type(address, "http://ada:secret@proxy.example:3128");
    await screen.findByText(/The proxy cannot be used/);
    expect(address.value).toBe("http://ada:secret@proxy.example:3128");
    await expectAccessible();
    type(address, "http://proxy.example:3128");
    await waitFor(async () => expect((await host.settings()).proxy).toEqual({ by: "address", url: "http://proxy.example:3128" }));
    await gone(() => screen.queryByText(/The proxy cannot be used/));
    // Left with the field still in hand: it is stored all the same.
    const file = screen.getByRole("textbox", { name: "Extra certificates" });
    fireEvent.change(file, { target: { value: CERTIFICATES } });
    await click("Close");
    await waitFor(async () => expect((await host.settings()).extra_ca).toBe(CERTIFICATES));
    act(() => openOverlay({ kind: "settings", tab: "network" }));
    await click("Choose…");
    await screen.findByText("The certificate file cannot be used.");
    expect((await host.settings()).extra_ca).toBe(CERTIFICATES);
  });
});

describe("the sample project", () => {
  it("opens its recorded conversation, the same one again, among equal doors", async () => {
    const host = await start();
    const opened = async () => {
      await screen.findByRole("log");
      await screen.findAllByText("Ten times too much rain in March");
    };
    await click("Look at the sample");
    await opened();
    expect(await host.invoke("conversation_list", { project_id: null, trashed: false })).toHaveLength(1);
    act(() => usePlace.setState({ conversationId: null }));
    await click("Look at the sample");
    await opened();
    expect(await host.invoke("conversation_list", { project_id: null, trashed: false })).toHaveLength(1);
  });
});
