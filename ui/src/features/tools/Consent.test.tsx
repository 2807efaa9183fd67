// Two cards in every order and pace: whatever is pressed, clicked, held or put in front, an answer reaches a call alone
// that stood still and in sight for as long as a person needs to see that it is another one, and what is meant does.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setTransport, type Approval, type Transport } from "@/ipc";
import { chance } from "@/test/chance";
import { ApprovalCard } from "./ApprovalCard";

const STILL = 700;
const STORIES = 250;
const ACTS = 14;

const asksFor = (story: number, at: number): Approval => ({
  turn_id: "t", call_id: `call ${story} ${at}`, tool: "run_command", server: null, effect: "runs", change: null,
  command: `make step-${at}`, purpose: "", arguments: "{}", hash: `${story}-${at}`, scopes: [],
} as unknown as Approval);

const place = { conversationId: "c", projectId: "p", composerEmpty: () => true };

let answered: { hash: string; at: number; answer: string }[] = [];
/** Puts other cards in sight. */
let show: (cards: readonly Approval[]) => void = () => {};

function Cards() {
  const [cards, setCards] = useState<readonly Approval[]>([]);
  show = setCards;
  return cards.map((approval) => <ApprovalCard key={approval.call_id} approval={approval} place={place} />);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"] });
  const none = () => () => undefined;
  const invoke = (command: string, request: { hash: string; answer: string }) => {
    if (command === "approval_answer") answered.push({ hash: request.hash, at: performance.now(), answer: request.answer });
    return Promise.resolve(null);
  };
  setTransport({ invoke, stream: invoke, onChanged: none, onPathOffered: none, onDragDrop: none } as unknown as Transport);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** One story: what was done, when each card was disturbed last, and what may have been answered. */
async function story(number: number) {
  const below = chance(number);
  answered = [];
  let next = 0;
  let cards: Approval[] = [];
  /** When a card began to stand still, by hash. */
  const since = new Map<string, number>();
  const told: string[] = [];
  const now = () => performance.now();
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const put = async (wanted: Approval[]) => {
    cards = wanted;
    for (const { hash } of cards) if (!since.has(hash)) since.set(hash, now());
    await act(async () => show(cards));
  };
  const another = () => asksFor(number, next++);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Cards />
    </QueryClientProvider>,
  );
  await put(below(3) === 0 ? [another(), another()] : [another()]);
  const element = (approval: Approval) =>
    [...document.querySelectorAll<HTMLElement>("[data-approval]")].find((card) => card.textContent.includes(approval.command!))!;
  for (let count = 0; count < ACTS; count++) {
    await pass([0, 40, 250, 690, 710, 900, 1500][below(7)]!);
    const approval = cards[below(cards.length)]!;
    const card = element(approval);
    const once = [...card.querySelectorAll("button")].find((button) => button.getAttribute("aria-keyshortcuts") === "Y")!;
    const stood = now() - since.get(approval.hash)!;
    const before = answered.length;
    const kind = below(8);
    await act(async () => {
      if (kind === 0) fireEvent.keyDown(card, { key: "y", code: "KeyY" });
      else if (kind === 1) fireEvent.keyDown(card, { key: "y", code: "KeyY", repeat: true });
      else if (kind === 2) fireEvent.click(once, { detail: 1 });
      else if (kind === 3) {
        fireEvent.pointerDown(once);
        fireEvent.click(once, { detail: 1 });
      } else if (kind === 4) {
        fireEvent.pointerDown(once);
        fireEvent.click(once, { detail: 1 });
        fireEvent.click(once, { detail: 2 });
      } else if (kind === 5) {
        fireEvent.keyDown(card, { key: "y", code: "KeyY" });
        fireEvent.keyDown(card, { key: "y", code: "KeyY" });
      } else if (kind === 6) fireEvent(window, new Event("focus"));
      else fireEvent.click(once, { detail: 0 });
    });
    told.push(`${kind} on ${approval.hash} after ${stood}`);
    const why = told.join(", ");
    const given = answered.slice(before);
    // What nobody could have meant for this card answers nothing, and nothing answers two.
    expect(given.length, why).toBeLessThanOrEqual(1);
    if (given.length > 0) {
      expect(given[0], why).toMatchObject({ hash: approval.hash, answer: "once" });
      expect([1, 2, 6], why).not.toContain(kind);
      expect(stood, why).toBeGreaterThanOrEqual(STILL);
    }
    // What was meant does. A press of the pointer is one where the card was drawn as ready.
    if (stood >= STILL + 200 && [0, 3, 4, 5, 7].includes(kind)) expect(given, why).toHaveLength(1);
    for (const { hash } of kind === 6 ? cards : [approval]) since.set(hash, now());
    if (given.length > 0) {
      const rest = cards.filter((other) => other !== approval);
      // The next one comes at once or later, in the same place, or the other stays alone.
      if (below(2) === 0) await pass(below(400));
      await put(rest.length > 0 && below(2) === 0 ? rest : [...rest, another()]);
    } else if (below(6) === 0) {
      // The same call asks for something else.
      const changed = { ...approval, hash: `${approval.hash}'`, command: `${approval.command} --more` };
      await put(cards.map((other) => (other === approval ? changed : other)));
    }
  }
  cleanup();
  return answered.length;
}

describe("two cards", () => {
  it("are answered by what was meant for them, in every order and pace", async () => {
    let all = 0;
    for (let number = 1; number <= STORIES; number++) all += await story(number);
    // Some do answer, or all of the above would say nothing.
    expect(all).toBeGreaterThan(STORIES);
  });
});
