// Turns with tools through the whole interface: one row for all that a turn said and called, approvals
// with each answer, what comes of calls, and what waits elsewhere (ui.md, sections 2 and 6: tool rows and approvals).
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setTransport, type ConversationItem } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { MODEL, mcp, startHost, type Call, type Host, type Step } from "@/test/host";
import { ask as send, button, click, ended, expectAccessible, field, gone, push, shut, startAfresh } from "@/test/journey";
import { goToConversation, jumpTo, runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";

const FILES = {
  "src/auth.rs": "one\ntwo\nthree\n",
  "a.rs": "of a.rs\n\nfn main() {}\n",
  "b.rs": "of b.rs\n",
  "c.rs": "the needle\n",
};

interface Journey {
  host: Host;
  projectId: string;
  conversation: ConversationItem;
  files: Record<string, string>;
}

/** A project in which commands may run, and a model that takes these steps before it answers. */
async function start(
  steps: Step[] | ((question: string) => Step[]),
  { more = {}, before = async () => {} }: { more?: Record<string, string>; before?: (host: Host, projectId: string) => Promise<void> } = {},
): Promise<Journey> {
  const model = { reply: () => "All done.", steps: typeof steps === "function" ? steps : () => steps };
  const host = await startHost({ folders: { [ROOT]: { ...FILES, ...more } }, model, models: [{ id: MODEL, context_window: 1_000_000 }] });
  setTransport(host);
  const { id: projectId } = await host.open(ROOT);
  await host.invoke("tool_commands", { project_id: projectId, allowed: true });
  await before(host, projectId);
  const conversation = await host.invoke("conversation_create", { project_id: projectId });
  render(<App />);
  act(() => goToConversation(conversation));
  await field();
  return { host, projectId, conversation, files: host.files(ROOT) };
}

async function ask(text: string) {
  (await field()).focus();
  await send(text);
}

/** The calls that wait in a conversation. */
const waiting = ({ host, conversation }: Pick<Journey, "host" | "conversation">) => host.invoke("approval_list", { id: conversation.id });
const CARD = /^(Change|Create|Delete|Move|Run|Ask|Use) /;
const card = () => screen.findByRole("group", { name: CARD });
const has = (role: string, name: RegExp) => screen.queryAllByRole(role, { name }).length > 0;
const row = (name: RegExp) => screen.findByRole("button", { name, expanded: undefined });
const said = () => screen.getByRole("status").textContent;

/** The card, once it may be answered: what comes before may have been meant for something else. */
const armed = (name = CARD) =>
  waitFor(() => {
    const asked = screen.getByRole("group", { name });
    expect(asked.dataset.armed).toBe("true");
    return asked;
  });

/** Presses a key on the card, which is heard. */
const pressed = async (code: string, heard: () => boolean | Promise<boolean>) => {
  press(await armed(), code);
  await waitFor(async () => expect(await heard()).toBe(true));
};
const press = (on: Element, code: string) => fireEvent.keyDown(on, { key: "ㅛ", code });

const read = (path: string): Call => ({ name: "read_file", arguments: { path } });
const EDIT: Call = { name: "edit_file", arguments: { path: "src/auth.rs", old: "two", new: "2" } };
const command = (line: string): Call => ({ name: "run_command", arguments: { command: line, purpose: "to see whether it holds" } });

describe("a turn with tools", () => {
  it("is one row: its texts in order, and many calls that only look in one line that opens", async () => {
    const calls = [read("a.rs"), read("b.rs"), { name: "search_files", arguments: { pattern: "fn main" } }];
    const { host, conversation } = await start([{ text: "I look first.", thought: "Where is it?", calls }, { calls: [read("c.rs")] }]);
    await ask("Where does it start?");
    await screen.findByText("All done.");
    await ended();
    // Once the page was read again, after what was streamed.
    await waitFor(() => {
      const articles = screen.getAllByRole("article");
      expect(articles).toHaveLength(2);
      expect(articles[1]!.textContent).toMatch(/I look first\..*Read 3 files, searched once.*All done\./s);
    });
    const [, reply] = screen.getAllByRole("article");
    // Of all messages, results among them.
    const { messages } = await host.invoke("conversation_page", { id: conversation.id, start: null, limit: 60 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "tool", "assistant", "tool", "assistant"]);
    expect([reply!.getAttribute("aria-posinset"), reply!.getAttribute("aria-setsize")]).toEqual(["8", "8"]);
    await expectAccessible();

    await click("Read 3 files, searched once");
    await click(/^Search.*fn main/);
    within(reply!).getByText(/fn main\(\) \{\}/);
    await expectAccessible();
    await click(/^Search.*fn main/);
    await gone(() => within(reply!).queryByText(/fn main\(\) \{\}/));

    // Another answer hangs on the question, and not on a result.
    await click("Answer again");
    await screen.findByRole("group", { name: "Version 2 of 2" });
    await click("Previous version");
    await screen.findByRole("group", { name: "Version 1 of 2" });
    expect(screen.getAllByRole("article")).toHaveLength(2);
  });

  it("shows its steps with tokens beside what the reply saw", async () => {
    await start([{ calls: [read("a.rs"), read("gone.rs")] }]);
    await ask("Read it");
    await ended();
    // A failure is open at once.
    await screen.findByText(/gone\.rs.*(not exist|no such|not found)/i);
    act(() => void runAction("sawReply"));
    fireEvent.click(await screen.findByText("4 steps"));
    const table = within(await screen.findByRole("table"));
    expect(table.getAllByRole("rowheader").map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/test-1/),
      expect.stringMatching(/a\.rs$/),
      expect.stringMatching(/gone\.rsFailed$/),
      expect.stringMatching(/test-1/),
    ]);
    expect(table.getAllByText(/^[\d.]+k → /)).toHaveLength(2);
    await expectAccessible();
  });

  it("shows what each call of the model was sent", async () => {
    const { host, conversation } = await start([{ calls: [read("a.rs")] }, { calls: [read("b.rs")] }]);
    await ask("Read both");
    await ended();
    const asked = vi.spyOn(host, "invoke");
    act(() => void runAction("sawReply"));
    const list = await screen.findByRole("combobox", { name: "Request of the turn" });
    await waitFor(() => expect(list.textContent).toBe("Call 3 of 3 of the model"));
    expect(asked.mock.calls.some(([command]) => command === "call_sent")).toBe(false);
    fireEvent.keyDown(list, { key: "ArrowDown" });
    const first = await screen.findByRole("option", { name: "Call 1 of 3 of the model" });
    fireEvent.pointerDown(first, { pointerType: "mouse", buttons: 1 });
    fireEvent.click(first);
    const { messages } = await host.invoke("conversation_page", { id: conversation.id, start: null, limit: 10 });
    const { turn_id, nodes } = await host.invoke("run_get", { id: messages[0]!.turn_id! });
    const { id: node_id } = nodes.find(({ kind }) => kind === "model")!;
    await waitFor(() => expect(asked).toHaveBeenCalledWith("call_sent", { turn_id, node_id }));
    await screen.findByText("Call 1 of 3 of the model", { selector: "[role=combobox] *" });
    await expectAccessible();
  });

  it("of 200 calls stays few nodes, and begins where it begins", async () => {
    const reads = Array.from({ length: 20 }, (_, step): Step => {
      const calls = Array.from({ length: 10 }, (_, n) => ({ name: "read_file", arguments: { path: "a.rs", limit: step * 10 + n + 1 } }));
      return { thought: `Thought ${step}`, calls };
    });
    const { host, conversation } = await start(reads);
    await ask("Read everything");
    await host.settled(conversation.id);
    await screen.findByRole("button", { name: "Read 200 files" });
    await screen.findByText("All done.");
    expect(screen.getByRole("log").querySelectorAll("*").length).toBeLessThan(200);
    act(() => usePlace.setState({ conversationId: null }));
    await gone(() => screen.queryByRole("log"));
    act(() => goToConversation(conversation));
    await screen.findByRole("button", { name: "Read 200 files" });
    expect(screen.getAllByRole("article")).toHaveLength(2);
  });

  it("that ended at a limit says which, and goes on", async () => {
    const { host } = await start([1, 2, 3].map((limit) => ({ text: "So far", calls: [{ name: "read_file", arguments: { path: "a.rs", limit } }] })));
    const { tools } = await host.settings();
    await host.change({ tools: { ...tools, max_rounds: 2 } });
    await ask("Go");
    await ended();
    await screen.findByText("The model asked for tools as often as it may in one turn.");
    await button("Continue");
  });

  it("is found by what a tool answered, and opens there", async () => {
    const calls = [read("a.rs"), read("b.rs"), read("c.rs")];
    const { host, conversation } = await start([{ calls }]);
    await ask("Read all three");
    await ended();
    const { messages } = await host.invoke("conversation_page", { id: conversation.id, start: null, limit: 60 });
    const result = messages.find(({ parts }) => parts.some((part) => part.type === "tool_result" && part.text.includes("the needle")))!;
    await gone(() => screen.queryByText(/the needle/));
    act(() => jumpTo(conversation.id, { messageId: result.id }));
    await screen.findByText(/the needle/);
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset.row).toBe(messages[1]!.id));
  });

  it("shows its tools and results in what a request holds, by their names", async () => {
    await start([{ calls: [read("a.rs")] }]);
    await ask("Read it");
    await ended();
    const pane = within(screen.getByRole("complementary", { name: "Context" }));
    await push(pane.findByRole("button", { name: /^Turn 1/, expanded: false }));
    await pane.findByText("Read a file a.rs");
    await pane.findByText(/of a\.rs/);
  });

  it("reads on in a long result, as far as the person wants", async () => {
    const whole = Array.from({ length: 900 }, (_, n) => `line ${n + 1} ${"of many words ".repeat(20)}`.trim()).join("\n");
    await start([{ calls: [command("cat long.log")] }], { more: { "long.log": `${whole}\n` } });
    await ask("Read it");
    await card();
    await pressed("KeyY", () => !has("group", CARD));
    await ended();
    await click(/cat long\.log/);
    await screen.findAllByText(/in 90\d lines/);
    await click("Show the whole");
    const text = await screen.findByLabelText("The whole result");
    const shown = () => text.textContent.split("\n").length;
    expect(shown()).toBe(400);
    await click(/^Read on, 50\d lines left/);
    await click(/^Read on, 10\d lines left/);
    await waitFor(() => expect(text.textContent).toContain(whole));
    await gone(() => screen.queryByRole("button", { name: /^Read on/ }));
  });
});

describe("an approval", () => {
  it("shows the change, takes the focus of an empty composer, and is given with Y on a Korean keyboard", async () => {
    const journey = await start([{ text: "I change it.", calls: [EDIT] }]);
    await ask("Change it");
    const asked = await card();
    // A key that was on its way to the composer says nothing; one that comes after the card was seen does.
    press(asked, "KeyY");
    expect(await waiting(journey)).toHaveLength(1);
    expect(asked.textContent).toContain("Change src/auth.rs");
    const lines = within(asked).getByLabelText("The change");
    expect(lines.textContent).toMatch(/- two.*\+ 2/s);
    await waitFor(() => expect(document.activeElement).toBe(asked));
    await waitFor(() => expect(said()).toBe("Approval needed: src/auth.rs"));
    await expectAccessible();
    // Nothing is done while nobody answers.
    expect(journey.files["src/auth.rs"]).toContain("two");
    await pressed("KeyY", async () => (await waiting(journey)).length === 0);
    await screen.findByText("All done.");
    await ended();
    expect(journey.files["src/auth.rs"]).toContain("2");
    await gone(() => screen.queryByRole("group", { name: /^Change / }));

    await click(/src\/auth\.rs/);
    await screen.findByText(/^(Changed|Replaced|Wrote)/);
    await expectAccessible();
    await click("Checkpoint before this");
    const { items } = await journey.host.invoke("checkpoint_list", { project_id: journey.projectId, before: null, limit: 10 });
    expect(usePlace.getState().checkpoints?.id).toBe(items.find(({ reason }) => reason.code === "before_tool")!.id);
  });

  it("leaves the focus to who is writing", async () => {
    await start([{ calls: [command("ls")] }]);
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
    await gone(() => screen.queryByRole("log"));
    act(() => usePlace.setState({ conversationId }));
    expect((await screen.findByRole<HTMLInputElement>("textbox", { name: /^What should it do instead/ })).value).toBe("Use make clean");
    await expectAccessible();
    await click("Say no");
    await ended();
    const line = await row(/rm -rf build.*Not allowed/);
    fireEvent.click(line);
    await screen.findByText(/Use make clean$/);
  });

  it("shows what cannot be seen in a command", async () => {
    await start([{ calls: [command("echo safe \u202e; curl evil\u200b.example")] }]);
    await ask("Go");
    const asked = await card();
    expect(within(asked).getByLabelText("The command", { selector: "pre" }).textContent).toBe("echo safe U+202E; curl evilU+200B.example");
  });

  it("is given for good: for files of a pattern, for exactly this, for a tool; and refused for good", async () => {
    const { host, projectId } = await start((question) => [{ calls: [question === "Edit" ? EDIT : command(question)] }]);
    await ask("Edit");
    await pressed("KeyA", () => has("radio", /./));
    await screen.findByRole("radio", { name: "Files that match src/auth.rs" });
    fireEvent.click(screen.getByRole("radio", { name: "Files that match a pattern of mine" }));
    const own = await screen.findByRole("textbox", { name: "Pattern" });
    fireEvent.change(own, { target: { value: "" } });
    expect((await button("Allow always")).hasAttribute("disabled")).toBe(true);
    fireEvent.change(own, { target: { value: "src/*.rs" } });
    await expectAccessible();
    await armed();
    await click("Allow always");
    await ended();

    await ask("make");
    await pressed("KeyA", () => has("radio", /./));
    expect((await screen.findByRole<HTMLInputElement>("radio", { name: "Exactly this command" })).checked).toBe(true);
    await armed();
    await click("Allow always");
    await ended();

    await ask("make test");
    await pressed("KeyA", () => has("radio", /./));
    fireEvent.click(await screen.findByRole("radio", { name: /whatever it is about$/ }));
    await screen.findByText("It could then do anything of its kind without asking you.");
    fireEvent.keyDown(document.activeElement!, { key: "Escape" });
    await armed();
    await click("Never in this project");
    await ended();
    const { rules } = await host.invoke("tool_panel", { project_id: projectId });
    expect(rules.map(({ tool, scope, verdict }) => [tool, scope, verdict])).toEqual([
      ["edit_file", { kind: "paths", pattern: "src/*.rs" }, "allow"],
      ["run_command", { kind: "command", line: "make" }, "allow"],
      ["run_command", { kind: "tool" }, "deny"],
    ]);
  });

  it("that answers another call than was shown does nothing, and says so", async () => {
    const { host, conversation } = await start([{ calls: [command("ls")] }]);
    await ask("List");
    const asked = await card();
    const [shown] = await waiting({ host, conversation });
    host.instead("approval_list", async () => [{ ...shown!, command: "ls; rm -rf /", hash: "other" }]);
    // The answer to what was shown comes after another call took its place.
    host.failing("approval_answer", { code: "conflict", message: "what waits is another call" });
    within(asked).getByText("ls");
    await pressed("KeyY", () => screen.queryByText(/^What waits changed meanwhile/) !== null);
    await screen.findByText("ls; rm -rf /");
    expect(await waiting({ host, conversation })).toHaveLength(1);
  });

  it("that is never answered ends with the turn: interrupted, and nothing is made up", async () => {
    await start([{ text: "I would run it.", calls: [command("make")] }]);
    await ask("Run it");
    await card();
    await click("Stop");
    await ended();
    fireEvent.click(await row(/make.*Interrupted/));
    await screen.findByText("Stopped by the person before it was done.");
    await button("Continue");
    await expectAccessible();
  });

  /** A server that the project trusts. */
  const before = async (host: Host, project_id: string) => {
    const ref = { project_id, name: "files" };
    await host.invoke("mcp_set", { ...ref, transport: mcp([{ name: "put" }]), on: true });
    const { fingerprint } = await host.invoke("mcp_test", ref);
    await host.invoke("mcp_trust", { ...ref, fingerprint, instructions: "" });
  };

  it("of a server shows the very numbers and letters that it gets, and none that cannot be seen", async () => {
    const id = "1234567890123456789";
    const given = `{"channel_id": ${id}, "share": 1e2, "to": "safe\u202etxt.exe\udb40\udc41\ufe0f\u00ad"}`;
    await start([{ calls: [{ name: "mcp__files__put", arguments: given }] }], { before });
    await ask("Put it there");
    const shown = within(await card()).getByLabelText("What was asked", { selector: "pre" });
    const lines = ["{", `  "channel_id": ${id},`, '  "share": 100.0,', '  "to": "safeU+202Etxt.exeU+E0041U+FE0FU+00AD"', "}"];
    expect(shown.textContent).toBe(lines.join("\n"));
    screen.getByText(/^It contains characters that cannot be seen/);
    await pressed("KeyY", () => !has("group", CARD));
    await ended();
    await click(/Used put|put/);
    await screen.findByText((text) => text.includes(`"channel_id": ${id}`), { selector: "pre *, pre" });
  });

  it("answers nothing but what was read: neither a second key, nor a held one, nor a click that began before", async () => {
    const journey = await start([{ calls: [command("ls"), command("make"), command("pwd")] }]);
    await ask("Run them");
    const first = await armed();
    // A click that began before this card could be answered is none.
    fireEvent.click(within(first).getByRole("button", { name: /^Allow once/ }), { detail: 1 });
    expect(await waiting(journey)).toMatchObject([{ command: "ls" }]);
    const front = await armed();
    fireEvent.pointerDown(within(front).getByRole("button", { name: /^Allow once/ }));
    fireEvent.click(within(front).getByRole("button", { name: /^Allow once/ }), { detail: 1 });
    const next = async (line: string) => {
      await waitFor(async () => expect(await waiting(journey)).toMatchObject([{ command: line }]));
      return screen.findByText(line, { selector: "[data-approval] pre *, [data-approval] pre" });
    };
    await next("make");
    const second = await card();
    // In the same place, the moment it is there.
    fireEvent.pointerDown(within(second).getByRole("button", { name: /^Allow once/ }));
    fireEvent.click(within(second).getByRole("button", { name: /^Allow once/ }), { detail: 2 });
    fireEvent.click(within(second).getByRole("button", { name: /^Allow once/ }));
    press(second, "KeyY");
    // And once it may be answered: neither the click that began before, nor the key that is held.
    await armed();
    fireEvent.click(within(second).getByRole("button", { name: /^Allow once/ }), { detail: 1 });
    await armed();
    fireEvent.keyDown(second, { key: "y", code: "KeyY", repeat: true });
    expect(second.dataset.armed).toBe("false");
    await armed();
    // A window that comes back to the front shows it anew.
    fireEvent(window, new Event("focus"));
    press(second, "KeyY");
    expect(await waiting(journey)).toMatchObject([{ command: "make" }]);
    await pressed("KeyY", async () => (await waiting(journey))[0]?.command === "pwd");
    await next("pwd");
    await pressed("KeyY", async () => (await waiting(journey)).length === 0);
    await ended();
  });

  it("draws all that it asks for before it is given", async () => {
    const text = Array.from({ length: 900 }, (_, n) => `line ${n + 1}\n`).join("");
    const journey = await start([{ calls: [{ name: "write_file", arguments: { path: "long.txt", text } }] }]);
    await ask("Write it");
    const asked = await armed();
    const drawn = () => within(asked).getByLabelText("The change").textContent.includes("line 900");
    expect(drawn()).toBe(false);
    press(asked, "KeyY");
    await waitFor(() => expect(drawn()).toBe(true));
    expect(await waiting(journey)).toHaveLength(1);
    await pressed("KeyY", async () => (await waiting(journey)).length === 0);
    await ended();
    expect(journey.files["long.txt"]).toBe(text);
  });

  it("of a server shows all of its arguments", async () => {
    const call: Call = { name: "mcp__files__put", arguments: { to: "s3://bucket", body: { a: [1, 2] } } };
    await start([{ calls: [call] }], { before });
    await ask("Put it there");
    const asked = await card();
    expect(asked.textContent).toContain("Ask the server files");
    expect(JSON.parse(within(asked).getByLabelText("What was asked", { selector: "pre" }).textContent!)).toEqual(call.arguments);
  });
});

describe("what waits elsewhere", () => {
  it("is known of a conversation that was never opened here", async () => {
    const { host, conversation } = await start([{ calls: [command("make")] }]);
    const other = await host.invoke("conversation_create", { project_id: conversation.project_id });
    await host.invoke("send", { conversation_id: other.id, text: "Run it", attachments: [] });
    await screen.findByRole("img", { name: "waits for your answer" });
    expect(said()).toBe("Approval needed: make");
    await waitFor(() => expect(document.title).toBe("(1) Siltstone"));
    await host.invoke("stop", { id: other.id });
    await gone(() => screen.queryByRole("img", { name: "waits for your answer" }));
    await waitFor(() => expect(document.title).toBe("Siltstone"));
  });

  it("is marked in the list and in the title, and told to who looks away, in Korean too", async () => {
    vi.spyOn(document, "hasFocus").mockReturnValue(false);
    const { host, conversation } = await start([{ calls: [command("make")] }]);
    await ask("Run it");
    await card();
    await waitFor(() => expect(host.opened).toEqual(["Run it: Approval needed: make"]));
    const other = await host.invoke("conversation_create", { project_id: conversation.project_id });
    vi.spyOn(document, "hasFocus").mockReturnValue(true);
    act(() => setLanguage("ko"));
    act(() => goToConversation(other));
    await screen.findByRole("img", { name: "답을 기다려요" });
    await waitFor(() => expect(document.title).toBe("(1) Siltstone"));
    await expectAccessible();
    act(() => goToConversation(conversation));
    await screen.findByRole("group", { name: "프로젝트에서 명령 실행하기" });
    await waitFor(() => expect(document.title).toBe("Siltstone"));
    await armed(/^프로젝트에서 명령/);
    await click(/^이번만 허용/);
    await gone(() => screen.queryByRole("img", { name: "답을 기다려요" }));
    await screen.findByText("All done.");
    await expectAccessible();
  });
});

describe("what a turn changed in files", () => {
  const WRITE: Call = { name: "write_file", arguments: { path: "new.md", text: "new\n" } };
  const bar = () => screen.findByRole("group", { name: "Files that this reply changed" });
  const taken = (name: RegExp) => screen.findByRole<HTMLInputElement>("checkbox", { name });

  /** A turn that changed one file and made another. */
  async function changed() {
    const journey = await start([{ calls: [EDIT, WRITE] }]);
    await ask("Change it");
    await pressed("KeyY", () => journey.files["src/auth.rs"]!.includes("2"));
    await pressed("KeyY", () => journey.files["new.md"] !== undefined);
    await screen.findByText("All done.");
    await ended();
    return journey;
  }

  it("is listed under the reply, and what is marked is taken back and put again", async () => {
    const { files } = await changed();
    expect((await bar()).textContent).toMatch(/2 files.*\+2−1/);
    await expectAccessible();
    await click("Review");
    const dialog = await screen.findByRole("dialog", { name: "What this reply changed" });
    const change = await within(dialog).findByRole("group", { name: "src/auth.rs" });
    expect(change.textContent).toMatch(/- two.*\+ 2/s);
    expect(within(dialog).getByRole<HTMLButtonElement>("button", { name: "Take back in 0 files" }).disabled).toBe(true);
    await expectAccessible();
    fireEvent.click(await taken(/^Take back: src\/auth.rs/));
    await click("Take back in 1 file");
    // The way back goes after a while: it is taken first.
    const way = await screen.findByRole("button", { name: "Undo" });
    screen.getByText("Taken back in 1 file.");
    expect(files["src/auth.rs"]).toContain("two");
    expect(files["new.md"]).toBe("new\n");
    fireEvent.click(way);
    await waitFor(() => expect(files["src/auth.rs"]).not.toContain("two"));
  });

  it("is undone whole, and says so", async () => {
    const { files } = await changed();
    await click("Undo turn");
    const dialog = await screen.findByRole("dialog", { name: "Undo this turn" });
    await waitFor(() => {
      const boxes = within(dialog).getAllByRole<HTMLInputElement>("checkbox");
      expect(boxes.map(({ checked }) => checked)).toEqual([true, true]);
    });
    fireEvent.click(within(dialog).getByRole("button", { name: "Undo turn" }));
    await waitFor(() => expect(files["src/auth.rs"]).toContain("two"));
    await waitFor(() => expect(files["new.md"]).toBeUndefined());
    await waitFor(async () => expect((await bar()).textContent).toContain("Taken back"));
    await gone(() => screen.queryByRole("button", { name: "Undo turn" }));
  });

  it("leaves alone what the person changed since", async () => {
    const { files } = await changed();
    files["src/auth.rs"] = "one\nmine\nthree\n";
    await click("Undo turn");
    await screen.findByText("Changed since, stays");
    await expectAccessible();
    await click("Take back in 1 file");
    await waitFor(() => expect(files["new.md"]).toBeUndefined());
    expect(files["src/auth.rs"]).toBe("one\nmine\nthree\n");
    await shut();

    await click("Review");
    fireEvent.click(await taken(/^The whole file as it was before/));
    await click("Take back in 1 file");
    await waitFor(() => expect(files["src/auth.rs"]).toBe("one\ntwo\nthree\n"));
  });
});
