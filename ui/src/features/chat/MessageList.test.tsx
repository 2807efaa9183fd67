// The windowed list: few nodes for many rows, follows only when wanted, keeps its place for older
// pages, and only the open reply renders while it streams.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { createRef } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { usePlace } from "@/app/actions";
import type { Fold } from "@/features/summaries";
import type { Summary } from "@/ipc";
import { fakeLayout } from "@/test/layout";
import { MessageList, type MessageListHandle, type MessageListProps } from "./MessageList";
import type { ReplyRow, Row, RowActions, UserRow } from "./rows";
import { replyStream } from "./stream";

const ROW = 100;
const user = (n: number, more: Partial<UserRow> = {}): UserRow => ({
  kind: "user", key: `u${n}`, position: 2 * n + 1, id: `u${n}`, at: 0, parts: [{ type: "text", text: `question ${n}` }], ...more,
});
const reply = (n: number, more: Partial<ReplyRow> = {}): ReplyRow => ({
  kind: "assistant", key: `a${n}`, position: 2 * n + 2, id: `a${n}`, at: 0, status: "complete", model: "Offline",
  parts: [{ type: "text", text: `answer **${n}**` }], ...more,
});
const turns = (from: number, to: number): Row[] =>
  Array.from({ length: to - from }, (_, i) => [user(from + i), reply(from + i)]).flat();

const actions: RowActions = {
  onEdit: vi.fn(), pasting: { onFiles: vi.fn(), onText: vi.fn() }, onRegenerate: vi.fn(), onSibling: vi.fn(), onContinue: vi.fn(), onRetry: vi.fn(), onAsk: vi.fn(), onSaw: vi.fn(), onRemember: vi.fn(), onEnterKey: vi.fn(),
};

let restore = () => {};
beforeEach(() => {
  restore = fakeLayout(() => ROW, 600);
});
afterEach(() => {
  restore();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

async function setup(props: Partial<MessageListProps> & { rows: readonly Row[] }) {
  const ref = createRef<MessageListHandle>();
  // What a closed fold asks of the host is its own matter.
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
  const list = (more: Partial<MessageListProps> = {}) => (
    <QueryClientProvider client={client}>
      <MessageList ref={ref} actions={actions} onLink={() => {}} {...props} {...more} />
    </QueryClientProvider>
  );
  const view = render(list());
  await settle();
  const log = screen.getByRole("log");
  return { ref, view, log, update: async (more: Partial<MessageListProps>) => {
    view.rerender(list(more));
    await settle();
  } };
}

/** Lets measuring, scroll events and renders run until nothing changes any more. */
async function settle() {
  for (let i = 0; i < 4; i += 1) {
    await act(() => new Promise((done) => setTimeout(done, 0)));
  }
}

async function scrollTo(log: HTMLElement, top: number) {
  log.scrollTop = top;
  await settle();
}

const atEnd = (log: HTMLElement) => log.scrollHeight - log.scrollTop - log.clientHeight <= 1;

/** Stands for the first turns. */
function fold(count: number, closed = true): Fold {
  const coverage = { start: 0, count: count * 2, last: `a${count - 1}` };
  const receipt = { lines: [], kept: [] };
  const summary = { coverage, receipt, turns: { first: 1, last: count }, summary: "In short.", version: 1 };
  return { key: "fold", summary: summary as unknown as Summary, closed: closed ? count * 2 : 0 };
}

describe("MessageList", () => {
  it("opens 4,000 rows at the end with few nodes", async () => {
    const { log } = await setup({ rows: turns(0, 2000) });
    expect(screen.getByText("question 1999")).toBeTruthy();
    expect(screen.queryByText("question 0")).toBeNull();
    expect(log.querySelectorAll("*").length).toBeLessThan(1500);
    const last = screen.getAllByRole("article").at(-1)!;
    expect(last.getAttribute("aria-posinset")).toBe("4000");
    expect(last.getAttribute("aria-setsize")).toBe("4000");
    expect(log.getAttribute("aria-live")).toBe("off");
  });

  it("follows new rows at the end, and stops for anyone who went up", async () => {
    const rows = turns(0, 50);
    const { log, update } = await setup({ rows });
    const reply50 = [...rows, reply(50)];
    await update({ rows: reply50 });
    expect(atEnd(log)).toBe(true);
    expect(screen.queryByRole("button", { name: /Newest/ })).toBeNull();

    await scrollTo(log, 3000);
    await update({ rows: [...reply50, reply(51), reply(52)] });
    expect(log.scrollTop).toBe(3000);
    fireEvent.click(screen.getByRole("button", { name: "Newest (2)" }));
    await settle();
    expect(atEnd(log)).toBe(true);
    expect(screen.queryByRole("button", { name: /Newest/ })).toBeNull();
  });

  it("stops following at the first turn of the wheel and resumes near the end", async () => {
    const rows = turns(0, 50);
    const { log, update } = await setup({ rows });
    const end = log.scrollTop;
    fireEvent.wheel(log, { deltaY: -10 });
    await scrollTo(log, end - 10);
    await update({ rows: [...rows, reply(50)] });
    expect(log.scrollTop).toBe(end - 10);
    await scrollTo(log, log.scrollHeight - 600 - 40);
    await update({ rows: [...rows, reply(50), reply(51)] });
    expect(atEnd(log)).toBe(true);
  });

  it("stays where it was opened when the page after it comes", async () => {
    const { log, update } = await setup({ rows: turns(0, 30), initialKey: "u10", hasNewer: true, total: 120 });
    const at = log.scrollTop;
    await update({ rows: turns(0, 60), hasNewer: false });
    expect(log.scrollTop).toBe(at);
    expect(atEnd(log)).toBe(false);
  });

  it("shows the person's own new message from anywhere", async () => {
    const rows = turns(0, 50);
    const { log, update } = await setup({ rows });
    await scrollTo(log, 0);
    await update({ rows: [...rows, user(50)] });
    expect(atEnd(log)).toBe(true);
  });

  it("hides nothing when a fold is made, and keeps what is read in its place when one is closed", async () => {
    const rows = turns(0, 50);
    const { log, update } = await setup({ rows });
    await scrollTo(log, 80 * ROW + 30);
    const placed = (text: string) => {
      const row = screen.getByText(text).closest<HTMLElement>("[role=article]")!;
      return parseFloat(row.parentElement!.style.top) - log.scrollTop;
    };
    const before = placed("question 40");
    await update({ folds: [fold(30, false)] });
    expect(log.scrollTop).toBe(80 * ROW + 30);
    expect(placed("question 40")).toBe(before);
    await update({ folds: [fold(30)] });
    await waitFor(() => expect(log.scrollTop).toBe(21 * ROW + 30));
    expect(placed("question 40")).toBe(before);
    // And opened again.
    await update({ folds: [fold(30, false)] });
    expect(placed("question 40")).toBe(before);
  });

  it("closes and opens a fold by its rule and by the arrows", async () => {
    const onFold = vi.fn();
    const { log, update } = await setup({ rows: turns(0, 3), folds: [fold(2, false)], onFold });
    const rules = () => [...log.querySelectorAll<HTMLElement>("[data-fold] > button[aria-expanded=true]")];
    expect(rules()).toHaveLength(4);
    // One of them speaks for all.
    expect(screen.getAllByRole("button", { name: /summary v1/ })).toEqual([rules()[0]]);
    fireEvent.click(rules()[3]!);
    expect(onFold).toHaveBeenLastCalledWith(expect.anything(), true);
    log.focus();
    fireEvent.keyDown(log, { key: "Home", code: "Home" });
    await settle();
    fireEvent.keyDown(document.activeElement!, { key: "ArrowLeft", code: "ArrowLeft" });
    expect(onFold).toHaveBeenCalledTimes(2);
    await update({ folds: [fold(2)] });
    await waitFor(() => expect(document.activeElement?.getAttribute("data-row")).toBe("fold"));
    expect(screen.getAllByRole("article")).toHaveLength(2);
    screen.getByRole("region", { name: "Summary, Turns 1–2" });
    fireEvent.keyDown(document.activeElement!, { key: "ArrowRight", code: "ArrowRight" });
    expect(onFold).toHaveBeenLastCalledWith(expect.anything(), false);
  });

  it("gives the line the focus that was in its rows", async () => {
    const { log, update } = await setup({ rows: turns(0, 5) });
    log.focus();
    fireEvent.keyDown(log, { key: "Home", code: "Home" });
    await settle();
    expect(document.activeElement?.getAttribute("data-row")).toBe("u0");
    await update({ folds: [fold(3)] });
    await waitFor(() => expect(document.activeElement?.getAttribute("data-row")).toBe("fold"));
    fireEvent.keyDown(document.activeElement!, { key: "ArrowDown", code: "ArrowDown" });
    await settle();
    expect(document.activeElement?.getAttribute("data-row")).toBe("u3");
  });

  it("asks for older rows at the top and keeps the place when they come", async () => {
    const onNeedOlder = vi.fn();
    const rows = turns(50, 100);
    const { log, update } = await setup({ rows, hasOlder: true, total: 200, onNeedOlder });
    expect(onNeedOlder).not.toHaveBeenCalled();
    await scrollTo(log, 500);
    expect(onNeedOlder).toHaveBeenCalled();
    await update({ rows: [...turns(25, 50), ...rows], hasOlder: false });
    expect(log.scrollTop).toBe(500 + 50 * ROW);
    expect(screen.getByText("question 53").closest("[role=article]")!.getAttribute("aria-posinset")).toBe("107");
  });

  it("renders only the open reply while it streams", async () => {
    const { update, log } = await setup({ rows: [...turns(0, 2), user(2), reply(2, { status: "streaming", parts: [] })] });
    expect(screen.getByRole("img", { name: "Waiting for the first words" })).toBeTruthy();
    const changed = new Set<string | undefined>();
    const observer = new MutationObserver((records) =>
      records.forEach(({ target }) => {
        const element = target instanceof Element ? target : target.parentElement;
        changed.add(element?.closest<HTMLElement>("[data-row]")?.dataset.row);
      }),
    );
    observer.observe(log, { childList: true, characterData: true, subtree: true });
    act(() => replyStream.append("a2", "reasoning", "hmm"));
    act(() => replyStream.append("a2", "text", "**컨텍스트(context)**"));
    act(() => replyStream.append("a2", "text", "는\n\nnext"));
    await settle();
    expect([...changed]).toEqual(["a2"]);
    expect(screen.getByText("컨텍스트(context)").tagName).toBe("STRONG");
    observer.disconnect();
    await update({ rows: [...turns(0, 2), user(2), reply(2)] });
    act(() => replyStream.drop("a2"));
    expect(screen.getByText("2", { selector: "strong" })).toBeTruthy();
  });

  it("moves between turns with the keys, whatever the layout", async () => {
    const { log } = await setup({ rows: turns(0, 50) });
    log.focus();
    fireEvent.keyDown(log, { key: "Home", code: "Home" });
    await settle();
    expect(document.activeElement?.getAttribute("data-row")).toBe("u0");
    fireEvent.keyDown(document.activeElement!, { key: "ㅓ", code: "KeyJ" });
    fireEvent.keyDown(document.activeElement!, { key: "ArrowDown", code: "ArrowDown" });
    await settle();
    expect(document.activeElement?.getAttribute("data-row")).toBe("u1");
    fireEvent.keyDown(document.activeElement!, { key: "k", code: "KeyK" });
    expect(document.activeElement?.getAttribute("data-row")).toBe("a0");
  });

  it("edits in place, and keeps what was typed when scrolled away", async () => {
    const rows = turns(0, 50);
    const { log, ref } = await setup({ rows });
    act(() => ref.current!.editLast());
    const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Edit message" });
    expect(document.activeElement).toBe(field);
    fireEvent.input(field, { target: { value: "question changed" } });
    await scrollTo(log, 0);
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("question changed");
    fireEvent.click(screen.getByRole("button", { name: "Send edited" }));
    expect(actions.onEdit).toHaveBeenCalledWith("u49", "question changed", []);
    expect(screen.queryByRole("textbox")).toBeNull();
  });

  it("reads what the person wrote as it reads a reply, and gives it away as it was typed", async () => {
    const copied = vi.fn(async () => {});
    vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { clipboard: { writeText: copied } }));
    const text = "**Why**  so\nslow? $x^2$\n\n- a\n- b\n\n```rust\nfn main() {}\n```\n<b>no</b>";
    const { log } = await setup({ rows: [user(0, { parts: [{ type: "text", text }] }), reply(0)] });
    const own = within(log.querySelector<HTMLElement>("[data-row=u0]")!);
    expect((await own.findByText("Why")).tagName).toBe("STRONG");
    const said = own.getByText("Why").closest("p")!;
    expect(said.querySelectorAll("br")).toHaveLength(1);
    await waitFor(() => expect(said.querySelector("math")?.textContent).toBe("x2"));
    expect(own.getAllByRole("listitem").map((it) => it.textContent)).toEqual(["a", "b"]);
    own.getByRole("figure", { name: "Code, rust" });
    own.getByText("<b>no</b>");
    fireEvent.click(own.getByRole("button", { name: "Copy" }));
    await waitFor(() => expect(copied.mock.calls).toEqual([[text]]));
    fireEvent.click(own.getByRole("button", { name: "Edit" }));
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe(text);
  });

  it("keeps a long message open when it was scrolled away", async () => {
    const long = `${"One line.\n".repeat(40)}The last line.`;
    const { log } = await setup({ rows: [user(0, { parts: [{ type: "text", text: long }] }), reply(0), ...turns(1, 200)] });
    const last = () => screen.queryByText(/The last line\./, { selector: "[data-row] *" });
    await scrollTo(log, 0);
    expect(last()).toBeNull();
    const more = screen.getByRole("button", { name: "Show all 414 characters" });
    more.focus();
    fireEvent.click(more);
    expect(last()).not.toBeNull();
    expect(document.activeElement?.getAttribute("data-row")).toBe("u0");
    // The row that has the focus stays in the document: another one takes it.
    fireEvent.keyDown(log, { key: "End", code: "End" });
    await settle();
    expect(screen.queryByText(/^One line\./, { selector: "[data-row] *" })).toBeNull();
    await scrollTo(log, 0);
    expect(last()).not.toBeNull();
    expect(screen.queryByRole("button", { name: /^Show all/ })).toBeNull();
  });

  it("goes straight to the newest rows when they are far from those that are loaded", async () => {
    const onNewest = vi.fn();
    const onNeedNewer = vi.fn();
    const { log } = await setup({ rows: turns(0, 50), initialKey: "u10", hasNewer: true, total: 4000, onNewest, onNeedNewer });
    fireEvent.click(screen.getByRole("button", { name: "Newest" }));
    expect(onNewest).toHaveBeenCalledTimes(1);
    expect(onNeedNewer).not.toHaveBeenCalled();
    // The end of the loaded rows is not the end of the conversation.
    await scrollTo(log, log.scrollHeight);
    fireEvent.click(screen.getByRole("button", { name: "Newest" }));
    fireEvent.keyDown(log, { key: "End", code: "End" });
    expect(onNewest).toHaveBeenCalledTimes(3);
  });

  it("says why an answer is less than a whole one, and goes on from there", async () => {
    const error = { code: "reply_full", message: "the reply has as many tokens as it may have" };
    await setup({ rows: [user(0), reply(0, { error })] });
    screen.getByText("The answer reached its greatest length.");
    fireEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(actions.onContinue).toHaveBeenCalledWith("a0");
  });

  it("offers what a turn's state allows", async () => {
    const siblings = { index: 1, count: 3, ids: ["a0-1", "a0", "a0-3"] };
    await setup({
      rows: [
        user(0),
        reply(0, { siblings, usage: { input: 18_204, output: 12, cached: 0, exact: true, cost: 4_200_000 } }),
        reply(1, { status: "interrupted" }),
        reply(2, { status: "failed", parts: [], error: { code: "rate_limited", message: "429" } }),
        { kind: "notice", key: "n", position: 7, tone: "info", text: "Model changed", action: { label: "Why", run: () => {} } },
      ],
    });
    const versions = screen.getByRole("group", { name: "Version 2 of 3" });
    fireEvent.click(within(versions).getByRole("button", { name: "Next version" }));
    fireEvent.click(within(versions).getByRole("button", { name: "Previous version" }));
    expect(vi.mocked(actions.onSibling).mock.calls).toEqual([["a0-3"], ["a0-1"]]);
    fireEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(actions.onContinue).toHaveBeenCalledWith("a1");
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(actions.onRetry).toHaveBeenCalledWith("a2");
    expect(screen.getByText("Too many requests.")).toBeTruthy();
    // Another model may have room.
    fireEvent.click(screen.getByRole("button", { name: "Use another model" }));
    expect(usePlace.getState().overlay).toEqual({ kind: "palette", mode: "models" });
    expect(screen.getByText("18.2k in, 12 out")).toBeTruthy();
    expect(screen.getByText("$0.0042")).toBeTruthy();
    const { violations } = await axe.run(screen.getByRole("log").parentElement!, {
      rules: { "color-contrast": { enabled: false } },
    });
    expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html)])).toEqual([]);
  });

  it("opens at a given row", async () => {
    const { log, ref } = await setup({ rows: turns(0, 50), initialKey: "u10" });
    expect(screen.getByText("question 10")).toBeTruthy();
    expect(atEnd(log)).toBe(false);
    expect(ref.current!.showRow("nowhere")).toBe(false);
  });
});
