// Finding in a conversation, through the whole interface: every place is counted, gone to and painted, whether it is drawn
// or not, in code, in a long message that is folded, in what a tool answered; and a hit of the search leads to its word.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { imported, startHost } from "@/test/host";
import { button, click, expectAccessible, field as composer, gone, startAfresh } from "@/test/journey";
import { goToConversation, openOverlay, runAction } from "./actions";
import { App } from "./App";

startAfresh();

const painted = new Map<string, Set<Range>>();

beforeEach(() => {
  painted.clear();
  vi.stubGlobal("CSS", { highlights: painted });
  vi.stubGlobal("Highlight", class extends Set<Range> {
    constructor(...ranges: Range[]) {
      super(ranges);
    }
  });
});

/** The words that were gone to, with what stands before them in their paragraph. */
function here() {
  const [range] = painted.get("found") ?? [];
  if (!range) return undefined;
  const before = document.createRange();
  before.setStart(range.startContainer.parentElement!.closest("p, pre, [data-said]")!, 0);
  before.setEnd(range.startContainer, range.startOffset);
  return `${before.toString()}[${range.toString()}]`;
}

const LONG = `${Array.from({ length: 40 }, (_, n) => `Line ${n} of the log\n`).join("")}The Token is in the last one`;

const SAID = [
  "Where is the token kept?",
  "In the **tok**en file, which nobody has *to ken*:\n\n```rust\nlet token = 1;\nlet other = token;\n```",
  LONG,
  "I see.",
];

async function start(said: readonly string[]) {
  const host = await startHost();
  setTransport(host);
  render(<App />);
  await button(/^Just talk/);
  const id = await imported(host, said);
  act(() => goToConversation({ id, project_id: null }));
  await screen.findAllByRole("article");
  return { host, id };
}

async function find(words: string) {
  act(() => void runAction("find"));
  const bar = within(await screen.findByRole("search"));
  fireEvent.change(bar.getByRole("textbox"), { target: { value: words } });
  return bar;
}

describe("finding in a conversation", () => {
  it("goes from place to place, in code and in what is folded, and paints the others", async () => {
    await start(SAID);
    const writing = await composer();
    act(() => writing.focus());
    const bar = await find("TOKEN");
    await bar.findByText("1 of 5");
    await waitFor(() => expect(here()).toBe("Where is the [token]"));
    await expectAccessible();
    const field = bar.getByRole("textbox");
    expect(document.activeElement).toBe(field);
    fireEvent.keyDown(field, { key: "Enter" });
    await bar.findByText("2 of 5");
    await waitFor(() => expect(here()).toBe("In the [token]"));
    await click("Next hit");
    await bar.findByText("3 of 5");
    await waitFor(() => expect(here()).toBe("let [token]"));
    await click("Next hit");
    await bar.findByText("4 of 5");
    await waitFor(() => expect(here()).toBe("let token = 1;\nlet other = [token]"));
    expect(screen.queryAllByText(/in the last one/)).toEqual([]);
    await click("Next hit");
    await bar.findByText("5 of 5");
    await screen.findByText(/in the last one/);
    await waitFor(() => expect(here()).toMatch(/The \[Token\]$/));
    await waitFor(() => expect(painted.get("foundToo")?.size).toBe(4));
    // Around the end, and back.
    await click("Next hit");
    await bar.findByText("1 of 5");
    fireEvent.keyDown(field, { key: "Enter", shiftKey: true });
    await bar.findByText("5 of 5");

    // Asked for again, the words are there to be written over; closed, nothing is painted.
    field.blur();
    act(() => void runAction("find"));
    await waitFor(() => expect(document.activeElement).toBe(field));
    fireEvent.keyDown(field, { key: "Escape" });
    await gone(() => screen.queryByRole("search"));
    expect(painted.size).toBe(0);
    expect(document.activeElement).toBe(writing);
  });

  it("counts what is far from what is drawn, and speaks Korean", async () => {
    await start(Array.from({ length: 300 }, (_, n) => (n % 100 === 5 ? `세션 스키마 ${n}, 다시 스키마` : `message ${n}`)));
    act(() => setLanguage("ko"));
    const bar = await find("스키마");
    await bar.findByText("6개 중 1번째");
    await screen.findByText(/세션 스키마 5,/);
    fireEvent.keyDown(bar.getByRole("textbox"), { key: "Enter", shiftKey: true });
    await bar.findByText("6개 중 6번째");
    await screen.findByText(/세션 스키마 205,/);
    await waitFor(() => expect(here()).toBe("세션 스키마 205, 다시 [스키마]"));
    fireEvent.change(bar.getByRole("textbox"), { target: { value: "스키마 없음" } });
    await bar.findByText("없음");
    await waitFor(() => expect(painted.size).toBe(0));
  });

  it("a hit of the search leads to its word, where that is folded too", async () => {
    await start(SAID);
    act(() => openOverlay({ kind: "search" }));
    const dialog = await screen.findByRole("dialog", { name: "Search everything" });
    fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: "last" } });
    fireEvent.click((await within(dialog).findByText("last", { selector: "mark" })).closest("button")!);
    await screen.findByText(/in the last one/);
    await waitFor(() => expect(here()).toMatch(/is in the \[last\]$/));
  });
});
