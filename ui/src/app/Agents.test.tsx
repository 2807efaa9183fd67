// Agents through the whole interface: found or connected by their command, never asked for a key; what they are told and
// what they read besides; what they ask leave for, did without asking, and why they did not answer. A real program that
// speaks the protocol is started.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type FoundServer, type ModelInfo } from "@/ipc";
import { agent, startHost, type Host, type HostOptions } from "@/test/host";
import { button, click, ended, expectAccessible, field, gone, push, startAfresh } from "@/test/journey";
import { goToConversation, openOverlay, runAction, showContext, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const NAME = "Claude Code";
const ROOT = "/home/ada/aurora";
const OWN: ModelInfo = {
  id: "default", context_window: null, window_guessed: false, takes_images: false, takes_files: false, takes_tools: false, price: null,
};
const FOUND: FoundServer = { name: NAME, kind: "agent", base_url: agent(), models: [OWN] };
const NOTE = /^This is what Siltstone gives Claude Code\. What the agent reads by itself is not in this list/;

/** The program with its window, and agents that are found on this computer. */
async function start(options: HostOptions = {}, found: FoundServer[] = []): Promise<Host> {
  const host = await startHost({ folders: { [ROOT]: { "a.txt": "one\n" } }, ...options });
  host.instead("provider_discover", () => found);
  setTransport(host);
  render(<App />);
  await screen.findByText(/^(Drop a project folder here|프로젝트 폴더를 여기에 놓으세요)$/);
  return host;
}

/** An agent is the default, and a conversation of a project is open. One that was tested has said what it offers. */
async function working(command = agent(), { tested = false, ...options }: HostOptions & { tested?: boolean } = {}): Promise<Host> {
  const host = await startHost({ folders: { [ROOT]: { "a.txt": "one\n", "b.txt": "two\n" } }, ...options });
  await host.invoke("provider_add", { name: NAME, kind: "agent", base_url: command });
  if (tested) await host.invoke("provider_models", { name: NAME });
  await host.invoke("provider_default", { provider: NAME, model: OWN.id });
  setTransport(host);
  const { id: project_id } = await host.open(ROOT);
  const conversation = await host.invoke("conversation_create", { project_id });
  render(<App />);
  act(() => goToConversation(conversation));
  await field();
  return host;
}

const providers = async (host: Host) =>
  (await host.invoke("provider_list", null)).flatMap(({ name, kind, base_url }) => (kind === "offline" ? [] : [{ name, kind, base_url }]));

async function choose(list: string, option: string) {
  fireEvent.keyDown(await screen.findByRole("combobox", { name: list }), { key: "ArrowDown" });
  const found = await screen.findByRole("option", { name: option });
  fireEvent.pointerDown(found, { pointerType: "mouse", buttons: 1 });
  fireEvent.click(found);
}

/** Has the agent do this, a line each. */
async function does(...lines: string[]) {
  fireEvent.input(await field(), { target: { value: lines.join("\n") } });
  await click("Send");
  await waitFor(async () => expect((await field()).value).toBe(""));
}

const write = (name: string, value: string) => fireEvent.change(screen.getByRole("textbox", { name }), { target: { value } });
const key = (name: string) => screen.queryByLabelText(name, { selector: "input" });

/** The card, once it may be answered. */
const asked = (name: string) =>
  waitFor(() => {
    const card = screen.getByRole("group", { name });
    expect(card.dataset.armed).toBe("true");
    return within(card);
  });

describe("an agent", () => {
  it("is connected by its command, and asked for no key", async () => {
    const host = await start();
    await click("Connect a model");
    await click("Another address, or an agent");
    await choose("Format", "Agent");
    await gone(() => key("API key"));
    const command = screen.getByRole<HTMLInputElement>("textbox", { name: "Command" });
    expect(command).toMatchObject({ placeholder: "claude-agent-acp", inputMode: "text" });
    screen.getByText(/started by exactly this command .* as from your terminal and with your login/);
    expect(await button("Test")).toHaveProperty("disabled", true);
    await expectAccessible();
    // What belongs to a command stays in it.
    write("Command", ` ${agent("--models", "big,small/")} `);
    await click("Test");
    await screen.findByText("python3 starts and answers", { selector: "p" });
    expect(await providers(host)).toEqual([{ name: "python3", kind: "agent", base_url: agent("--models", "big,small/") }]);
    await choose("Model", "small/");
    await choose("Model", "Its own choice");
    await expectAccessible();
    await click("Use this agent");
    await screen.findByText("Answers come from python3.");
    expect(await host.settings()).toMatchObject({ default_provider: "python3", default_model: "default" });
  });

  it("is named by its program and leaves nothing behind when it does not start, also in Korean", async () => {
    const host = await start({ language: "ko", settings: { language: "ko" } });
    await click("모델 연결");
    await click("다른 주소나 에이전트");
    await choose("형식", "에이전트");
    await gone(() => key("API 키"));
    write("명령", '"/opt/my agents/no-such-agent" --acp');
    await click("확인");
    await screen.findByText("에이전트를 시작할 수 없었어요.");
    screen.getByText("추가한 것은 없어요.");
    await gone(() => screen.queryByRole("button", { name: "키 입력" }));
    expect(await providers(host)).toEqual([]);
    await expectAccessible();
    await click("그래도 추가");
    await screen.findByText("no-such-agent에 연결했어요. 아직 확인하지는 않았어요.");
    expect(await providers(host)).toMatchObject([{ name: "no-such-agent", base_url: '"/opt/my agents/no-such-agent" --acp' }]);
  });

  it("keeps no key that was pasted before", async () => {
    await start();
    await click("Connect a model");
    fireEvent.input(key("API key")!, { target: { value: "sk-ant-api03-0123456789abcdefc3f9" } });
    await screen.findByText("Anthropic recognised");
    await click("Another address, or an agent");
    await choose("Format", "Agent");
    await gone(() => key("API key"));
    expect(await button("Test")).toHaveProperty("disabled", true);
    await choose("Format", "OpenAI-compatible");
    await waitFor(() => expect(key("API key")).toHaveProperty("value", ""));
    screen.getByText("The key itself tells whose it is.");
  });

  it("that is on this computer is connected with one press", async () => {
    const host = await start({}, [FOUND]);
    await click("Connect a model");
    const found = within(await screen.findByRole("region", { name: "On this computer" }));
    await found.findByText("Agent");
    found.getByText(FOUND.base_url);
    await gone(() => found.queryByText("1 model"));
    await expectAccessible();
    await push(found.findByRole("button", { name: "Connect Claude Code" }));
    await found.findByText("Its own choice");
    await gone(() => found.queryByRole("combobox"));
    await screen.findByText("Answers come from Claude Code.");
    expect(await providers(host)).toEqual([{ name: NAME, kind: "agent", base_url: FOUND.base_url }]);
  });

  it("is offered on the first screen by its name", async () => {
    await start({}, [FOUND]);
    await click("Use Claude Code");
    await screen.findByText("Answers come from Claude Code.");
    await click(/^Just talk/);
    await button("Model: Claude Code");
  });

  it("has a command in the settings, no key, and is tested there", async () => {
    const host = await working();
    act(() => openOverlay({ kind: "settings", tab: "models", provider: NAME }));
    const test = await button("Test Claude Code");
    const entry = within(test.closest("li")!);
    entry.getByText(agent());
    entry.getByText("Its own choice");
    entry.getByText(/^Agent ·/);
    await gone(() => entry.queryByRole("button", { name: /key/ }));
    await gone(() => entry.queryByText("No key yet"));
    fireEvent.click(test);
    await entry.findByText("It starts and answers. It chooses its model by itself.");
    await expectAccessible();
    await push(entry.findByRole("button", { name: "Remove Claude Code" }));
    const question = within(await screen.findByRole("dialog", { name: "Remove Claude Code?" }));
    question.getByText(/^The program stays on this computer/);
    await push(question.findByRole("button", { name: "Remove" }));
    await waitFor(async () => expect(await providers(host)).toEqual([]));
  });

  it("is chosen for a conversation without being started, and its models are asked for with a press", async () => {
    const host = await working(agent("--models", "big,small"), { model: {}, models: [{ id: "gemma" }], provider: { name: "Ollama" } });
    const started: string[] = [];
    host.instead("provider_models", ({ name }, real) => {
      started.push(name);
      return real();
    });
    await click("Model: Claude Code");
    const own = within(await screen.findByRole("region", { name: NAME }));
    await own.findByRole("button", { name: "Its own choice" });
    await screen.findByRole("button", { name: "gemma" });
    expect(started).toEqual(["Ollama"]);
    await expectAccessible();
    await push(own.findByRole("button", { name: "Ask Claude Code for its models" }));
    await push(own.findByRole("button", { name: "small" }));
    await button("Model: small");
    expect(started).toEqual(["Ollama", NAME]);
  });

  it("is offered for no work that is no answer", async () => {
    await working(agent(), { model: {}, models: [{ id: "gemma" }], provider: { name: "Ollama" } });
    act(() => openOverlay({ kind: "settings", tab: "tasks" }));
    await click("Plans: As the conversation");
    await button("gemma");
    await gone(() => screen.queryByRole("region", { name: NAME }));
  });
});

describe("a turn of an agent", () => {
  it("shows what Siltstone gives it, and says that it reads more by itself", async () => {
    const host = await working();
    act(() => showContext("next"));
    const pane = within(await screen.findByRole("complementary", { name: "Context" }));
    expect((await pane.findByText(NOTE)).closest("[role=alert]")).toBeNull();
    await pane.findByText(NAME);
    await expectAccessible();
    await does("read a.txt", "read b.txt", "read a.txt", "say Done.");
    await screen.findByText("Done.");
    await ended();
    await button("Read 3 files");
    // Its name stands for the model that it chose.
    await screen.findByText(NAME, { selector: "[data-row] *" });
    await click("What this reply saw");
    await waitFor(() => expect(usePlace.getState().contextOf).not.toBe("next"));
    await pane.findByText(NOTE);
    await pane.findByText(/, Claude Code$/);
    await expectAccessible();
    act(() => void host.change({ language: "ko" }));
    await pane.findByText(/^Siltstone이 Claude Code에 주는 내용이에요\./);
  });

  it("asks leave in its own name, is told why not, and what it may is a rule", async () => {
    const host = await working();
    await does("edit a.txt new", "run echo hello", "say Tried.");
    const card = await asked("Change a.txt");
    card.getByText("Claude Code says:");
    card.getByText("Edit a.txt");
    await expectAccessible();
    await push(card.findByRole("button", { name: /^No/ }));
    const note = await card.findByRole("textbox", { name: /^What should it do instead\? Claude Code is told when it is done/ });
    fireEvent.change(note, { target: { value: "say Asked." } });
    fireEvent.submit(note.closest("form")!);
    const command = await asked("Let Claude Code run a command");
    expect(command.getByLabelText("The command", { selector: "pre" }).textContent).toBe("echo hello");
    await push(command.findByRole("button", { name: /^Always/ }));
    fireEvent.click(await screen.findByRole("radio", { name: "Claude Code: run a command, whatever it is about" }));
    await asked("Let Claude Code run a command");
    await click("Allow always");
    await screen.findByText(/Asked\./, { selector: "p" });
    await ended();
    await button(/^Claude Code: edit ?Edit a\.txt ?Not allowed/);
    expect(host.files(ROOT)["a.txt"]).toBe("one\n");
    act(() => openOverlay({ kind: "settings", tab: "tools" }));
    await choose("Project", "aurora");
    await button("Forget the answer about “Claude Code: run a command”");
    act(() => void host.change({ language: "ko" }));
    await button("‘Claude Code: 명령 실행’에 대한 답 잊기");
  });

  it("shows what it changed without asking as such", async () => {
    const host = await working();
    await does("hidden b.txt after", "say Done.");
    await screen.findByText("Done.");
    await ended();
    await click("Review");
    const dialog = within(await screen.findByRole("dialog", { name: "What this reply changed" }));
    await dialog.findByText("by a command or an agent");
    dialog.getByText(/^A command ran or an agent worked in this turn\. What was changed without asking/);
    await expectAccessible();
    expect(host.files(ROOT)["b.txt"]).toBe("after");
  });

  it("leaves a record with its command, and nothing to copy as curl", async () => {
    await working();
    await does("say Done.");
    await screen.findByText("Done.");
    await ended();
    act(() => openOverlay({ kind: "settings", tab: "left" }));
    const row = within((await screen.findByText("ACP")).closest("tr")!);
    row.getByText(/python3/);
    await push(row.findByRole("button"));
    const sent = within(await screen.findByRole("dialog", { name: "What was sent" }));
    await sent.findByRole("button", { name: "Copy JSON" });
    await gone(() => sent.queryByRole("button", { name: "Copy as curl" }));
    await gone(() => sent.queryByText(/KEY/));
    await expectAccessible();
  });
});

describe("what an agent offers", () => {
  const tuned = async (host: Host) => (await host.invoke("conversation_get", { id: usePlace.getState().conversationId! })).tuning;

  it("is known once it was tested", async () => {
    const host = await working(agent("--commands", "review,init", "--modes", "auto,default,plan"));
    act(() => openOverlay({ kind: "settings", tab: "models", provider: NAME }));
    const test = await button("Test Claude Code");
    const entry = within(test.closest("li")!);
    await gone(() => entry.queryByText(/ modes$/));
    fireEvent.click(test);
    await entry.findByText("2 commands · 3 modes");
    await expectAccessible();
    act(() => void host.change({ language: "ko" }));
    await entry.findByText("명령 2개 · 모드 3개");
  });

  it("are commands, which are listed behind ours and go alone", async () => {
    const host = await working(agent("--commands", "review,init"), { tested: true });
    const composer = await field();
    // Only once the window knows the agent.
    await button("Model: Claude Code");
    fireEvent.input(composer, { target: { value: "/" } });
    const options = within(await screen.findByRole("listbox", { name: "Commands" })).getAllByRole("option");
    expect(options.slice(-3).map(({ textContent }) => textContent)).toEqual([
      "/decide Write a decision down",
      "/reviewwhatDoes reviewClaude Code",
      "/initwhatDoes initClaude Code",
    ]);
    await expectAccessible();
    fireEvent.keyDown(composer, { key: "ArrowUp" });
    fireEvent.keyDown(composer, { key: "ArrowUp" });
    fireEvent.keyDown(composer, { key: "Tab" });
    expect(composer.value).toBe("/review ");
    await gone(() => screen.queryByRole("listbox"));

    fireEvent.input(composer, { target: { value: "/review a.txt" } });
    act(() => showContext("next"));
    const pane = within(await screen.findByRole("complementary", { name: "Context" }));
    const alone = /^This is a command of the agent's: it reads this message alone/;
    await pane.findByText(alone);
    expect(pane.getAllByText("A command of the agent's, which goes alone").length).toBeGreaterThan(0);
    const line = within(screen.getByRole("group", { name: "Next request" }));
    await waitFor(() =>
      expect(line.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(["You", "A command of the agent's, which goes alone"]),
    );
    await expectAccessible();
    await click("Send");
    await screen.findByText("review of 1: a.txt");
    await ended();
    await gone(() => pane.queryByText(alone));
    await click("What this reply saw");
    await pane.findByText(alone);
    act(() => void host.change({ language: "ko" }));
    await pane.findByText("에이전트의 명령이에요. 메모리와 앞선 대화 없이 이 메시지만 읽어요.");
  });

  it("are modes, one of which can be chosen for a conversation", async () => {
    const host = await working(agent("--modes", "auto,default,plan"), { tested: true });
    act(() => void runAction("tune"));
    const panel = within(await screen.findByRole("dialog", { name: "Settings of this conversation" }));
    const mode = await panel.findByRole("combobox", { name: "Mode" });
    expect(mode.textContent).toBe("Asks before it changes anything");
    const decides = /^In this mode the agent decides itself what it asks about\./;
    await gone(() => panel.queryByText(decides));
    await choose("Mode", "default");
    await waitFor(async () => expect((await tuned(host)).mode).toEqual({ agent: NAME, id: "default" }));
    await gone(() => panel.queryByText(decides));
    await choose("Mode", "plan");
    await panel.findByText(decides);
    await waitFor(async () => expect((await tuned(host)).mode).toEqual({ agent: NAME, id: "plan" }));
    await expectAccessible();
    fireEvent.keyDown(mode, { key: "Escape" });
    await button("Settings of this conversation: Mode plan");

    act(() => showContext("next"));
    const pane = within(await screen.findByRole("complementary", { name: "Context" }));
    await pane.findByText("The agent works in its mode “plan”.");
    await does("mode");
    await screen.findByText("In plan.");
    await ended();
    await click("What this reply saw");
    await pane.findByText("The agent worked in its mode “plan”.");

    await click("Settings of this conversation: Mode plan");
    await click("Back to the provider's defaults");
    await waitFor(async () => expect((await tuned(host)).mode).toBeNull());
    await does("mode");
    await screen.findByText("In default.");
  });

  it("is nothing to another agent, and a mode that is gone is said to be", async () => {
    const host = await working(agent("--modes", "auto,default"), { tested: true });
    await act(() => host.change({ language: "ko" }));
    const id = usePlace.getState().conversationId!;
    const chosen = async (agent: string) => host.invoke("conversation_tune", { id, tuning: { ...(await tuned(host)), mode: { agent, id: "plan" } } });
    await chosen("Codex");
    await click("이 대화의 설정");
    const panel = within(await screen.findByRole("dialog", { name: "이 대화의 설정" }));
    const mode = await panel.findByRole("combobox", { name: "모드" });
    expect(mode.textContent).toBe("바꾸기 전에 먼저 물어요");
    await gone(() => panel.queryByRole("button", { name: "제공자 기본값으로 되돌리기" }));
    fireEvent.keyDown(mode, { key: "Escape" });
    await gone(() => screen.queryByRole("dialog", { name: "이 대화의 설정" }));
    await chosen(NAME);
    await click("이 대화의 설정: 모드 plan");
    await waitFor(() => expect(screen.getByRole("combobox", { name: "모드" }).textContent).toBe("plan (이제 제공하지 않아요)"));
    await choose("모드", "바꾸기 전에 먼저 물어요");
    await waitFor(async () => expect((await tuned(host)).mode).toBeNull());
  });
});

describe("an agent that does not answer", () => {
  it("is to be logged in with its own program, and has no key", async () => {
    await working(agent("--login"));
    await does("say x");
    await screen.findByText("The agent is not logged in.");
    screen.getByText("Log in with the agent's own program, then try again.");
    await ended();
    await gone(() => screen.queryByRole("button", { name: "Enter key" }));
    await button("Try again");
    await expectAccessible();
  });

  it("could not be started: its command is in the settings", async () => {
    await working("no-such-agent --acp");
    await does("say x");
    await screen.findByText("The agent could not be started.");
    await button("Use another model");
    await click("Model settings");
    await button("Test Claude Code");
  });

  it("has reached its limit: another model may answer, also in Korean", async () => {
    const host = await working();
    await does("limit");
    await screen.findByText("The agent has reached its limit.");
    await button("Use another model");
    act(() => void host.change({ language: "ko" }));
    await screen.findByText("에이전트의 한도에 닿았어요.");
  });

  it("is not started where only this computer may be asked", async () => {
    const host = await working();
    await act(() => host.change({ this_computer_only: true }));
    await does("say x");
    await screen.findByText("An agent may send what it reads elsewhere.");
    await button("Privacy settings");
  });
});
