// What a message can carry and how its model is asked, through the whole interface: pictures and PDF
// files by clipboard, drop and dialog, thoughts, settings of a conversation, costs, and the month's limit.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { startHost, type Host, type HostOptions } from "@/test/host";
import { button, click, ended, expectAccessible, field, gone, shut, startAfresh } from "@/test/journey";
import { runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const PNG = "\x89PNG\r\n\x1a\n and pixels";
const PDF = "%PDF-1.7 and pages";
const PRICE = { input: 3_000_000, cached_input: null, cache_write: null, output: 15_000_000 };
const KEY = "sk-cloud-0123456789abcdef";
const CLOUD = { name: "Cloud", kind: "openai" as const, base_url: "https://cloud.example/v1" };
const MODELS = [
  { id: "sees", takes_images: true, takes_files: true, price: PRICE },
  { id: "blind", takes_images: false, takes_files: false },
];

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

async function start(options: HostOptions = {}, model = "sees"): Promise<Host> {
  const models = [...MODELS].sort(({ id }) => (id === model ? -1 : 1));
  const host = await startHost({ provider: CLOUD, elsewhere: true, key: KEY, models, ...options });
  setTransport(host);
  render(<App />);
  fireEvent.click(await button(/^Just talk/));
  await field();
  return host;
}

const detail = (host: Host) => host.invoke("conversation_get", { id: usePlace.getState().conversationId! });
const binary = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

async function paste(name: string, bytes: string, text = "") {
  const clipboardData = { files: [new File([binary(bytes)], name)], getData: () => text };
  return fireEvent.paste(await field(), { clipboardData });
}

async function send(text: string) {
  const message = await field();
  if (text !== "") fireEvent.input(message, { target: { value: text } });
  const sent = screen.queryAllByRole("article").length;
  await click("Send");
  await waitFor(() => expect(screen.getAllByRole("article").length).toBeGreaterThan(sent));
}

describe("the message field", () => {
  it("takes what is typed where nothing else does, and leaves the keys of the list alone", async () => {
    await start();
    const message = await field();
    await send("Why?");
    const type = (target: Element, init: KeyboardEventInit) => fireEvent.keyDown(target, { bubbles: true, ...init });
    for (const key of ["h", "ㅎ", "Process", "?"]) {
      message.blur();
      type(document.body, { key });
      expect(document.activeElement).toBe(message);
    }
    for (const init of [{ key: " " }, { key: "Enter" }, { key: "c", ctrlKey: true }]) {
      message.blur();
      type(document.body, init);
      expect(document.activeElement).toBe(document.body);
    }
    const log = screen.getByRole("log");
    log.focus();
    type(log, { key: "j", code: "KeyJ" });
    expect(document.activeElement).not.toBe(message);
    type(document.activeElement!, { key: "x", code: "KeyX" });
    expect(document.activeElement).toBe(message);
  });
});

describe("attachments", () => {
  it("are pasted, sent without a word, shown large, and left out of an edit", async () => {
    const host = await start();
    await paste("shot.png", PNG);
    await button("Remove shot.png");
    await paste("drawing.svg", "<svg onload='alert(1)'/>");
    await within(await screen.findByRole("alert")).findByText(/drawing\.svg: This file cannot be attached/);
    await expectAccessible();
    expect(await paste("cells.png", PNG, "1\t2")).toBe(true);
    await send("");
    const small = await button("Show shot.png large");
    await ended();
    expect((await detail(host)).attachments).toEqual([]);
    await gone(() => screen.queryByRole("button", { name: "Remove shot.png" }));

    small.focus();
    fireEvent.click(small);
    const dialog = await screen.findByRole("dialog", { name: "shot.png" });
    const picture = await within(dialog).findByRole<HTMLImageElement>("img", { name: "shot.png" });
    expect(alive.get(picture.src)!.type).toBe("image/png");
    await expectAccessible();
    fireEvent.keyDown(picture, { key: "Escape" });
    await shut();

    await click("Edit");
    fireEvent.click(within(screen.getByRole("list", { name: "Attachments" })).getByRole("button", { name: "Remove shot.png" }));
    fireEvent.change(screen.getByRole("textbox", { name: "Edit message" }), { target: { value: "Without it" } });
    await click("Send edited");
    await screen.findByText("Without it", { selector: "[data-said] *" });
    await gone(() => screen.queryByRole("button", { name: /large/ }));
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
    expect((await detail(host)).attachments.map(({ part }) => "name" in part && part.name)).toEqual(["before.png"]);
    usePlace.setState({ conversationId: null });
    await waitFor(() => expect(alive.size).toBe(0));
  });

  it("hold a long text apart, to be looked at, written out, or sent as it was pasted", async () => {
    const models = [{ id: "sees", context_window: 100_000 }];
    const host = await start({ models });
    const text = Array.from({ length: 1204 }, (_, n) => `${n}  a line of the log \r\n`).join("");
    expect(await paste("", "", text)).toBe(false);
    const chip = await button("Pasted text, 1,204 lines");
    const message = await field();
    expect(message.value).toBe("");
    within(chip.closest("li")!).getByText(/kB, ≈.*tokens$/);
    await expectAccessible();
    chip.focus();
    fireEvent.click(chip);
    const dialog = within(await screen.findByRole("dialog", { name: "Pasted text, 1,204 lines" }));
    await dialog.findByText(/^0 a line of the log/);
    // As long as it is, only what is in sight is drawn.
    await gone(() => dialog.queryByText(/^1203 /));
    await expectAccessible();
    fireEvent.keyDown(dialog.getByRole("document"), { key: "Escape" });
    await shut();

    fireEvent.click(await button("Write Pasted text, 1,204 lines into the message"));
    await gone(() => screen.queryByRole("button", { name: /^Pasted text/ }));
    // A field has no other ends of lines.
    expect(message.value).toBe(text.replaceAll("\r\n", "\n"));
    expect((await detail(host)).attachments).toEqual([]);
    fireEvent.input(message, { target: { value: "" } });
    await paste("", "", text);
    const remove = await button("Remove Pasted text, 1,204 lines");
    remove.focus();
    fireEvent.keyDown(remove, { key: "Delete" });
    await gone(() => screen.queryByRole("button", { name: /^Pasted text/ }));
    await waitFor(() => expect(document.activeElement).toBe(message));

    await paste("", "", text);
    await button("Pasted text, 1,204 lines");
    await send("What went wrong?");
    await ended();
    const { messages } = host.server.received.findLast(({ body }) => body.messages !== undefined)!.body;
    expect(messages.at(-1)).toMatchObject({ role: "user", content: expect.stringContaining(`What went wrong?\n\n${text}`) });
    const sent = within((await screen.findAllByRole("article"))[0]!);
    sent.getByRole("button", { name: "Pasted text, 1,204 lines" });
    fireEvent.click(sent.getByRole("button", { name: "Edit" }));
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Edit message" }).value).toBe("What went wrong?");
    await button("Remove Pasted text, 1,204 lines");
    await click("Cancel");
    // Said again in the field it is folded, until it is asked for.
    await send(`${"One line. \n".repeat(40)}The last line.`);
    await gone(() => screen.queryByText(/The last line\./, { selector: "[data-row] *" }));
    await click(/^Show all \d+ characters$/);
    await screen.findByText(/The last line\./, { selector: "[data-row] *" });
  });

  it("that no model could read are refused before anything is sent, and nothing is lost", async () => {
    const models = [{ id: "small", context_window: 4000 }];
    const host = await start({ models });
    await paste("", "", "a line that is long enough to count\n".repeat(1000));
    await button("Pasted text, 1,000 lines");
    const message = await field();
    fireEvent.input(message, { target: { value: "Why?" } });
    await screen.findByText(/^Too long to send: it would be .* tokens, and small can take 3k\./);
    expect((await button("Send")).hasAttribute("disabled")).toBe(true);
    fireEvent.keyDown(message, { key: "Enter", keyCode: 13 });
    expect(message.value).toBe("Why?");
    await expectAccessible();
    // What weighs most is named, with the way to take it out; and so is another model.
    await button("Use another model");
    await click(/^Remove Pasted text, 1,000 lines \S+$/);
    await waitFor(async () => expect((await button("Send")).hasAttribute("disabled")).toBe(false));
    await gone(() => screen.queryByText(/^Too long to send/));
    expect((await detail(host)).item.message_count).toBe(0);
  });

  it("are dropped into the open conversation and wait there; folders still open", async () => {
    const disk = { "/pics/a.png": binary(PNG), "/docs/b.pdf": binary(PDF), "/docs/notes.txt": "text" };
    const host = await start({ disk, folders: { "/code/x": {} } });
    const [png, pdf, notes, folder] = ["/pics/a.png", "/docs/b.pdf", "/docs/notes.txt", "/code/x"].map(host.at);
    act(() => host.drag({ type: "enter", paths: [png!, pdf!] }));
    screen.getByText("Drop all 2 to attach them to your message");
    act(() => host.drag({ type: "drop", paths: [png!, pdf!] }));
    await button("Remove a.png");
    await button("Remove b.pdf");
    act(() => host.drag({ type: "enter", paths: [folder!] }));
    screen.getByText("Drop the folder to open it");
    act(() => host.drag({ type: "drop", paths: [notes!] }));
    await screen.findByText(/notes\.txt: This file cannot be attached/);

    const { conversationId } = usePlace.getState();
    act(() => usePlace.setState({ conversationId: null }));
    await gone(() => screen.queryByRole("button", { name: "Remove a.png" }));
    act(() => usePlace.setState({ conversationId }));
    const remove = await button("Remove a.png");
    // Where a key is pressed, the focus is.
    remove.focus();
    fireEvent.keyDown(remove, { key: "Delete" });
    await gone(() => screen.queryByRole("button", { name: "Remove a.png" }));
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Remove b.pdf"));
    fireEvent.click(document.activeElement!);
    await waitFor(async () => expect(document.activeElement).toBe(await field()));

    act(() => host.drag({ type: "drop", paths: [folder!] }));
    await screen.findByRole("dialog", { name: "x" });
  });

  it("say when the model is known not to read them", async () => {
    const host = await start({ disk: { "/b.pdf": binary(PDF) } }, "blind");
    host.dialogs.attachments = [host.at("/b.pdf")];
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

describe("what the person wrote", () => {
  it("is read as Markdown by whoever looks, and sent as it was typed", async () => {
    const host = await start();
    const text = "**Why** is this\n    slow?\n\n1. It was not";
    await send(text);
    await ended();
    const { messages } = host.server.received.findLast(({ body }) => body.messages !== undefined)!.body;
    expect(messages.at(-1)).toMatchObject({ role: "user", content: expect.stringContaining(text) });
    const sent = within((await screen.findAllByRole("article"))[0]!);
    expect((await sent.findByText("Why")).tagName).toBe("STRONG");
    expect(sent.getByText("It was not").closest("ol")).not.toBeNull();
    fireEvent.click(sent.getByRole("button", { name: "Edit" }));
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Edit message" }).value).toBe(text);
    await expectAccessible();
  });
});

describe("a reply", () => {
  it("keeps its thoughts folded and says what it cost", async () => {
    const host = await start({ model: { thought: () => "First **three** words", reply: () => "The answer." } });
    await send("Why?");
    await screen.findByText("The answer.");
    await ended();
    await gone(() => screen.queryByText("three"));
    fireEvent.click(await screen.findByText("Thought for 3 words"));
    expect((await screen.findByText("three")).tagName).toBe("STRONG");
    const { messages } = await host.invoke("conversation_page", { id: usePlace.getState().conversationId!, start: null, limit: 10 });
    const { usage, cost } = messages.at(-1)!;
    expect(cost).toBe(usage!.input_tokens * 3000 + usage!.output_tokens * 15_000);
    expect(screen.getAllByText(/\$0\.0\d+/).length).toBe(2);
    await expectAccessible();
  });
});

describe("the title of a conversation", () => {
  it("is said whole where its column cuts it; else its tip is what pressing it does", async () => {
    const host = await start();
    const title = "What the second retry does when the first one is still on its way";
    await host.invoke("conversation_rename", { id: usePlace.getState().conversationId!, title });
    const shown = await within(await screen.findByRole("heading", { level: 1 })).findByRole("button", { name: title });
    expect(document.getElementById(shown.getAttribute("aria-describedby")!)?.textContent).toBe("Rename");
    await expectAccessible();
    const tip = (text: string) => screen.findByText(text, { selector: ".tooltip" });
    act(() => shown.focus());
    await tip("Rename");
    act(() => shown.blur());
    await gone(() => document.querySelector(".tooltip"));
    Object.defineProperty(shown, "scrollWidth", { value: 640 });
    act(() => shown.focus());
    await tip(title);
    fireEvent.click(shown);
    expect(await screen.findByRole("textbox", { name: "Title of the conversation" })).toHaveProperty("value", title);
  });
});

describe("the settings of a conversation", () => {
  it("are kept at once, say what differs, and go back", async () => {
    const host = await start();
    const tuning = async () => (await detail(host)).tuning;
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
    await waitFor(async () => expect(await tuning()).toEqual({ instructions: "짧게 답해 줘", temperature: 0.2, max_output_tokens: 500, effort: null, mode: null }));
    fireEvent.keyDown(panel, { key: "Escape" });
    await click("Settings of this conversation: Instructions, Temperature 0.2, Maximum output 500");
    await click("Back to the provider's defaults");
    await waitFor(async () => expect(await tuning()).toEqual({ instructions: "", temperature: null, max_output_tokens: null, effort: null, mode: null }));
    await waitFor(() => expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Temperature" }).value).toBe(""));
  });
});

describe("the month's limit", () => {
  it("stops a message, keeps it whole, and lets it go on", async () => {
    const host = await start({ settings: { monthly_limit: 1 } });
    await send("The first one");
    await ended();
    await paste("shot.png", PNG);
    await button("Remove shot.png");
    fireEvent.input(await field(), { target: { value: "The second one" } });
    await click("Send");
    await screen.findByText("This month's limit is reached. Nothing was sent.");
    await screen.findByText(/^Spent this month: \$0\.0\d+\. Your limit: \$0\.000001\.$/);
    expect((await field()).value).toBe("The second one");
    await button("Remove shot.png");
    await expectAccessible();

    await click("Change the limit…");
    expect(usePlace.getState().overlay).toMatchObject({ kind: "settings", tab: "spending" });
    act(() => usePlace.setState({ overlay: null }));
    await click("Go on this month");
    await screen.findByText("The second one", { selector: "[data-said] *" });
    await button("Show shot.png large");
    await ended();
    expect((await field()).value).toBe("");
    expect((await host.invoke("spending_get", null)).allowed_until).not.toBeNull();
  });
});
