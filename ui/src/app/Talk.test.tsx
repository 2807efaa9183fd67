// What a message can carry and how its model is asked, through the whole interface on the fake host: pictures and PDF
// files by clipboard, drop and dialog, thoughts, settings of a conversation, costs, and the month's limit.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { createFake, type Fake, type FakeOptions } from "@/ipc/fake";
import { listed } from "@/ipc/fake/model";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const PNG = "\x89PNG\r\n\x1a\n and pixels";
const PDF = "%PDF-1.7 and pages";
const PRICE = { input: 3_000_000, cached_input: null, cache_write: null, output: 15_000_000 };
const KEY = "sk-cloud-0123456789abcdef";
const CLOUD = { name: "Cloud", kind: "openai" as const, base_url: "https://cloud.example/v1" };
const HOSTED = {
  base_url: CLOUD.base_url,
  key: KEY,
  models: [
    listed("sees", { takes_images: true, takes_files: true, price: PRICE }),
    listed("blind", { takes_images: false, takes_files: false }),
  ],
};

/** Object URLs that are alive. */
const alive = new Map<string, Blob>();
beforeEach(() => {
  alive.clear();
  URL.createObjectURL = (blob: Blob) => {
    const url = `blob:test/${alive.size}${Math.random()}`;
    alive.set(url, blob);
    return url;
  };
  URL.revokeObjectURL = (url) => void alive.delete(url);
});

async function start(options: FakeOptions = {}, model = "sees"): Promise<Fake> {
  const settings = { default_provider: "Cloud", default_model: model, ...options.settings };
  const fake = createFake({ hosted: [HOSTED], ...options, settings });
  fake.state.providers.push(CLOUD);
  fake.state.keys.kept.set("Cloud https://cloud.example", { key: KEY, place: "keyring" });
  setTransport(fake);
  render(<App />);
  fireEvent.click(await button(/^Just talk/));
  await field();
  return fake;
}

const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const ended = () => waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
const binary = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

async function paste(name: string, bytes: string, text = "") {
  const clipboardData = { files: [new File([binary(bytes)], name)], getData: () => text };
  return fireEvent.paste(await field(), { clipboardData });
}

async function send(text: string) {
  const message = await field();
  if (text !== "") fireEvent.input(message, { target: { value: text } });
  await click("Send");
}

describe("attachments", () => {
  it("are pasted, sent without a word, shown large, and left out of an edit", async () => {
    const fake = await start();
    await paste("shot.png", PNG);
    await button("Remove shot.png");
    await paste("drawing.svg", "<svg onload='alert(1)'/>");
    await within(await screen.findByRole("alert")).findByText(/drawing\.svg: This file cannot be attached/);
    await expectAccessible();
    expect(await paste("cells.png", PNG, "1\t2")).toBe(true);
    await send("");
    const small = await button("Show shot.png large");
    await ended();
    const conversation = () => [...fake.state.conversations.values()][0]!;
    expect(conversation().attachments).toEqual([]);
    expect(screen.queryByRole("button", { name: "Remove shot.png" })).toBeNull();

    small.focus();
    fireEvent.click(small);
    const dialog = await screen.findByRole("dialog", { name: "shot.png" });
    const picture = await within(dialog).findByRole<HTMLImageElement>("img", { name: "shot.png" });
    expect(alive.get(picture.src)!.type).toBe("image/png");
    await expectAccessible();
    fireEvent.keyDown(picture, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

    await click("Edit");
    fireEvent.click(within(screen.getByRole("list", { name: "Attachments" })).getByRole("button", { name: "Remove shot.png" }));
    fireEvent.change(screen.getByRole("textbox", { name: "Edit message" }), { target: { value: "Without it" } });
    await click("Send edited");
    await screen.findByText("Without it", { selector: "[data-selectable]" });
    expect(screen.queryByRole("button", { name: /large/ })).toBeNull();
    await ended();

    await paste("before.png", `${PNG} 1`);
    await button("Remove before.png");
    await click("Edit");
    const edited = screen.getByRole("textbox", { name: "Edit message" });
    fireEvent.paste(edited, { clipboardData: { files: [new File([binary(`${PNG} 2`)], "new.png")], getData: () => "" } });
    const form = within(edited.closest("form")!);
    await form.findByRole("button", { name: "Remove new.png" });
    form.getByRole("button", { name: "Put before.png back" });
    await click("Send edited");
    await button("Show new.png large");
    await ended();
    expect(conversation().attachments.map(({ part }) => "name" in part && part.name)).toEqual(["before.png"]);
    usePlace.setState({ conversationId: null });
    await waitFor(() => expect(alive.size).toBe(0));
  });

  it("are dropped into the open conversation and wait there; folders still open", async () => {
    const disk = { "/pics/a.png": btoa(PNG), "/docs/b.pdf": btoa(PDF), "/docs/notes.txt": btoa("text") };
    const fake = await start({ disk, folders: { "/code/x": { files: {} } } });
    act(() => fake.drag({ type: "enter", paths: ["/pics/a.png", "/docs/b.pdf"] }));
    screen.getByText("Drop all 2 to attach them to your message");
    act(() => fake.drag({ type: "drop", paths: ["/pics/a.png", "/docs/b.pdf"] }));
    await button("Remove a.png");
    await button("Remove b.pdf");
    act(() => fake.drag({ type: "enter", paths: ["/code/x"] }));
    screen.getByText("Drop the folder to open it");
    act(() => fake.drag({ type: "drop", paths: ["/docs/notes.txt"] }));
    await screen.findByText(/notes\.txt: This file cannot be attached/);

    const { conversationId } = usePlace.getState();
    act(() => usePlace.setState({ conversationId: null }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Remove a.png" })).toBeNull());
    act(() => usePlace.setState({ conversationId }));
    fireEvent.keyDown(await button("Remove a.png"), { key: "Delete" });
    await waitFor(() => expect(screen.queryByRole("button", { name: "Remove a.png" })).toBeNull());
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Remove b.pdf"));
    fireEvent.click(document.activeElement!);
    await waitFor(async () => expect(document.activeElement).toBe(await field()));

    act(() => fake.drag({ type: "drop", paths: ["/code/x"] }));
    await screen.findByRole("dialog", { name: "x" });
  });

  it("say when the model is known not to read them", async () => {
    await start({ disk: { "/b.pdf": btoa(PDF) }, picksFiles: ["/b.pdf"] }, "blind");
    act(() => void runAction("attach"));
    await screen.findByText(/^blind does not read PDF files/);
    // As WebKitGTK has it: an empty paste, and a clipboard that gives its picture to who asks.
    const getType = async (type: string) => new Blob([binary(PNG)], { type });
    vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { clipboard: { read: async () => [{ types: ["text/html", "image/png"], getType }] } }));
    fireEvent.paste(await field(), { clipboardData: { files: [], getData: () => "" } });
    await button("Remove image.png");
    vi.unstubAllGlobals();
    await screen.findByText(/^blind does not read pictures/);
  });
});

describe("a reply", () => {
  it("keeps its thoughts folded and says what it cost", async () => {
    const fake = await start({ thought: () => "First **three** words", reply: () => "The answer." });
    await send("Why?");
    await screen.findByText("The answer.");
    await ended();
    expect(screen.queryByText("three")).toBeNull();
    fireEvent.click(await screen.findByText("Thought for 3 words"));
    expect((await screen.findByText("three")).tagName).toBe("STRONG");
    const { usage, cost } = [...[...fake.state.conversations.values()][0]!.messages.values()].at(-1)!;
    expect(cost).toBe(usage!.input_tokens * 3000 + usage!.output_tokens * 15_000);
    expect(screen.getAllByText(/\$0\.000\d+/).length).toBe(2);
    await expectAccessible();
  });
});

describe("the settings of a conversation", () => {
  it("are kept at once, say what differs, and go back", async () => {
    const fake = await start();
    const tuning = () => [...fake.state.conversations.values()][0]!.tuning;
    act(() => void runAction("tune"));
    const panel = await screen.findByRole("dialog", { name: "Settings of this conversation" });
    await expectAccessible();
    const type = (name: string, value: string) =>
      fireEvent.change(within(panel).getByRole("textbox", { name }), { target: { value } });
    type("Instructions", "짧게 답해 줘");
    type("Temperature", "3");
    within(panel).getByText("A number from 0 to 2");
    type("Temperature", "0.2");
    type("Maximum output", "500");
    await waitFor(() => expect(tuning()).toEqual({ instructions: "짧게 답해 줘", temperature: 0.2, max_output_tokens: 500, effort: null }));
    fireEvent.keyDown(panel, { key: "Escape" });
    await click("Settings of this conversation: Instructions, Temperature 0.2, Maximum output 500");
    await click("Back to the provider's defaults");
    await waitFor(() => expect(tuning()).toEqual({ instructions: "", temperature: null, max_output_tokens: null, effort: null }));
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Temperature" }).value).toBe("");
  });
});

describe("the month's limit", () => {
  it("stops a message, keeps it whole, and lets it go on", async () => {
    const fake = await start({ settings: { monthly_limit: 1 } });
    await send("The first one");
    await ended();
    await paste("shot.png", PNG);
    await button("Remove shot.png");
    await send("The second one");
    await screen.findByText("This month's limit is reached. Nothing was sent.");
    await screen.findByText(/^Spent this month: \$0\.000\d+\. Your limit: \$0\.000001\.$/);
    expect((await field()).value).toBe("The second one");
    await button("Remove shot.png");
    await expectAccessible();

    await click("Change the limit…");
    expect(usePlace.getState().overlay).toMatchObject({ kind: "settings", tab: "spending" });
    act(() => usePlace.setState({ overlay: null }));
    await click("Go on this month");
    await screen.findByText("The second one", { selector: "[data-selectable]" });
    await button("Show shot.png large");
    await ended();
    expect((await field()).value).toBe("");
    expect(fake.state.allowed.size).toBe(1);
  });
});
