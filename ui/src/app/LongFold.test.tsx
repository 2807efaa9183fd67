// One fold over a thousand messages, through the whole interface: it hides nothing until it is closed; what it hides then
// is not loaded, and closing and opening it lead to its two ends.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { imported, pathOf, startHost } from "@/test/host";
import { button, gone, startAfresh } from "@/test/journey";
import { goToMessage } from "./actions";
import { App } from "./App";

startAfresh();

const shown = (text: string) => screen.findByText(text, { selector: "[data-row] *" });

it("is read from its beginning, and closed at its end", async () => {
  const host = await startHost({ model: { summarise: () => "What was said." } });
  const { summary } = await host.settings();
  // All that was said until then is folded at once, and what comes afterwards is not.
  await host.change({ summary: { ...summary, policy: "rolling", threshold: 100 } });
  const id = await imported(host, Array.from({ length: 980 }, (_, n) => `message ${n}`));
  await host.invoke("summary_run", { id });
  await waitFor(async () => expect((await host.invoke("summary_list", { id })).shown).toHaveLength(1));
  await host.change({ summary });
  for (let n = 980; n < 1000; n += 2) {
    host.server.model.reply = () => `message ${n + 1}`;
    await host.invoke("send", { conversation_id: id, text: `message ${n}`, attachments: [] });
    await host.settled(id);
  }
  const all = await pathOf(host, id);
  const [fold] = (await host.invoke("summary_list", { id })).records;
  const { count } = fold!.coverage;
  expect(count).toBeGreaterThan(900);
  const rest = all.slice(count);
  const [last, next] = [`message ${count - 1}`, `message ${count}`];
  const asked = vi.spyOn(host, "invoke");
  setTransport(host);
  render(<App />);
  await button(/^Just talk/);
  act(() => goToMessage(id, null, rest[1]!.id));
  await shown(`message ${count + 1}`);
  await shown(last);
  const pages = () => asked.mock.calls.filter(([command]) => command === "conversation_page").length;
  const first = pages();
  expect(first).toBeLessThan(6);

  // The rule is beside every message of it.
  fireEvent.click((await shown(last)).closest("[data-fold]")!.querySelector("[aria-expanded]")!);
  await shown(next);
  await gone(() => screen.queryByText(last));
  await screen.findByText("What was said.");
  const line = await button(/ · summary v1 · /);
  expect(line.getAttribute("aria-expanded")).toBe("false");
  fireEvent.click(line);
  await shown("message 0");
  expect((await button(/ · summary v1 · /)).getAttribute("aria-expanded")).toBe("true");
  fireEvent.click(await button(/ · summary v1 · /));
  await shown(next);
  await gone(() => screen.queryByText("message 0"));

  // A message in the middle opens it again.
  act(() => goToMessage(id, null, all[500]!.id));
  await shown("message 500");
  await waitFor(() => expect(document.activeElement?.textContent).toContain("message 500"));
  // How many pages are loaded around each end depends on when the list measures itself; all of them are twenty.
  expect(pages()).toBeLessThan(first + all.length / 50);
});
