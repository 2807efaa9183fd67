// One question to several models through the whole interface: they are chosen beside the composer, each has its line of the
// request, their answers stand side by side, and one of them is what the conversation goes on with.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { latch, pathOf, Refusal, startHost, type Host, type Model } from "@/test/host";
import { answered, ask, button, click, ended, expectAccessible, field, gone, push, startAfresh } from "@/test/journey";
import { goToConversation, runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const MODELS = [{ id: "heron" }, { id: "plover" }, { id: "teal" }, { id: "wren" }, { id: "dunlin" }];

async function start(model: Model = { reply: (question, by) => `${by} answers ${question}` }): Promise<Host> {
  const host = await startHost({ folders: { "/code/aurora": { "AGENTS.md": "# Rules\n\n- Write tests first.\n" } }, model, models: MODELS });
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));
  await click(/^Trust and use/);
  await field();
  return host;
}

const here = () => usePlace.getState().conversationId!;
const line = async (model: string) => within(await screen.findByRole("group", { name: `Next request to ${model}` }));
const sides = async (name = "Answers side by side") => within(await screen.findByRole("group", { name }));
const side = async (model: string) => within(await (await sides()).findByRole("article", { name: model }));

/** What stands in a column: it is another one once its model begins. */
const says = (model: string, text: string | RegExp) => waitFor(async () => (await side(model)).getByText(text));

/** Chooses a model in what is open. */
const pick = async (model: string, title = "Ask another model too") =>
  push(within(await screen.findByRole("dialog", { name: title })).findByRole("button", { name: model }));

async function also(...models: string[]) {
  for (const model of models) {
    await click("Ask another model too");
    await pick(model);
    await button(`Do not ask ${model} too`);
  }
}

/** The requests for answers, each as the model that was asked and what it was given. */
const asked = ({ server }: Host) => server.received.flatMap(({ body }) => (body.messages ? [{ model: body.model, given: JSON.stringify(body.messages) }] : []));

describe("models that are asked the same", () => {
  it("are chosen for one message, each with its line", async () => {
    const host = await start();
    await screen.findByRole("group", { name: "Next request" });
    await click("Ask another model too");
    const picker = within(await screen.findByRole("dialog", { name: "Ask another model too" }));
    await picker.findByRole("button", { name: "plover" });
    // Its own is asked anyway.
    await gone(() => picker.queryByRole("button", { name: "heron" }));
    await expectAccessible();
    await pick("plover");
    await waitFor(async () => expect(document.activeElement).toBe(await field()));
    await line("heron");
    await line("plover");
    await gone(() => screen.queryByRole("group", { name: "Next request" }));
    await expectAccessible();

    // What is left out of one is left out of all.
    fireEvent.keyDown(await (await line("plover")).findByRole("button", { name: "1 rule file" }), { key: "Delete" });
    await (await line("heron")).findByRole("button", { name: "Add AGENTS.md" });
    await (await line("plover")).findByRole("button", { name: "Add AGENTS.md" });
    fireEvent.click((await line("plover")).getByRole("button", { name: /tokens/ }));
    const show = await screen.findByRole("combobox", { name: "Show" });
    await waitFor(() => expect(show.textContent).toBe("Next message to plover"));

    await also("teal");
    act(() => void runAction("askAlso"));
    await pick("wren");
    await gone(() => screen.queryByRole("button", { name: "Ask another model too" }));
    // As a draft does, they wait where they were chosen.
    const before = here();
    const { projectId } = usePlace.getState();
    const other = await host.invoke("conversation_create", { project_id: projectId });
    act(() => goToConversation(other));
    await screen.findByRole("group", { name: "Next request" });
    act(() => goToConversation({ id: before, project_id: projectId }));
    await line("teal");
    fireEvent.keyDown(await button("Do not ask teal too"), { key: "Delete" });
    await click("Do not ask wren too");
    await click("Do not ask plover too");
    await screen.findByRole("group", { name: "Next request" });
    await waitFor(() => expect(show.isConnected && show.textContent).not.toBe("Next message to plover"));
  });

  it("answer side by side, and the conversation goes on with the one that is kept", async () => {
    const [first, second] = [latch(), latch()];
    const held = { heron: first, plover: second } as Record<string, ReturnType<typeof latch>>;
    const host = await start({ reply: (question, by) => (question === "Why?" ? [`${by} begins. `, held[by]!.opened, `${by} ends.`] : `${by} goes on`) });
    await also("plover");
    await ask("Why?");
    await says("heron", "heron begins.");
    await says("plover", "plover is asked next");
    await screen.findByRole("group", { name: "Next request" });
    await expectAccessible();
    first.open();
    await says("plover", "plover begins.");
    await says("heron", "heron begins. heron ends.");
    expect((await side("heron")).getByRole("button", { name: "Keep this one" })).toHaveProperty("disabled", true);
    second.open();
    await says("plover", "plover begins. plover ends.");
    await ended();
    // The last that was asked is what is shown, until one is kept.
    await says("plover", "Shown");
    await (await side("heron")).findByRole("button", { name: /^What it was asked with: You · 1 rule file/ });
    await (await side("plover")).findByRole("button", { name: /^What it was asked with: You · 1 rule file/ });
    await expectAccessible();
    expect(asked(host).map(({ model }) => model)).toEqual(["heron", "plover"]);
    expect(asked(host)[1]!.given).not.toContain("heron begins");

    await push((await side("heron")).findByRole("button", { name: "Keep this one" }));
    await gone(() => screen.queryByRole("group", { name: "Answers side by side" }));
    await screen.findByText("The conversation goes on with this answer.");
    await gone(() => screen.queryByRole("button", { name: /^Go on with/ }));
    await waitFor(() => expect(document.activeElement?.textContent).toContain("heron begins. heron ends."));
    await answered("And then?");
    const last = asked(host).at(-1)!;
    expect(last.model).toBe("heron");
    expect(last.given).toContain("heron ends");
    expect(last.given).not.toContain("plover");

    await click("Side by side");
    await push((await side("plover")).findByRole("button", { name: "Keep this one" }));
    await click("Go on with plover");
    await waitFor(async () => expect((await host.invoke("conversation_get", { id: here() })).model).toBe("plover"));
    const path = await pathOf(host, here());
    expect(path).toHaveLength(2);
    expect(path[1]).toMatchObject({ model: "plover" });
  });

  it("that fail say why, and are asked again themselves", async () => {
    let fails = true;
    const reply = (question: string, by: string) => {
      if (by === "plover" && fails) throw new Refusal(400, "not today");
      return `${by} answers ${question}`;
    };
    const host = await start({ reply });
    await also("plover");
    await answered("Why?");
    await says("plover", /not today/);
    const failed = await side("plover");
    await gone(() => failed.queryByRole("button", { name: "Keep this one" }));
    await expectAccessible();
    fails = false;
    await push(failed.findByRole("button", { name: "Try again" }));
    await (await sides()).findByText("plover answers Why?");
    await ended();
    expect((await sides()).getAllByRole("article")).toHaveLength(3);
    expect(asked(host).at(-1)!.model).toBe("plover");
    // One at a time, as versions are.
    await click("One at a time");
    await gone(() => screen.queryByRole("group", { name: "Answers side by side" }));
    await screen.findByRole("group", { name: "Version 3 of 3" });
    expect(document.activeElement?.textContent).toContain("plover answers Why?");
  });

  it("are not asked any more once it was stopped, and are given back with a message that was not sent", async () => {
    const held = latch();
    const host = await start({ reply: (question, by) => (question === "Why?" ? [`${by} begins. `, held.opened] : `${by} answers`) });
    await also("plover");
    const mend = host.failing("send", { code: "disk_full" });
    fireEvent.input(await field(), { target: { value: "Why?" } });
    await click("Send");
    await screen.findByRole("button", { name: "Try again" });
    await button("Do not ask plover too");
    await line("plover");
    mend();
    await click("Try again");
    await says("heron", "heron begins.");
    await gone(() => screen.queryByRole("button", { name: "Do not ask plover too" }));
    await click("Stop");
    await ended();
    await screen.findByText("Stopped here. What arrived is kept.", { selector: "[data-row] *" });
    await gone(() => screen.queryByRole("group", { name: "Answers side by side" }));
    held.open();
    expect(asked(host).map(({ model }) => model)).toEqual(["heron"]);
  });
});

describe("a reply", () => {
  it("is answered by another model too, beside it", async () => {
    const host = await start();
    await answered("Why?");
    await gone(() => screen.queryByRole("button", { name: "Side by side" }));
    await click("Ask another model");
    const picker = within(await screen.findByRole("dialog", { name: "Ask another model" }));
    fireEvent.keyDown(await picker.findByRole("textbox", { name: "Find a model" }), { key: "Escape" });
    await gone(() => screen.queryByRole("dialog", { name: "Ask another model" }));
    await click("Ask another model");
    await pick("teal", "Ask another model");
    await says("teal", "teal answers Why?");
    await says("heron", "heron answers Why?");
    await ended();
    expect((await host.invoke("conversation_get", { id: here() })).model).toBe("heron");
  });

  it("and what stands beside it read in Korean", async () => {
    await start();
    act(() => setLanguage("ko"));
    await click("다른 모델에도 묻기");
    await pick("plover", "다른 모델에도 묻기");
    await screen.findByRole("group", { name: "plover에 보낼 다음 요청" });
    await screen.findByRole("list", { name: "같은 질문을 받을 모델" });
    fireEvent.input(await screen.findByRole("textbox", { name: "메시지" }), { target: { value: "왜 그래?" } });
    await click("보내기");
    const beside = await sides("나란히 놓은 답변");
    await beside.findByText("plover answers 왜 그래?");
    await beside.findByText("이어지는 답변");
    await expectAccessible();
    const heron = within(await beside.findByRole("article", { name: "heron" }));
    await push(heron.findByRole("button", { name: "이 답변으로 이어 가기" }));
    await screen.findByText("이 답변으로 대화를 이어 가요.");
    await click("나란히 보기");
    await click("하나씩 보기");
    await button("다른 모델에 묻기");
  });
});
