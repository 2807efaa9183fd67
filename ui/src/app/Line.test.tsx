// The line of a request through the whole interface: what it says is what goes, what is taken out of it stays out, what is
// offered goes with one press, and the same line stands under the reply.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { startHost, type Host } from "@/test/host";
import { answered, click, expectAccessible, field, gone, startAfresh } from "@/test/journey";
import { usePlace } from "./actions";
import { App } from "./App";

startAfresh();
afterEach(() => vi.restoreAllMocks());

async function start(): Promise<Host> {
  const host = await startHost({ folders: { "/code/aurora": { "AGENTS.md": "# Rules\n\n- Write tests first.\n" } }, model: { reply: () => "Done." } });
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));
  await click(/^Trust and use/);
  await field();
  return host;
}

const line = async () => within(await screen.findByRole("group", { name: "Next request" }));
const chip = async (name: string | RegExp) => (await line()).findByRole("button", { name });
/** What went with the last question, as the host has it. */
async function sent(host: Host) {
  const { messages } = await host.invoke("conversation_page", { id: usePlace.getState().conversationId!, start: null, limit: 2 });
  return (await host.invoke("request_sent", { id: messages.at(-1)!.turn_id! })).sections.map(({ section }) => section.kind);
}

describe("the line of the next request", () => {
  it("leaves out what is taken away by key, offers it, and takes it back", async () => {
    const host = await start();
    (await chip("1 rule file")).focus();
    fireEvent.keyDown(await chip("1 rule file"), { key: "Delete" });
    await waitFor(async () => expect(document.activeElement).toBe(await field()));
    await chip("Add AGENTS.md");
    await gone(() => screen.queryByRole("button", { name: "1 rule file" }));
    await expectAccessible();
    await answered("First");
    expect(await sent(host)).not.toContain("memory");
    fireEvent.keyDown(await chip("1 rule file"), { key: "Backspace" });
    fireEvent.click(await chip("Add AGENTS.md"));
    await chip("1 rule file");
    await answered("Second");
    expect(await sent(host)).toContain("memory");
  });

  it("opens a part to its pieces, which are pinned, left out, or shown in the request", async () => {
    const host = await start();
    await answered("First");
    fireEvent.click(await chip("last 2 messages"));
    const open = await screen.findByRole("dialog", { name: /^last 2 messages, / });
    within(open).getByText("Done.");
    await expectAccessible();
    fireEvent.click(within(open).getByRole("button", { name: "Pin First" }));
    await within(open).findByRole("button", { name: "Unpin First" });
    fireEvent.click(within(open).getByRole("button", { name: "Leave out Done." }));
    await gone(() => within(open).queryByText("Done."));
    await chip("last message, pinned");
    await chip("Add 1 earlier message");
    fireEvent.click(within(open).getByRole("button", { name: "Show in the request" }));
    const pane = within(await screen.findByRole("complementary", { name: "Context" }));
    pane.getByRole("heading", { name: /^Earlier/ });
    await waitFor(() => expect(document.activeElement?.closest("[data-block]")).not.toBeNull());
    await answered("Second");
    expect((await sent(host)).filter((kind) => kind === "turn")).toHaveLength(1);
  });

  it("keeps to one line: what has no room waits behind its number", async () => {
    // Three chips to a line, as a narrow window has it.
    vi.spyOn(HTMLElement.prototype, "offsetTop", "get").mockImplementation(function (this: HTMLElement) {
      return this.tagName === "LI" ? Math.floor([...this.parentElement!.children].indexOf(this) / 3) * 28 : 0;
    });
    await start();
    const count = (await line()).getAllByRole("listitem").length;
    expect(count).toBeGreaterThan(3);
    fireEvent.click(await chip(`+${count - 3}: ${count - 3} more`));
    const more = await screen.findByRole("dialog", { name: "Also in this request" });
    expect(within(more).getAllByRole("listitem")).toHaveLength(count - 3);
    within(more).getByText("instructions");
    // The hint of the first of them, which got the focus, is of no landmark.
    act(() => (document.activeElement as HTMLElement).blur());
    await expectAccessible();
  });
});

describe("the receipt of a reply", () => {
  it("is the same line, and opens what was sent for it", async () => {
    await start();
    await answered("First");
    await answered("Second");
    const receipt = await screen.findByRole("button", { name: /^What it was asked with: You · 1 rule file · last 2 messages · / });
    fireEvent.click(receipt);
    await screen.findByRole("combobox", { name: "Show" });
    const pane = within(screen.getByRole("complementary", { name: "Context" }));
    await pane.findByText("Turn 1");
    act(() => setLanguage("ko"));
    await screen.findByRole("button", { name: /내 메시지 · 규칙 파일 1 · 최근 메시지 2/ });
    await gone(() => screen.queryByText("1 rule file"));
  });
});
