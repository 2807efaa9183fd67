// What models may call and do, servers that bring more, lines they propose to remember and plans they make: through the
// whole interface on the fake host.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setTransport, type McpTested, type McpTransport } from "@/ipc";
import { createFake, type Fake } from "@/ipc/fake";
import { listed } from "@/ipc/fake/model";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { goToConversation, goToMemory, openOverlay, showProject, toggleSide, type SettingsTab } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";

async function start(
  tab: SettingsTab | null,
  before: (fake: Fake, projectId: string) => void = () => {},
  { language = "en", trust = "trusted" }: { language?: "en" | "ko"; trust?: "trusted" | "untrusted" } = {},
) {
  const fake = createFake({ folders: { [ROOT]: { files: { "a.txt": "one\n" } } }, settings: { language } });
  setTransport(fake);
  const { id: projectId } = await fake.invoke("project_open", { path: ROOT, trust, this_computer_only: null });
  before(fake, projectId);
  showProject(projectId);
  render(<App />);
  if (tab) act(() => openOverlay({ kind: "settings", tab }));
  return { fake, projectId, tools: fake.state.tools };
}

const toggle = async (name: string | RegExp) => fireEvent.click(await screen.findByRole("switch", { name }));
const fill = async (name: string | RegExp, value: string) =>
  fireEvent.change(await screen.findByRole("textbox", { name }), { target: { value } });
const rest = async (name: string, value: string) => {
  await fill(name, value);
  fireEvent.blur(screen.getByRole("textbox", { name }));
};

describe("the page of tools", () => {
  it("withholds single tools, and all of them", async () => {
    const { fake } = await start("tools");
    await toggle("Search in files");
    await waitFor(() => expect(fake.state.settings.tools.off).toEqual(["search_files"]));
    expect(screen.getByRole("switch", { name: "Read a file" })).toHaveProperty("ariaChecked", "true");
    await expectAccessible();
    await toggle("Search in files");
    await waitFor(() => expect(fake.state.settings.tools.off).toEqual([]));
    await toggle("Offer tools to models");
    await waitFor(() => expect(fake.state.settings.tools.on).toBe(false));
    await screen.findByText(/can do nothing/);
  });

  it("lets commands run in a trusted project, and says what keeps them inside it", async () => {
    const { projectId, tools } = await start("tools");
    await screen.findByText(/can write only inside the project's folder/);
    await toggle("Let models run commands in this project");
    await waitFor(() => expect([...tools.allowed]).toEqual([projectId]));
    await toggle("Let models run commands in this project");
    await waitFor(() => expect(tools.allowed.size).toBe(0));
  });

  it("warns where nothing keeps commands inside, and offers none in a folder that is not trusted", async () => {
    const { tools } = await start("tools", ({ state }) => void (state.tools.sandbox = "none"), { trust: "untrusted" });
    await screen.findByText(/no way to keep commands inside the project/);
    await screen.findByText(/This folder is not trusted/);
    fireEvent.click(await screen.findByRole("switch", { name: "Let models run commands in this project" }));
    expect(tools.allowed.size).toBe(0);
  });

  it("keeps limits in the units it shows, and says which numbers can be taken", async () => {
    const { fake } = await start("tools");
    const limits = () => fake.state.settings.tools;
    await rest("Minutes in one turn", "90");
    await waitFor(() => expect(limits().max_seconds).toBe(5_400));
    await rest("Minutes in one turn", " ");
    await waitFor(() => expect(limits().max_seconds).toBe(0));
    await rest("Requests in one turn", "0");
    await screen.findByText("A whole number from 1 to 1,000.");
    expect(limits().max_rounds).toBe(40);
    await rest("Requests in one turn", "7");
    await waitFor(() => expect(limits().max_rounds).toBe(7));
    await rest("Tokens in one turn", "200000");
    await waitFor(() => expect(limits().max_tokens).toBe(200_000));
    await rest("Seconds for one command", "");
    await screen.findByText("A whole number from 1 to 3,600.");
    expect(limits().command_seconds).toBe(120);
  });

  it("forgets remembered answers; a “never” only after a question", async () => {
    const rule = { project_id: null, fingerprint: "f", created_at: "2026-11-20T10:00:00Z" };
    const { tools } = await start("tools", ({ state }) => {
      state.tools.rules = [
        { ...rule, id: "r1", tool: "edit_file", scope: { kind: "paths", pattern: "src/**" }, verdict: "allow" },
        { ...rule, id: "r2", tool: "run_command", scope: { kind: "command", line: "rm\u202e -rf x" }, verdict: "deny" },
      ];
    });
    await screen.findByText("src/**");
    // What does not show in a command is shown.
    expect((await screen.findByText("U+202E")).closest("code")?.textContent).toBe("rmU+202E -rf x");
    await expectAccessible();
    await click("Forget the answer about “Edit a file”");
    await waitFor(() => expect(tools.rules.map(({ id }) => id)).toEqual(["r2"]));
    await click("Undo");
    await screen.findByText("src/**");
    expect(tools.rules.map(({ id }) => id).sort()).toEqual(["r1", "r2"]);
    await click("Forget the answer about “Edit a file”");
    await waitFor(() => expect(tools.rules.map(({ id }) => id)).toEqual(["r2"]));
    await click("Forget the answer about “Run a command”");
    const dialog = within(await screen.findByRole("dialog", { name: /is never allowed/ }));
    expect(tools.rules).toHaveLength(1);
    fireEvent.click(dialog.getByRole("button", { name: "Forget" }));
    await waitFor(() => expect(tools.rules).toEqual([]));
  });

  it("chooses a model for work that is no answer, and none again", async () => {
    const { fake } = await start("tools", ({ state }) => {
      state.options.servers = [{ kind: "ollama", name: "ollama", base_url: "http://127.0.0.1:11434", models: [listed("gemma")] }];
      state.providers.push({ name: "ollama", kind: "ollama", base_url: "http://127.0.0.1:11434" });
    });
    await click("Plans: As the conversation");
    await click("gemma");
    await waitFor(() => expect(fake.state.settings.tasks).toEqual({ create_tree: { provider: "ollama", model: "gemma" } }));
    await click("Plans: gemma");
    await click("As the conversation");
    await waitFor(() => expect(fake.state.settings.tasks).toEqual({}));
  });

  it("reads in Korean", async () => {
    await start("tools", () => {}, { language: "ko" });
    await screen.findByRole("switch", { name: "파일 고치기" });
    await screen.findByText(/프로젝트 폴더 안과 임시 폴더에만/);
    await button("계획: 대화의 모델 그대로");
    await expectAccessible();
  });
});

const OFFERS: McpTested = {
  fingerprint: "print-1",
  tools: [{ name: "echo", description: "Echoes\u200b back", schema: {}, says_read_only: true }],
  instructions: "Always call echo first.\u2066",
  instructions_hash: "said-1",
};

const STDIO: McpTransport = { by: "stdio", command: "npx", args: ["-y", "@scope/server"], env: {}, secret_env: [] };

const withServer = (trusted: string, transport = STDIO, name = "files") => (fake: Fake, projectId: string) => {
  fake.state.tools.offers.set(name, OFFERS);
  fake.state.tools.servers.push({
    server: { project_id: projectId, name, transport, on: true, trusted, instructions_trusted: "" },
    trusted: trusted === "print-1",
    missing_secrets: [],
    fault: null,
    tools: trusted === "print-1" ? ["echo"] : [],
  });
};

describe("the page of servers", () => {
  it("asks for another place of a secret that an open keyring refuses; nothing typed is lost", async () => {
    const { fake, tools } = await start("servers", (fake) => {
      fake.state.keys.refuses = true;
    });
    await click("Add a server…");
    const form = within(await screen.findByRole("form", { name: "New server" }));
    await fill("Name", "files");
    await fill("Program", "npx");
    await fill("Secret variables", "API_KEY");
    const value = await form.findByLabelText<HTMLInputElement>("Value of API_KEY");
    fireEvent.input(value, { target: { value: "s3cret" } });
    const add = async () => {
      const button = form.getByRole<HTMLButtonElement>("button", { name: "Add" });
      await waitFor(() => expect(button.disabled).toBe(false));
      fireEvent.click(button);
    };
    await add();
    const choice = await form.findByRole("group", { name: "Where the key is kept" });
    within(choice).getByText("The keyring refuses to keep it.");
    await expectAccessible();
    fireEvent.click(within(choice).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(form.queryByRole("group", { name: "Where the key is kept" })).toBeNull());
    expect(value.value).toBe("s3cret");
    expect(tools.servers[0]?.missing_secrets).toEqual(["API_KEY"]);

    // What the form itself added does not stand in its way.
    const asked = vi.spyOn(fake, "invoke");
    await add();
    await click("For this session only");
    await screen.findByRole("dialog", { name: "Look at files" });
    expect(asked).toHaveBeenCalledWith("mcp_secret", expect.objectContaining({ variable: "API_KEY", place: "session" }));
    expect(tools.servers).toHaveLength(1);
    expect(tools.servers[0]?.missing_secrets).toEqual([]);
  });

  it("adds a program with its secrets, shows what would run, and trusts it after it was asked", async () => {
    const { projectId, tools } = await start("servers", ({ state }) => void state.tools.offers.set("files", OFFERS));
    await screen.findByText("No server yet.");
    await click("Add a server…");
    const form = await screen.findByRole("form", { name: "New server" });
    const add = () => fireEvent.click(within(form).getByRole("button", { name: "Add" }));
    add();
    await within(form).findByText(/1 to 32 letters/);
    await fill("Name", "files");
    add();
    await within(form).findByText("This is needed.");
    await fill("Program", "npx");
    await fill("Arguments", "-y\n@scope/server one\u202e\n");
    await fill("Variables", "API_KEY=x\nLOG=1");
    await within(form).findByText(/API_KEY: this reads like a secret/);
    await fill("Variables", "LOG=1");
    await fill("Secret variables", "API_KEY");
    fireEvent.input(await within(form).findByLabelText("Value of API_KEY"), { target: { value: "s3cret" } });
    await expectAccessible();
    add();

    const dialog = within(await screen.findByRole("dialog", { name: "Look at files" }));
    expect(tools.servers.map(({ server }) => server)).toMatchObject([
      {
        project_id: projectId,
        name: "files",
        transport: { by: "stdio", command: "npx", args: ["-y", "@scope/server one\u202e"], env: { LOG: "1" }, secret_env: ["API_KEY"] },
      },
    ]);
    expect(tools.servers[0]?.missing_secrets).toEqual([]);
    expect(JSON.stringify(tools.servers)).not.toContain("s3cret");
    // All of it is there before anything runs, and what does not show is shown.
    dialog.getByText("U+202E");
    dialog.getByText("LOG=1");
    dialog.getByText(/can do whatever you can do/);
    expect(dialog.queryByRole("button", { name: "Trust it" })).toBeNull();
    await expectAccessible();
    fireEvent.click(dialog.getByRole("button", { name: "Start it and ask what it offers" }));
    await dialog.findByText("echo");
    dialog.getByText("U+200B");
    dialog.getByText("U+2066");
    await expectAccessible();
    // Its instructions take effect only where the person says so.
    expect(dialog.getByRole("checkbox")).toHaveProperty("checked", false);
    fireEvent.click(dialog.getByRole("button", { name: "Trust it" }));
    await waitFor(() => expect(tools.servers[0]?.server).toMatchObject({ trusted: "print-1", instructions_trusted: "" }));
    await screen.findByText("1 tool");

    await click("Look at files");
    await click("Start it and ask what it offers");
    fireEvent.click(await screen.findByRole("checkbox", { name: /Let models be told this/ }));
    await click("Keep trusting it");
    await waitFor(() => expect(tools.servers[0]?.server.instructions_trusted).toBe("said-1"));
  });

  it("asks for trust again after a change, and shows what changed", async () => {
    const { tools } = await start("servers", withServer("print-1"));
    await click("Edit files");
    await fill("Arguments", "-y\n@evil/server");
    await click("Save");
    const dialog = within(await screen.findByRole("dialog", { name: "Look at files" }));
    expect(tools.servers[0]?.trusted).toBe(false);
    expect(tools.servers[0]?.server.trusted).toBe("");
    const change = dialog.getByLabelText("Trusted before and now").textContent;
    expect(change).toContain("gone: Argument: @scope/server");
    expect(change).toContain("new: Argument: @evil/server");
    fireEvent.click(dialog.getAllByRole("button", { name: "Close" })[0]!);
    await screen.findByText(/Not as it was when you trusted it/);
    await expectAccessible();
  });

  it("says why a server cannot be reached, and does not offer to trust it", async () => {
    const { tools } = await start("servers", (fake, projectId) => {
      withServer("")(fake, projectId);
      fake.state.tools.offers.clear();
    });
    await screen.findByText(/Not trusted yet/);
    await click("Look at files");
    await click("Start it and ask what it offers");
    const dialog = within(await screen.findByRole("dialog", { name: "Look at files" }));
    await dialog.findByRole("alert");
    expect(dialog.queryByRole("button", { name: "Trust it" })).toBeNull();
    fireEvent.click(dialog.getAllByRole("button", { name: "Close" })[0]!);
    await screen.findByText(/it ended before it answered/);
    expect(tools.servers[0]?.trusted).toBe(false);
  });

  it("is switched off and removed, the latter after a question", async () => {
    const { tools } = await start("servers", withServer("print-1"));
    await toggle("Offer the tools of files");
    await waitFor(() => expect(tools.servers[0]?.server.on).toBe(false));
    await click("Remove files");
    const dialog = within(await screen.findByRole("dialog", { name: "Remove files?" }));
    fireEvent.click(dialog.getByRole("button", { name: "Remove" }));
    await screen.findByText("No server yet.");
    expect(tools.servers).toEqual([]);
  });

  it("lists those that the project's files name, and begins with what they say", async () => {
    const http: McpTransport = { by: "http", url: "https://example.org/mcp", secret_header: "Authorization" };
    const { tools } = await start("servers", ({ state }) => {
      state.tools.found = [{ path: ".mcp.json", name: "remote", transport: http, added: false }];
    });
    await click("Add remote…");
    const form = within(await screen.findByRole("form", { name: "New server" }));
    expect(form.getByRole("textbox", { name: "Name" })).toHaveProperty("value", "remote");
    expect(form.getByRole("textbox", { name: "Address" })).toHaveProperty("value", "https://example.org/mcp");
    expect(tools.servers).toEqual([]);
    fireEvent.click(form.getByRole("button", { name: "Add" }));
    await screen.findByText("Still needs: Authorization");
    expect(tools.servers[0]?.server.transport).toEqual(http);
  });

  it("names nothing of a folder that is not trusted", async () => {
    await start("servers", ({ state }) => {
      state.tools.found = [{ path: ".mcp.json", name: "remote", transport: STDIO, added: false }];
    }, { trust: "untrusted" });
    await screen.findByText("No server yet.");
    expect(screen.queryByText("remote")).toBeNull();
  });

  it("reads in Korean", async () => {
    await start("servers", withServer(""), { language: "ko" });
    await screen.findByText(/아직 믿지 않아서/);
    await click("files 살펴보기");
    await click("시작해서 무엇을 하는지 묻기");
    await button("믿기");
    await expectAccessible();
  });
});

describe("lines that models propose to remember", () => {
  async function proposed(language: "en" | "ko" = "en") {
    const item = { id: "i1", conversation_id: "c", message_id: "m", text: "Tests run with make test.", why: "You said so.", at: "2026-11-20T10:00:00Z" };
    const started = await start(null, ({ state }, projectId) => {
      state.tools.inbox = [
        { ...item, project_id: projectId, for_all_projects: false },
        { ...item, id: "i2", project_id: projectId, text: "Likes short answers.", why: "", for_all_projects: true },
      ];
    }, { language });
    act(() => goToMemory({ projectId: started.projectId, conversationId: null }));
    return started;
  }

  it("are remembered in the person's words, or not at all", async () => {
    const { fake, projectId, tools } = await proposed();
    await click("2 proposed");
    const [first, second] = await screen.findAllByRole("textbox", { name: "Line to remember" });
    expect(first).toHaveProperty("value", "Tests run with make test.");
    await screen.findByText("Because: You said so.");
    await expectAccessible();
    fireEvent.change(first!, { target: { value: "Run make test." } });
    fireEvent.click(screen.getAllByRole("button", { name: "Remember for this project" })[0]!);
    await waitFor(() => expect(tools.inbox.map(({ id }) => id)).toEqual(["i2"]));
    const lines = () => fake.state.memory.lines.filter(({ removed_at }) => removed_at === null);
    expect(lines().map(({ text, project_id }) => [text, project_id])).toEqual([["Run make test.", projectId]]);
    await screen.findByText("Remembered: Run make test.");
    await click("Undo");
    await waitFor(() => expect(lines()).toEqual([]));
    expect(second).toBeDefined();
    await click("Do not remember");
    await screen.findByText("Nothing is proposed.");
    expect(lines()).toEqual([]);
  });

  it("are told quietly, in Korean too", async () => {
    await proposed("ko");
    await click("제안 2개");
    await screen.findAllByRole("textbox", { name: "기억할 내용" });
    await expectAccessible();
  });
});

describe("a plan with the model", () => {
  const tree = (goal: string) => ({
    title: goal,
    steps: [
      { title: "Read", notes: "", acceptance: [], after: [] },
      { title: "Change", notes: "carefully", acceptance: ["tests pass"], after: [0] },
    ],
  });

  async function planned(language: "en" | "ko" = "en") {
    const started = await start(null, ({ state }) => void (state.tools.tree = tree), { language });
    const conversation = await started.fake.invoke("conversation_create", { project_id: started.projectId });
    act(() => goToConversation(conversation));
    const workflow = () => started.fake.invoke("workflow_get", { id: started.projectId });
    return { ...started, conversation, workflow };
  }

  async function make() {
    await click("No plan");
    await click("Plan with the model…");
    await fill("What is to be done", "rotate tokens");
    await click("Make a plan");
    await screen.findByRole("textbox", { name: "What is to be done in step 2" });
  }

  it("is edited and kept, and what was edited survives closing", async () => {
    const { workflow } = await planned();
    await make();
    await fill("What is to be done in step 1", "Read the code");
    // In a narrow window there is no rail, from which it was opened.
    act(() => toggleSide("rail", false));
    await waitFor(() => expect(screen.queryByRole("navigation", { hidden: true })).toBeNull());
    await click("Add a step");
    act(() => toggleSide("rail", true));
    await fill("What is to be done in step 3", "Tell");
    await expectAccessible();
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog", { name: "Plan with the model" })).toBeNull());
    expect((await workflow()).plans).toEqual([]);
    await click("No plan");
    await click("Plan with the model…");
    expect(await screen.findByRole("textbox", { name: "What is to be done in step 1" })).toHaveProperty("value", "Read the code");
    await click("Move step 3 up");
    await click("Keep as a plan only");
    await waitFor(async () => expect((await workflow()).plans).toHaveLength(1));
    const { plans, run } = await workflow();
    expect(run).toBeUndefined();
    const [plan] = plans;
    expect(plan?.title).toBe("rotate tokens");
    expect(plan?.tasks.map(({ title, depends_on }) => [title, depends_on.length])).toEqual([
      ["Read the code", 0],
      ["Tell", 0],
      ["Change", 1],
    ]);
    expect(plan?.tasks[2]).toMatchObject({ notes: "carefully", acceptance: ["tests pass"], depends_on: [plan?.tasks[0]?.id] });
  });

  it("is carried out, says where it stands, waits with the reason, and is ended", async () => {
    const { fake, projectId, workflow } = await planned();
    await make();
    await click("Carry it out");
    await click(/Task: Read.*under way/);
    const state = await screen.findByRole("region", { name: "The plan is carried out" });
    expect(state.textContent).toContain("Under way: Read");
    const session = fake.state.sessions.get(projectId)!;
    const criteria = [{ text: "tests pass", met: false, why: "two fail" }];
    session.workflow = { ...session.workflow, run: { ...session.workflow.run!, state: "waiting", why: { reason: "not_met", criteria } } };
    act(() => fake.state.emit({ type: "sessions" }));
    await within(state).findByText("two fail");
    await expectAccessible();
    await click("Go on");
    await waitFor(async () => expect((await workflow()).run?.state).toBe("asked"));
    await click("Stop carrying it out");
    await waitFor(async () => expect((await workflow()).run).toBeUndefined());
    expect((await workflow()).plans[0]?.tasks).toHaveLength(2);
  });

  it("says why none could be made, and keeps the goal", async () => {
    const { tools } = await planned();
    tools.tree = () => {
      throw { code: "model_needed", message: "offline", hint: "" };
    };
    await click("No plan");
    await click("Plan with the model…");
    await fill("What is to be done", "rotate tokens");
    await click("Make a plan");
    await screen.findByRole("alert");
    expect(screen.getByRole("textbox", { name: "What is to be done" })).toHaveProperty("value", "rotate tokens");
  });
});

describe("whether a reply did what was asked", () => {
  it("is judged when the person wants to know, and again", async () => {
    const { fake, projectId, tools } = await start(null);
    const conversation = await fake.invoke("conversation_create", { project_id: projectId });
    act(() => goToConversation(conversation));
    fireEvent.input(await screen.findByRole("textbox", { name: "Message" }), { target: { value: "fix the tests" } });
    await click("Send");
    tools.evaluation = { met: false, model: "gemma", criteria: [{ text: "fix the tests", met: false, why: "two fail" }] };
    await click("Check whether it did what was asked");
    await screen.findByText("Not everything is met");
    await screen.findByText("two fail");
    screen.getByText("judged by gemma");
    await expectAccessible();
    tools.evaluation = { met: true, model: "gemma", criteria: [{ text: "fix the tests", met: true, why: "" }] };
    await click("Check again");
    await screen.findByText("Did what was asked");
    expect(screen.queryByText("two fail")).toBeNull();
  });

  it("and what it proposes to remember stands under it", async () => {
    const { fake, projectId, tools } = await start(null, ({ state }) => {
      const call = { name: "remember", arguments: { text: "Says hello." }, result: "It waits for the person." };
      state.options.steps = () => [{ calls: [call] }];
    });
    const conversation = await fake.invoke("conversation_create", { project_id: projectId });
    act(() => goToConversation(conversation));
    fireEvent.input(await screen.findByRole("textbox", { name: "Message" }), { target: { value: "hello" } });
    await click("Send");
    await button("Check whether it did what was asked");
    const { messages } = await fake.invoke("conversation_page", { id: conversation.id, start: 0, limit: 10 });
    const message_id = messages.find(({ parts }) => parts.some(({ type }) => type === "tool_call"))!.id;
    const at = "2026-11-20T10:00:00Z";
    tools.inbox = [{ id: "i1", project_id: projectId, conversation_id: conversation.id, message_id, text: "Says hello.", why: "", for_all_projects: false, at }];
    act(() => fake.state.emit({ type: "tools" }));
    fireEvent.click(await screen.findByText("Proposed to remember (1)"));
    fireEvent.click(screen.getByRole("button", { name: "Remember for this project" }));
    await waitFor(() => expect(fake.state.memory.lines.map(({ text }) => text)).toEqual(["Says hello."]));
    await waitFor(() => expect(screen.queryByText("Proposed to remember (1)")).toBeNull());
  });
});
