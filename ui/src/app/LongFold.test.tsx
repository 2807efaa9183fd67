// One fold over a thousand messages, through the whole interface on the fake host: what it hides is not loaded, and
// opening and closing it lead to its two ends.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { createFake } from "@/ipc/fake";
import { add, create, path } from "@/ipc/fake/tree";
import { button, startAfresh } from "@/test/journey";
import { goToMessage } from "./actions";
import { App } from "./App";

startAfresh();

const shown = (text: string) => screen.findByText(text, { selector: "[data-row] *" });

it("is read from its beginning, and closed at its end", async () => {
  const fake = createFake();
  const conversation = create(fake.state, null);
  let parent_id: string | null = null;
  for (let n = 0; n < 1000; n += 1) {
    const role = n % 2 === 0 ? "user" : "assistant";
    parent_id = add(fake.state, conversation, { role, parent_id }, `message ${n}`).id;
  }
  const all = path(conversation);
  // Ends in the middle of what is loaded first.
  const [covered, rest] = [all.slice(0, 960), all.slice(960)];
  conversation.summaries.push({
    id: "s", conversation_id: conversation.id, policy: "rolling", level: 1, version: 1, status: "COMPLETED",
    coverage: { start: 0, count: covered.length, last: covered.at(-1)!.id }, covered_token_count: 1,
    turns: { first: 1, last: 480 }, original_chars: 10_000, summary_chars: 100, compression_rate: 0.3,
    summary: "What was said.", model: "m", usage: null, cost: null, edited: false, fault: null, unfolded_at: null,
    receipt: { lines: [], kept: [], dropped: [], constraints: [], retention: null },
    created_at: "2026-11-22T00:00:00Z", finished_at: "2026-11-22T00:00:01Z",
  });
  const asked = vi.spyOn(fake, "invoke");
  setTransport(fake);
  render(<App />);
  await button(/^Just talk/);
  act(() => goToMessage(conversation.id, null, rest[1]!.id));
  await shown("message 961");
  const line = await button(/^Turns 1–480 · /);
  const pages = () => asked.mock.calls.filter(([command]) => command === "conversation_page").length;
  const first = pages();
  expect(first).toBeLessThan(4);
  expect(screen.queryByText("message 959")).toBeNull();

  fireEvent.click(line);
  await shown("message 0");
  await screen.findByText("What was said.");
  expect((await button(/^Turns 1–480 · /)).getAttribute("aria-expanded")).toBe("true");
  fireEvent.click(await button(/^Turns 1–480 · /));
  await shown("message 960");
  expect(screen.queryByText("message 959")).toBeNull();

  // A message in the middle opens it again.
  act(() => goToMessage(conversation.id, null, all[500]!.id));
  await shown("message 500");
  await waitFor(() => expect(document.activeElement?.textContent).toContain("message 500"));
  // How many pages are loaded around each end depends on when the list measures itself; all of them are twenty.
  expect(pages()).toBeLessThan(first + all.length / 50);
});
