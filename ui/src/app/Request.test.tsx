// What the next message sends of a long conversation, through the whole interface: what the pane shows is what the engine
// would send, and that has its bounds.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { blocksOf, nextView } from "@/features/context/view";
import { setTransport } from "@/ipc";
import { formatTokens } from "@/shared/i18n";
import { startHost } from "@/test/host";
import { field, startAfresh } from "@/test/journey";
import { goToConversation, showContext } from "./actions";
import { App } from "./App";

startAfresh();

const MESSAGES = 300;
const WINDOW = 8_192;

it("is bounded, and shown as the engine has it", async () => {
  const host = await startHost({ model: {}, models: [{ id: "small", context_window: WINDOW }] });
  const line = (_: unknown, n: number) =>
    JSON.stringify({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `Message ${n} of the talk about harbours. ${`Buoy ${n} lies off quay ${n % 7}, and its light is seen at night. `.repeat(4)}`,
    });
  const text = Array.from({ length: MESSAGES }, line).join("\n");
  const { item } = await host.invoke("conversation_import", { text, name: "long.jsonl", project_id: null });
  expect(item.message_count).toBe(MESSAGES);
  setTransport(host);
  render(<App />);
  await screen.findByRole("navigation");
  act(() => goToConversation(item));
  act(() => showContext("next"));
  const draft = "Which buoy lies off quay 3?";
  fireEvent.input(await field(), { target: { value: draft } });

  const asked = () => host.invoke("request_preview", { conversation_id: item.id, draft, context: { entries: [], policy: "merged" } });
  const rows = () => [...document.querySelectorAll<HTMLElement>("[data-block]")];
  await waitFor(async () => {
    const request = await asked();
    const blocks = blocksOf(nextView(request).pieces);
    expect(rows().map(({ dataset }) => dataset.block)).toEqual(blocks.map(({ id }) => id));
    for (const [at, { pieces, tokens, kind }] of blocks.entries()) {
      expect(rows()[at]!.textContent).toContain(formatTokens(tokens));
      if (kind === "turn" && pieces.length > 1) expect(rows()[at]!.textContent).toContain(`${pieces.length} earlier messages`);
    }
    const pane = within(screen.getByRole("complementary", { name: "Context" }));
    pane.getByText(new RegExp(`^${formatTokens(request.tokens)} of ${formatTokens(request.budget)}`));
    pane.getByText(`Left out: ${request.left_out.length}`);
  });

  const { sections, left_out, tokens, budget } = await asked();
  expect(tokens).toBeLessThanOrEqual(budget);
  expect(budget).toBeLessThan(WINDOW);
  const sent = sections.flatMap(({ messages }) => messages);
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.length).toBeLessThan(MESSAGES / 2);
  expect(left_out.length).toBeGreaterThan(0);

  // And that is what leaves.
  const asking = await host.invoke("send", { conversation_id: item.id, text: draft, attachments: [], context: { entries: [], policy: "merged" } });
  await host.settled(item.id);
  const { body } = host.server.received.findLast(({ path }) => path.endsWith("/chat/completions"))!;
  expect(body.messages.length).toBeLessThan(MESSAGES / 2);
  const went = await host.invoke("request_sent", { id: asking.as === "asked" ? asking.turn_id : "" });
  expect(went.sections.map(({ section }) => section.id)).toEqual(sections.map(({ id }) => id));
});
