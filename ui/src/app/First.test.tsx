// The first screen through the whole interface: a question is answered from there, what would be sent is shown and decided,
// and every way to begin ends in a conversation after as few presses as can be.
import { fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost, type HostOptions, type Listed } from "@/test/host";
import { button, click, ended, expectAccessible, field, gone, startAfresh } from "@/test/journey";
import { usePlace } from "./actions";
import { App } from "./App";

startAfresh();

async function start(options: HostOptions = {}) {
  const host = await startHost(options);
  setTransport(host);
  render(<App />);
  await screen.findByText("See, and decide, what each request contains.");
  return host;
}

const question = () => screen.findByRole<HTMLInputElement>("textbox", { name: "Your question" });
async function asks(text: string) {
  fireEvent.change(await question(), { target: { value: text } });
  fireEvent.submit((await question()).form!);
  await screen.findAllByText(text, { selector: "[data-row] *" });
}
const layers = async () => within(await screen.findByRole("region", { name: "What would be sent" }));

describe("the first screen", () => {
  it("answers a question at once, without a model, and shows before what it sends", async () => {
    const host = await start();
    fireEvent.change(await question(), { target: { value: "Where is the heron?" } });
    const said = await layers();
    await said.findByRole("button", { name: "Your message. What you write now" });
    said.getByRole("button", { name: "Rules of a folder. They come with a folder that you open and trust." });
    await expectAccessible();
    fireEvent.click(said.getByRole("button", { name: /^Leave out This moment\./ }));
    fireEvent.click(await said.findByRole("button", { name: /^Add This moment\./ }));
    fireEvent.click(await said.findByRole("button", { name: /^Leave out This moment\./ }));
    await said.findByRole("button", { name: /^Add This moment\./ });
    expect(await host.invoke("conversation_list", { project_id: null, trashed: false })).toEqual([]);
    await asks("Where is the heron?");
    await ended();
    const id = usePlace.getState().conversationId!;
    const { messages } = await host.invoke("conversation_page", { id, start: null, limit: 2 });
    const sent = await host.invoke("request_sent", { id: messages.at(-1)!.turn_id! });
    expect(sent.sections.map(({ section }) => section.kind)).toEqual(["instructions", "draft"]);
  });

  it("leads to an answer of a server on this computer with one press", async () => {
    await start({ servers: [{ name: "Ollama", kind: "openai" }], models: [{ id: "gemma3:270m" }] });
    await click("Use gemma3:270m of Ollama");
    await screen.findByText("Answers come from gemma3:270m (Ollama).");
    await asks("Where is the heron?");
    await screen.findByText("Said by the model.");
  });

  it("asks no model that only makes vectors, whatever the server lists first", async () => {
    const models = ["nomic-embed-text:latest", "embeddinggemma:300m", "BAAI/bge-m3"].map((id): Listed => ({ id }));
    models.push({ id: "embergemma:1b", context_window: 32_768, takes_tools: true });
    const host = await start({ servers: [{ name: "Ollama", kind: "openai" }], models });
    await button("Use embergemma:1b of Ollama");
    await click("Connect a model");
    await click("Connect Ollama");
    await screen.findByText("Answers come from embergemma:1b (Ollama).");
    expect((await host.settings()).default_model).toBe("embergemma:1b");
    fireEvent.click(screen.getByRole("combobox", { name: "Model" }));
    await screen.findByRole("option", { name: /^embergemma:1b ?Holds 32.8k tokens, Takes tools$/ });
  });

  it("connects a server behind its door, which ends in a conversation", async () => {
    await start({ servers: [{ name: "Ollama", kind: "openai" }], models: [{ id: "gemma3:270m" }] });
    await click("Connect a model");
    await click("Connect Ollama");
    await click("Start talking");
    await field();
    await screen.findByRole("button", { name: "Model: gemma3:270m" });
  });

  it("opens the sample at its top, with a tour of three steps that goes for good", async () => {
    await start();
    await click("Look at the sample");
    const tour = within(await screen.findByRole("region", { name: "Tour of the sample" }));
    tour.getByText(/what it was asked with/);
    await screen.findByText(/^This is the chart our script drew/);
    const marked = () => screen.getByRole("main").dataset.tour;
    expect(marked()).toBe("receipt");
    fireEvent.click(tour.getByRole("button", { name: "Next" }));
    expect(marked()).toBe("fold");
    fireEvent.click(tour.getByRole("button", { name: "Next" }));
    expect(marked()).toBe("line");
    tour.getByText("3 of 3");
    fireEvent.click(tour.getByRole("button", { name: "Back" }));
    fireEvent.keyDown(tour.getByText("2 of 3"), { key: "Escape" });
    await gone(() => screen.queryByRole("region", { name: "Tour of the sample" }));
    expect(marked()).toBeUndefined();
    expect(document.activeElement).toBe(await field());
  });

  it("shows in the sample what each reply saw, and the fold of its first turns", async () => {
    await start();
    await click("Look at the sample");
    fireEvent.click((await screen.findAllByRole("button", { name: /^What it was asked with: You · 1 rule file · / }))[0]!);
    const pane = within(await screen.findByRole("complementary", { name: "Context" }));
    await pane.findByText(/, A recorded reply$/);
    await pane.findByRole("button", { name: /^AGENTS.md/ });
    await screen.findByRole("button", { name: /^Turns 1–3 · summary v1/ });
  });
});
