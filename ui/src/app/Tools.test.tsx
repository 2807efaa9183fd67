// Turns with tools through the whole interface on the fake host: one row for all that a turn said and called, approvals
// with each answer, what comes of calls, and what waits elsewhere (ui.md, sections 2 and 6: tool rows and approvals).
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useLive } from "@/features/tools/live";
import { setTransport, type ConversationItem, type Part, type Role } from "@/ipc";
import { createFake, type Fake, type FakeOptions } from "@/ipc/fake";
import type { FakeCall, FakeStep } from "@/ipc/fake/tools";
import * as tree from "@/ipc/fake/tree";
import { setLanguage } from "@/shared/i18n";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { goToConversation, jumpTo, runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();
afterEach(() => {
  vi.restoreAllMocks();
  useLive.setState(useLive.getInitialState(), true);
});

const ROOT = "/home/ada/aurora";

interface Journey {
  fake: Fake;
  projectId: string;
  conversation: ConversationItem;
  files: Record<string, string>;
}

async function start(steps: FakeStep[] | ((question: string) => FakeStep[]), options: FakeOptions = {}): Promise<Journey> {
  const files: Record<string, string> = { "src/auth.rs": "one\ntwo\nthree\n" };
  const fake = createFake({
    folders: { [ROOT]: { files } },
    reply: () => "All done.",
    steps: typeof steps === "function" ? steps : () => steps,
    ...options,
  });
  setTransport(fake);
  const { id: projectId } = await fake.invoke("project_open", { path: ROOT, trust: "trusted", this_computer_only: null });
  const conversation = await fake.invoke("conversation_create", { project_id: projectId });
  render(<App />);
  act(() => goToConversation(conversation));
  await field();
  return { fake, projectId, conversation, files };
}

const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });

async function ask(text: string) {
  const message = await field();
  message.focus();
  fireEvent.input(message, { target: { value: text } });
  await click("Send");
  await screen.findAllByText(text, { selector: "[data-row] *" });
}

const ended = () => waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
const CARD = /^(Change|Create|Delete|Move|Run|Ask|Use) /;
const card = () => screen.findByRole("group", { name: CARD });
const has = (role: string, name: RegExp) => screen.queryAllByRole(role, { name }).length > 0;
const row = (name: RegExp) => screen.findByRole("button", { name, expanded: undefined });
const said = () => screen.getByRole("status").textContent;

/** Presses a key on the card until it is heard: at first it may have been meant for the composer. */
const pressed = (code: string, heard: () => boolean) =>
  waitFor(() => {
    const [asked] = screen.queryAllByRole("group", { name: CARD });
    if (asked) press(asked, code);
    expect(heard()).toBe(true);
  });
const press = (on: Element, code: string) => fireEvent.keyDown(on, { key: "ㅛ", code });

const read = (path: string): FakeCall => ({ name: "read_file", arguments: { path }, result: `1: of ${path}` });

function edit({ files }: { files: Record<string, string> }): FakeCall {
  return {
    name: "edit_file",
    arguments: { path: "src/auth.rs", old: "two", new: "2" },
    asks: {
      change: { kind: "edit", path: "src/auth.rs", before: "one\ntwo\nthree\n", after: "one\n2\nthree\n", stamp: "1" },
      patterns: ["src/auth.rs", "src/**"],
    },
    result: "Changed.",
    does: () => (files["src/auth.rs"] = "one\n2\nthree\n"),
  };
}

const command = (line: string, more: Partial<FakeCall> = {}): FakeCall => ({
  name: "run_command",
  arguments: { command: line, purpose: "to see whether it holds" },
  asks: { command: line, purpose: "to see whether it holds" },
  result: "ok",
  ...more,
});

describe("a turn with tools", () => {
  it("is one row: its texts in order, and many calls that only look in one line that opens", async () => {
    const calls = [read("a.rs"), read("b.rs"), { name: "search_files", arguments: { pattern: "fn main" }, result: "a.rs:3" }];
    const { fake, conversation } = await start([{ text: "I look first.", thought: "Where is it?", calls }, { calls: [read("c.rs")] }]);
    await ask("Where does it start?");
    await screen.findByText("All done.");
    await ended();
    const [, reply, ...others] = screen.getAllByRole("article");
    expect(others).toEqual([]);
    expect(reply!.textContent).toMatch(/I look first\..*Read 3 files, searched once.*All done\./s);
    // Of all messages, results among them.
    const { messages } = await fake.invoke("conversation_page", { id: conversation.id, start: null, limit: 60 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "tool", "assistant", "tool", "assistant"]);
    expect([reply!.getAttribute("aria-posinset"), reply!.getAttribute("aria-setsize")]).toEqual(["8", "8"]);
    await expectAccessible();

    await click("Read 3 files, searched once");
    await click(/^Search.*fn main/);
    within(reply!).getByText("a.rs:3");
    await expectAccessible();
    await click(/^Search.*fn main/);
    expect(within(reply!).queryByText("a.rs:3")).toBeNull();

    // Another answer hangs on the question, and not on a result.
    await click("Answer again");
    await ended();
    await screen.findByRole("group", { name: "Version 2 of 2" });
    await click("Previous version");
    await screen.findByRole("group", { name: "Version 1 of 2" });
    expect(screen.getAllByRole("article")).toHaveLength(2);
  });

  it("shows its steps with tokens beside what the reply saw", async () => {
    await start([{ calls: [read("a.rs"), { ...read("gone.rs"), result: "gone.rs does not exist.", is_error: true }] }]);
    await ask("Read it");
    await ended();
    // A failure is open at once.
    await screen.findByText("gone.rs does not exist.");
    act(() => void runAction("sawReply"));
    fireEvent.click(await screen.findByText("3 steps"));
    const table = within(await screen.findByRole("table"));
    expect(table.getAllByRole("rowheader").map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/offline/i),
      expect.stringMatching(/a\.rs$/),
      expect.stringMatching(/gone\.rsFailed$/),
    ]);
    table.getByText(/^1\.2k → /);
    await expectAccessible();
  });

  it("shows what each call of the model was sent", async () => {
    const { fake } = await start([{ calls: [read("a.rs")] }, { calls: [read("b.rs")] }]);
    await ask("Read both");
    await ended();
    const asked = vi.spyOn(fake, "invoke");
    act(() => void runAction("sawReply"));
    const list = await screen.findByRole("combobox", { name: "Request of the turn" });
    await waitFor(() => expect(list.textContent).toBe("Call 2 of 2 of the model"));
    expect(asked.mock.calls.some(([command]) => command === "call_sent")).toBe(false);
    fireEvent.keyDown(list, { key: "ArrowDown" });
    const first = await screen.findByRole("option", { name: "Call 1 of 2 of the model" });
    fireEvent.pointerDown(first, { pointerType: "mouse", buttons: 1 });
    fireEvent.click(first);
    const calls = [...fake.state.tools.nodes].flatMap(([turn_id, nodes]) =>
      nodes.flatMap(({ id, kind }) => (kind === "model" ? [{ turn_id, node_id: id }] : [])),
    );
    await waitFor(() => expect(asked).toHaveBeenCalledWith("call_sent", calls[0]));
    await screen.findByText("Call 1 of 2 of the model", { selector: "[role=combobox] *" });
    await expectAccessible();
  });

  it("of 200 calls stays few nodes, and begins where it begins", async () => {
    const { fake, conversation } = await start([]);
    const stored = fake.state.conversations.get(conversation.id)!;
    const turn_id = "turn";
    let parent_id: string | null = null;
    const say = (role: Role, parts: Part[]) => (parent_id = tree.add(fake.state, stored, { role, parts, parent_id, turn_id }, "").id);
    say("user", [{ type: "text", text: "Read everything" }]);
    for (let n = 0; n < 200; n += 1) {
      const id = `call-${n}`;
      const thought: Part = { type: "reasoning", text: `Thought ${n}`, seal: null };
      say("assistant", [thought, { type: "tool_call", id, name: "read_file", arguments: `{"path":"${n}.rs"}`, seal: null }]);
      say("tool", [{ type: "tool_result", call_id: id, text: `of ${n}`, is_error: false, kept: null }]);
    }
    say("assistant", [{ type: "text", text: "All done." }]);
    act(() => fake.state.emit({ type: "conversation", id: conversation.id }));
    await screen.findByRole("button", { name: "Read 200 files" });
    expect(screen.getByRole("log").querySelectorAll("*").length).toBeLessThan(200);
    act(() => usePlace.setState({ conversationId: null }));
    await waitFor(() => expect(screen.queryByRole("log")).toBeNull());
    act(() => goToConversation(conversation));
    await screen.findByRole("button", { name: "Read 200 files" });
    expect(screen.getAllByRole("article")).toHaveLength(2);
  });

  it("that ended at a limit says which, and goes on", async () => {
    const { fake, conversation } = await start([]);
    const stored = fake.state.conversations.get(conversation.id)!;
    const question = tree.add(fake.state, stored, { role: "user", parent_id: null, turn_id: "turn" }, "Go");
    const fault = { code: "limit_rounds", message: "" };
    tree.add(fake.state, stored, { role: "assistant", parent_id: question.id, turn_id: "turn", status: "interrupted", fault }, "So far");
    act(() => fake.state.emit({ type: "conversation", id: conversation.id }));
    await screen.findByText("The model asked for tools as often as it may in one turn.");
    await button("Continue");
  });

  it("is found by what a tool answered, and opens there", async () => {
    const calls = [read("a.rs"), read("b.rs"), { ...read("c.rs"), result: "the needle" }];
    const { fake, conversation } = await start([{ calls }]);
    await ask("Read all three");
    await ended();
    const { messages } = await fake.invoke("conversation_page", { id: conversation.id, start: null, limit: 60 });
    const result = messages.find(({ parts }) => parts.some((part) => part.type === "tool_result" && part.text === "the needle"))!;
    expect(screen.queryByText("the needle")).toBeNull();
    act(() => jumpTo(conversation.id, { messageId: result.id }));
    await screen.findByText("the needle");
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset.row).toBe(messages[1]!.id));
  });

  it("shows its tools and results in what a request holds, by their names", async () => {
    await start([{ calls: [read("a.rs")] }]);
    await ask("Read it");
    await ended();
    const pane = within(screen.getByRole("complementary", { name: "Context" }));
    fireEvent.click(await pane.findByRole("button", { name: /^4 earlier messages/, expanded: false }));
    await pane.findByText("Read a file a.rs");
    await pane.findByText("1: of a.rs");
  });

  it("reads on in a long result, as far as the person wants", async () => {
    const whole = Array.from({ length: 900 }, (_, n) => `line ${n + 1}`).join("\n");
    await start([{ calls: [{ ...read("long.log"), result: "line 1\n[…]\nline 900", whole }] }]);
    await ask("Read it");
    await ended();
    await click(/long\.log/);
    await screen.findByText(/in 900 lines/);
    await click("Show the whole");
    const text = await screen.findByLabelText("The whole result");
    expect(text.textContent).toMatch(/line 400$/);
    await click("Read on, 500 lines left");
    await click("Read on, 100 lines left");
    await waitFor(() => expect(text.textContent).toBe(whole));
    expect(screen.queryByRole("button", { name: /^Read on/ })).toBeNull();
  });
});

describe("an approval", () => {
  it("shows the change, takes the focus of an empty composer, and is given with Y on a Korean keyboard", async () => {
    const given = { files: {} as Record<string, string> };
    const journey = await start(() => [{ text: "I change it.", calls: [edit(given)] }]);
    given.files = journey.files;
    await ask("Change it");
    const asked = await card();
    expect(asked.textContent).toContain("Change src/auth.rs");
    const lines = within(asked).getByLabelText("The change");
    expect(lines.textContent).toMatch(/- two.*\+ 2/s);
    await waitFor(() => expect(document.activeElement).toBe(asked));
    expect(said()).toBe("Approval needed: src/auth.rs");
    await expectAccessible();
    // Nothing is done while nobody answers.
    expect(journey.files["src/auth.rs"]).toContain("two");
    // A key that was on its way to the composer says nothing; one that comes after the card was seen does.
    press(asked, "KeyY");
    expect(journey.fake.state.tools.waiting).toHaveLength(1);
    await pressed("KeyY", () => journey.fake.state.tools.waiting.length === 0);
    await screen.findByText("All done.");
    await ended();
    expect(journey.files["src/auth.rs"]).toContain("2");
    expect(screen.queryByRole("group", { name: /^Change / })).toBeNull();

    await click(/src\/auth\.rs/);
    await screen.findByText("Changed.");
    await expectAccessible();
    await click("Checkpoint before this");
    expect(usePlace.getState().checkpoints?.id).toBe(journey.fake.state.checkpoints.stored[0]!.item.id);
  });

  it("leaves the focus to who is writing", async () => {
    await start([{ calls: [command("ls")] }], { delayMs: 5 });
    await ask("List");
    const message = await field();
    message.focus();
    fireEvent.input(message, { target: { value: "And then…" } });
    await card();
    expect(document.activeElement).toBe(message);
    expect(message.value).toBe("And then…");
  });

  it("is refused with words to the model, which the row shows", async () => {
    await start([{ calls: [command("rm -rf build")] }]);
    await ask("Clean up");
    const asked = await card();
    within(asked).getByText("rm -rf build");
    within(asked).getByText("to see whether it holds", { selector: "q" });
    await pressed("KeyN", () => has("textbox", /^What should it do instead/));
    const note = await screen.findByRole("textbox", { name: /^What should it do instead/ });
    await waitFor(() => expect(document.activeElement).toBe(note));
    // A letter in the field is a letter.
    press(note, "KeyY");
    fireEvent.change(note, { target: { value: "Use make clean" } });
    // What is written stays when the row goes out of sight.
    const { conversationId } = usePlace.getState();
    act(() => usePlace.setState({ conversationId: null }));
    await waitFor(() => expect(screen.queryByRole("log")).toBeNull());
    act(() => usePlace.setState({ conversationId }));
    expect((await screen.findByRole<HTMLInputElement>("textbox", { name: /^What should it do instead/ })).value).toBe("Use make clean");
    await expectAccessible();
    await click("Say no");
    await ended();
    const line = await row(/rm -rf build.*Not allowed/);
    fireEvent.click(line);
    await screen.findByText("The person said no. Use make clean");
  });

  it("shows what cannot be seen in a command", async () => {
    await start([{ calls: [command("echo safe \u202e; curl evil\u200b.example")] }]);
    await ask("Go");
    const asked = await card();
    expect(within(asked).getByLabelText("The command", { selector: "pre" }).textContent).toBe("echo safe U+202E; curl evilU+200B.example");
  });

  it("is given for good: for files of a pattern, for exactly this, for a tool; and refused for good", async () => {
    const given = { files: {} as Record<string, string> };
    const { fake } = await start((question) => [{ calls: [question === "Edit" ? edit(given) : command(question)] }]);
    await ask("Edit");
    await pressed("KeyA", () => has("radio", /./));
    await screen.findByRole("radio", { name: "Files that match src/auth.rs" });
    fireEvent.click(screen.getByRole("radio", { name: "Files that match a pattern of mine" }));
    const own = await screen.findByRole("textbox", { name: "Pattern" });
    fireEvent.change(own, { target: { value: "" } });
    expect((await button("Allow always")).hasAttribute("disabled")).toBe(true);
    fireEvent.change(own, { target: { value: "src/*.rs" } });
    await expectAccessible();
    await click("Allow always");
    await ended();

    await ask("make");
    await pressed("KeyA", () => has("radio", /./));
    expect((await screen.findByRole<HTMLInputElement>("radio", { name: "Exactly this command" })).checked).toBe(true);
    await click("Allow always");
    await ended();

    await ask("make test");
    await pressed("KeyA", () => has("radio", /./));
    fireEvent.click(await screen.findByRole("radio", { name: /whatever it is about$/ }));
    await screen.findByText("It could then do anything of its kind without asking you.");
    fireEvent.keyDown(document.activeElement!, { key: "Escape" });
    await click("Never in this project");
    await ended();
    expect(fake.state.tools.rules.map(({ tool, scope, verdict }) => [tool, scope, verdict])).toEqual([
      ["edit_file", { kind: "paths", pattern: "src/*.rs" }, "allow"],
      ["run_command", { kind: "command", line: "make" }, "allow"],
      ["run_command", { kind: "tool" }, "deny"],
    ]);
  });

  it("that answers another call than was shown does nothing, and says so", async () => {
    const { fake } = await start([{ calls: [command("ls")] }]);
    await ask("List");
    const asked = await card();
    fake.state.tools.waiting[0]!.approval = { ...fake.state.tools.waiting[0]!.approval, command: "ls; rm -rf /", hash: "other" };
    within(asked).getByText("ls");
    await pressed("KeyY", () => screen.queryByText(/^What waits changed meanwhile/) !== null);
    await screen.findByText("ls; rm -rf /");
    expect(fake.state.tools.waiting).toHaveLength(1);
  });

  it("that is never answered ends with the turn: interrupted, and nothing is made up", async () => {
    await start([{ text: "I would run it.", calls: [command("make")] }]);
    await ask("Run it");
    await card();
    await click("Stop");
    await ended();
    fireEvent.click(await row(/make.*Interrupted/));
    await screen.findByText(/^No result came/);
    await button("Continue");
    await expectAccessible();
  });

  it("of a server shows all of its arguments", async () => {
    const call: FakeCall = { name: "mcp__files__put", arguments: { to: "s3://bucket", body: { a: [1, 2] } }, result: "ok" };
    await start([{ calls: [call] }]);
    await ask("Put it there");
    const asked = await card();
    expect(asked.textContent).toContain("Ask the server files");
    expect(JSON.parse(within(asked).getByLabelText("What was asked", { selector: "pre" }).textContent!)).toEqual(call.arguments);
  });
});

describe("what waits elsewhere", () => {
  it("is known of a conversation that was never opened here", async () => {
    const { fake, conversation } = await start([{ calls: [command("make")] }]);
    const other = await fake.invoke("conversation_create", { project_id: conversation.project_id });
    await fake.invoke("send", { conversation_id: other.id, text: "Run it", attachments: [] });
    await screen.findByRole("img", { name: "waits for your answer" });
    expect(said()).toBe("Approval needed: make");
    await waitFor(() => expect(document.title).toBe("(1) Siltstone"));
    await fake.invoke("stop", { id: other.id });
    await waitFor(() => expect(screen.queryByRole("img", { name: "waits for your answer" })).toBeNull());
    await waitFor(() => expect(document.title).toBe("Siltstone"));
  });

  it("is marked in the list and in the title, and told to who looks away, in Korean too", async () => {
    vi.spyOn(document, "hasFocus").mockReturnValue(false);
    const { fake, conversation } = await start([{ calls: [command("make")] }]);
    await ask("Run it");
    await card();
    await waitFor(() => expect(fake.opened).toEqual(["Run it: Approval needed: make"]));
    const other = await fake.invoke("conversation_create", { project_id: conversation.project_id });
    vi.spyOn(document, "hasFocus").mockReturnValue(true);
    act(() => setLanguage("ko"));
    act(() => goToConversation(other));
    await screen.findByRole("img", { name: "답을 기다려요" });
    await waitFor(() => expect(document.title).toBe("(1) Siltstone"));
    await expectAccessible();
    act(() => goToConversation(conversation));
    await screen.findByRole("group", { name: "프로젝트에서 명령 실행하기" });
    await waitFor(() => expect(document.title).toBe("Siltstone"));
    await click(/^이번만 허용/);
    await waitFor(() => expect(screen.queryByRole("img", { name: "답을 기다려요" })).toBeNull());
    await screen.findByText("All done.");
    await expectAccessible();
  });
});
