// Pinning and leaving out through the whole interface: by the menus of the Request tab.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { startHost } from "@/test/host";
import { answered as ask, button, click, expectAccessible, field, gone, startAfresh } from "@/test/journey";
import { showContext, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const rows = () => [...document.querySelectorAll<HTMLElement>("[data-block]")];
const row = (text: RegExp) => rows().find((it) => text.test(it.textContent));
const menuOf = (name: string) => button(`More about ${name}`).then(fireEvent.click);
const choose = (name: string) => screen.findByRole("menuitem", { name }).then(fireEvent.click);

async function start() {
  const reply = () => "Ten words that a reply is made of, no more.";
  const host = await startHost({ model: { reply, summarise: () => "They asked about the store." } });
  await host.change({ summary: { ...(await host.settings()).summary, policy: "segments", by_numbers: true } });
  setTransport(host);
  render(<App />);
  await click(/^Just talk/);
  await ask("Question 1, about the store");
  act(() => showContext("next"));
  await waitFor(() => expect(row(/^Turn 1/)).toBeDefined());
  return host;
}

describe("wishes", () => {
  it("keep a pinned message whole where a summary stands for it", async () => {
    await start();
    fireEvent.click(within(row(/^Turn 1/)!).getByRole("button", { name: /^Turn 1/ }));
    await menuOf("Question 1, about the store");
    await choose("Pin");
    await waitFor(() => expect(row(/Pinned by you/)).toBeDefined());
    for (const turn of [2, 3]) await ask(`Question ${turn}, about the store`);
    await waitFor(() => expect(row(/Turns 1–3, v1/)).toBeDefined());
    const kinds = rows().map((it) => it.textContent);
    const pinned = kinds.findIndex((text) => text.includes("Pinned by you"));
    expect(pinned).toBe(kinds.findIndex((text) => text.includes("Turns 1–3, v1")) + 1);
    await expectAccessible();
    fireEvent.click(within(row(/Pinned by you/)!).getByRole("button", { name: /^More about/ }));
    await choose("Unpin");
    await waitFor(() => expect(row(/Pinned by you/)).toBeUndefined());
  });

  it("leave a block out once, and it can be taken back before", async () => {
    const host = await start();
    for (const turn of [2, 3]) await ask(`Question ${turn}, about the store`);
    await waitFor(() => expect(row(/Turns 1–3, v1/)).toBeDefined());
    await menuOf("Turns 1–3, v1");
    await choose("Leave out next time");
    const left = await screen.findByText("You left it out, this once");
    expect(row(/Turns 1–3, v1/)).toBeUndefined();
    await waitFor(() => expect(document.activeElement?.closest("[data-block]")).not.toBeNull());
    fireEvent.click(within(left.closest("li")!).getByText("Take back"));
    await waitFor(() => expect(row(/Turns 1–3, v1/)).toBeDefined());

    await menuOf("Turns 1–3, v1");
    await choose("Leave out next time");
    await screen.findByText("You left it out, this once");
    await ask("Question 4, about the store");
    const { messages } = await host.invoke("conversation_page", { id: usePlace.getState().conversationId!, start: null, limit: 2 });
    const sent = await host.invoke("request_sent", { id: messages[0]!.turn_id! });
    expect(sent.sections.some(({ section }) => section.kind === "summary")).toBe(false);
    await waitFor(() => expect(row(/Turns 1–3, v1/)).toBeDefined());
    await gone(() => screen.queryByText("You left it out, this once"));
  });

  it("give a greeting its tools, which it goes without otherwise", async () => {
    await start();
    const tools = () => row(/^Tools/);
    await waitFor(() => expect(tools()).toBeDefined());
    fireEvent.input(await field(), { target: { value: "Thanks!" } });
    const left = await screen.findByText("A greeting needs none");
    expect(tools()).toBeUndefined();
    fireEvent.click(within(left.closest("li")!).getByRole("button", { name: "Pin Tools the model may call" }));
    await waitFor(() => expect(tools()).toBeDefined());
    await gone(() => screen.queryByText("A greeting needs none"));
  });

  it("are refused for what always goes, in words, in Korean too", async () => {
    const host = await start();
    await act(() => setLanguage("ko"));
    fireEvent.click(await button("Siltstone 기본 지침 더 보기"));
    const pin = await screen.findByRole("menuitem", { name: /고정/ });
    expect(pin.getAttribute("aria-disabled")).toBe("true");
    expect(pin.textContent).toContain("모든 메시지에 함께 가요");
    const wish = { conversation_id: usePlace.getState().conversationId!, id: "instructions", source: "siltstone", wish: "left_out" as const };
    await expect(host.invoke("section_wish", wish)).rejects.toMatchObject({ code: "bad_request" });
  });
});
