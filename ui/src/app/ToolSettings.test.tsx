// What models may call and do, servers that bring more, lines they propose to remember and plans they make: through the
// whole interface.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setTransport, type AnswerApproval, type McpTransport, type Sandbox } from "@/ipc";
import { latch, mcpProgram, NODE, startHost, type Call, type Host, type HostOptions } from "@/test/host";
import { answered, button, click, expectAccessible, gone, push, startAfresh } from "@/test/journey";
import { goToConversation, goToMemory, openOverlay, showProject, toggleSide, type SettingsTab } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";

/** A server of tools, as a program that lies there. */
const SERVER = "/opt/server.mjs";
const OFFERS = [{ name: "echo", description: "Echoes\u200b back", annotations: { readOnlyHint: true } }];

interface Options extends HostOptions {
  trust?: "trusted" | "untrusted";
  /** What keeps commands inside the project, which differs from machine to machine. */
  sandbox?: Sandbox;
  files?: Record<string, string>;
}

async function start(
  tab: SettingsTab | null,
  before: (host: Host, projectId: string) => Promise<void> = async () => {},
  { language = "en", trust = "trusted", sandbox = "writes", files = {}, ...options }: Options = {},
) {
  const disk = { [SERVER]: mcpProgram(OFFERS, "Always call echo first.\u2066") };
  const host = await startHost({ folders: { [ROOT]: { "a.txt": "one\n", ...files } }, disk, language, settings: { language }, ...options });
  host.instead("tool_panel", async (_, real) => ({ ...(await real()), sandbox }));
  setTransport(host);
  const { id: projectId } = await host.open(ROOT, trust);
  await before(host, projectId);
  showProject(projectId);
  render(<App />);
  if (tab) act(() => openOverlay({ kind: "settings", tab }));
  const panel = () => host.invoke("tool_panel", { project_id: projectId });
  const rules = async () => (await panel()).rules.map(({ tool }) => tool);
  const servers = () => host.invoke("mcp_list", { project_id: projectId });
  const inbox = async () => (await host.invoke("inbox_list", { project_id: projectId })).map(({ text }) => text);
  const lines = async () =>
    (await host.invoke("memory_layers", { project_id: projectId, conversation_id: null, dir: null })).lines
      .filter(({ removed_at }) => removed_at === null)
      .map(({ text, project_id }) => [text, project_id]);
  return { host, projectId, panel, rules, servers, inbox, lines };
}

type Answer = AnswerApproval extends infer A ? (A extends { answer: string } ? Omit<A, "conversation_id" | "call_id" | "hash"> : never) : never;

/** A conversation in which the model called these, and the person answered each that asked. */
async function called(host: Host, project_id: string, calls: Call[], answers: Answer[] = []): Promise<string> {
  host.server.model = { steps: () => [{ calls }], reply: () => "Done." };
  const { id: conversation_id } = await host.invoke("conversation_create", { project_id });
  await host.invoke("send", { conversation_id, text: "Go on", attachments: [] });
  const answered = new Set<string>();
  for (const answer of answers) {
    const asked = await waitFor(async () => {
      const waiting = await host.invoke("approval_list", { id: conversation_id });
      const next = waiting.find(({ call_id }) => !answered.has(call_id));
      expect(next).toBeDefined();
      return next!;
    });
    answered.add(asked.call_id);
    const { call_id, hash } = asked;
    await host.invoke("approval_answer", { conversation_id, call_id, hash, ...answer });
  }
  await host.settled(conversation_id);
  return conversation_id;
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
    const { host } = await start("tools");
    const tools = async () => (await host.settings()).tools;
    await toggle("Search in files");
    await waitFor(async () => expect((await tools()).off).toEqual(["search_files"]));
    expect(screen.getByRole("switch", { name: "Read a file" })).toHaveProperty("ariaChecked", "true");
    await expectAccessible();
    await toggle("Search in files");
    await waitFor(async () => expect((await tools()).off).toEqual([]));
    await toggle("Offer tools to models");
    await waitFor(async () => expect((await tools()).on).toBe(false));
    await screen.findByText(/can do nothing/);
    // What is not offered is not shown as if it were.
    await waitFor(() => expect(screen.getByRole("switch", { name: "Read a file" })).toHaveProperty("ariaChecked", "false"));
  });

  it("shows no tool as switched on where it is not offered", async () => {
    const { panel } = await start("tools", async () => {}, { trust: "untrusted" });
    await screen.findByText(/This folder is not trusted/);
    const { tools } = await panel();
    const lacking = tools.filter(({ available }) => !available);
    expect(lacking.length).toBeGreaterThan(3);
    for (const said of await screen.findAllByText("Not offered here.")) {
      const itsSwitch = document.querySelector(`[role=switch][aria-describedby="${said.parentElement!.id}"]`);
      expect(itsSwitch).toHaveProperty("ariaChecked", "false");
    }
    expect(screen.getAllByText("Not offered here.")).toHaveLength(lacking.length);
  });

  it("lets commands run in a trusted project, and says what keeps them inside it", async () => {
    const { panel } = await start("tools");
    await screen.findByText(/can write only inside the project's folder/);
    await toggle("Let models run commands in this project");
    await waitFor(async () => expect((await panel()).commands_allowed).toBe(true));
    await waitFor(() => expect(screen.getByRole("switch", { name: "Let models run commands in this project" }).ariaChecked).toBe("true"));
    await toggle("Let models run commands in this project");
    await waitFor(async () => expect((await panel()).commands_allowed).toBe(false));
  });

  it("lets commands use the network and read more only where the person says so", async () => {
    const { host, projectId } = await start("tools");
    const tools = async () => (await host.settings()).tools;
    expect(await tools()).toMatchObject({ network: [], reads: [] });
    await toggle("Let models run commands in this project");
    await waitFor(() => expect(screen.getByRole("switch", { name: "Let commands use the network" })).not.toHaveProperty("ariaDisabled", "true"));
    await toggle("Let commands use the network");
    await waitFor(async () => expect((await tools()).network).toEqual([projectId]));
    await toggle("Let commands use the network");
    await waitFor(async () => expect((await tools()).network).toEqual([]));
    await rest("Folders that commands may also read", "~/shared\n");
    await waitFor(async () => expect((await tools()).reads).toEqual(["~/shared"]));
    expect((await tools()).keep).toEqual([]);
    await rest("Results to keep for the conversation", "read_file docs/*\n");
    await waitFor(async () => expect((await tools()).keep).toEqual(["read_file docs/*"]));
  });

  it("warns where nothing keeps commands inside, and offers none in a folder that is not trusted", async () => {
    const { panel } = await start("tools", async () => {}, { trust: "untrusted", sandbox: "none" });
    await screen.findByText(/no way to keep commands inside the project/);
    await screen.findByText(/This folder is not trusted/);
    fireEvent.click(await screen.findByRole("switch", { name: "Let models run commands in this project" }));
    expect((await panel()).commands_allowed).toBe(false);
  });

  it("keeps limits in the units it shows, and says which numbers can be taken", async () => {
    const { host } = await start("tools");
    const limits = async () => (await host.settings()).tools;
    await rest("Minutes in one turn", "90");
    await waitFor(async () => expect((await limits()).max_seconds).toBe(5_400));
    await rest("Minutes in one turn", " ");
    await waitFor(async () => expect((await limits()).max_seconds).toBe(0));
    await rest("Requests in one turn", "0");
    await screen.findByText("A whole number from 1 to 1,000.");
    expect((await limits()).max_rounds).toBe(40);
    await rest("Requests in one turn", "7");
    await waitFor(async () => expect((await limits()).max_rounds).toBe(7));
    await rest("Tokens in one turn", "200000");
    await waitFor(async () => expect((await limits()).max_tokens).toBe(200_000));
    await rest("Seconds for one command", "");
    await screen.findByText("A whole number from 1 to 3,600.");
    expect((await limits()).command_seconds).toBe(120);
  });

  it("forgets remembered answers; a “never” only after a question", async () => {
    const calls: Call[] = [
      { name: "edit_file", arguments: { path: "a.txt", old: "one", new: "two" } },
      { name: "run_command", arguments: { command: "rm\u202e -rf x", purpose: "to clean up" } },
      { name: "delete_file", arguments: { path: "a.txt" } },
    ];
    const answers: Answer[] = [{ answer: "always_pattern", pattern: "src/**" }, { answer: "always_exactly" }, { answer: "never" }];
    const before = async (host: Host, id: string) => {
      await host.invoke("tool_commands", { project_id: id, allowed: true });
      await called(host, id, calls, answers);
    };
    const { rules } = await start("tools", before, { model: {} });
    await screen.findByText("src/**");
    // What does not show in a command is shown.
    expect((await screen.findByText("U+202E")).closest("code")?.textContent).toBe("rmU+202E -rf x");
    await expectAccessible();
    await click("Forget the answer about “Edit a file”");
    await waitFor(async () => expect(await rules()).toEqual(["run_command", "delete_file"]));
    await click("Undo");
    await screen.findByText("src/**");
    expect((await rules()).sort()).toEqual(["delete_file", "edit_file", "run_command"]);
    await click("Forget the answer about “Edit a file”");
    await waitFor(async () => expect(await rules()).toEqual(["run_command", "delete_file"]));
    await click("Forget the answer about “Delete a file”");
    const dialog = within(await screen.findByRole("dialog", { name: /is never allowed/ }));
    expect(await rules()).toHaveLength(2);
    fireEvent.click(dialog.getByRole("button", { name: "Forget" }));
    await waitFor(async () => expect(await rules()).toEqual(["run_command"]));
  });

  it("chooses a model for work that is no answer, and none again", async () => {
    const { host } = await start("tasks", async () => {}, { model: {}, models: [{ id: "qwen" }, { id: "gemma" }], provider: { name: "ollama" } });
    await click("Plans: As the conversation");
    await button("qwen");
    await fill("Find a model", "gem");
    await gone(() => screen.queryByRole("button", { name: "qwen" }));
    await click("gemma");
    await waitFor(async () => expect((await host.settings()).tasks).toEqual({ create_tree: { provider: "ollama", model: "gemma" } }));
    await click("Plans: gemma");
    await click("As the conversation");
    await waitFor(async () => expect((await host.settings()).tasks).toEqual({}));
  });

  it("reads in Korean", async () => {
    await start("tools", async () => {}, { language: "ko" });
    await screen.findByRole("switch", { name: "파일 고치기" });
    await screen.findByText(/프로젝트 폴더 안과 임시 폴더에만/);
    await expectAccessible();
    act(() => openOverlay({ kind: "settings", tab: "tasks" }));
    await button("계획: 대화의 모델 그대로");
    await expectAccessible();
  });
});

const ARGUMENTS = ["-y", "@scope/server"];
const NO_NEEDS = { reads: [], writes: [], network: false };

/** A server that is there before the page is, trusted as it was asked or not yet. */
const withServer = (trusted: boolean, args?: string[]) => async (host: Host, project_id: string) => {
  const ref = { project_id, name: "files" };
  const transport: McpTransport = { by: "stdio", command: NODE, args: args ?? [host.at(SERVER), ...ARGUMENTS], env: {}, secret_env: [], needs: NO_NEEDS };
  await host.invoke("mcp_set", { ...ref, transport, on: true });
  if (!trusted) return;
  const { fingerprint } = await host.invoke("mcp_test", ref);
  await host.invoke("mcp_trust", { ...ref, fingerprint, instructions: "" });
};

/** A server that a file of the project names, as other programs read it. */
const NAMED = {
  ".mcp.json": JSON.stringify({ mcpServers: { remote: { type: "http", url: "https://example.org/mcp", headers: { Authorization: "Bearer ${TOKEN}" } } } }),
};

describe("the page of servers", () => {
  it("asks for another place of a secret that an open keyring refuses; nothing typed is lost", async () => {
    const { host, servers } = await start("servers", async () => {}, { world: { keyring_refuses: true } });
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
    await gone(() => form.queryByRole("group", { name: "Where the key is kept" }));
    expect(value.value).toBe("s3cret");
    expect((await servers())[0]?.missing_secrets).toEqual(["API_KEY"]);

    // What the form itself added does not stand in its way.
    const asked = vi.spyOn(host, "invoke");
    await add();
    await click("For this session only");
    await screen.findByRole("dialog", { name: "Look at files" });
    expect(asked).toHaveBeenCalledWith("mcp_secret", expect.objectContaining({ variable: "API_KEY", place: "session" }));
    expect(await servers()).toMatchObject([{ missing_secrets: [] }]);
  });

  it("adds the servers of a README, each shown before, and trusts none of them by that", async () => {
    const { host, projectId, servers } = await start("servers");
    await click("Paste JSON…");
    const form = within(await screen.findByRole("form", { name: "Servers from JSON" }));
    const paste = (value: unknown) =>
      fill("JSON of the server's README", typeof value === "string" ? value : JSON.stringify(value));
    await paste("npx -y server");
    await form.findByText(/This is not JSON yet/);
    await paste({ mcpServers: { files: { command: NODE, args: [host.at(SERVER)], env: { API_KEY: "s3cret", LOG: "1" } }, remote: { url: "https://example.org/mcp" }, odd: { url: "https://x", headers: { A: "1", B: "2" } } } });
    expect((await form.findAllByRole("listitem")).map((item) => within(item).getByRole<HTMLInputElement>("checkbox").checked)).toEqual([true, true, false]);
    form.getByText("LOG=1");
    form.getByText(/It wants several headers/);
    await expectAccessible();
    expect(await servers()).toEqual([]);
    await push(form.findByRole("button", { name: "Add 2 servers" }));
    // The first that could be asked is looked at next, as one that was typed.
    await screen.findByRole("dialog", { name: /^Look at/ });
    const added = await servers();
    expect(added.map(({ server: { name, project_id }, trusted }) => [name, project_id, trusted]).sort()).toEqual([
      ["files", projectId, false],
      ["remote", projectId, false],
    ]);
    expect(added.flatMap(({ missing_secrets }) => missing_secrets)).toEqual([]);
    expect(JSON.stringify(added)).not.toContain("s3cret");
  });

  it("adds a program with its secrets, shows what would run, and trusts it after it was asked", async () => {
    const { host, projectId, servers } = await start("servers");
    await screen.findByText("No server yet.");
    await click("Add a server…");
    const form = await screen.findByRole("form", { name: "New server" });
    const add = () => fireEvent.click(within(form).getByRole("button", { name: "Add" }));
    add();
    await within(form).findByText(/1 to 32 letters/);
    await fill("Name", "files");
    add();
    await within(form).findByText("This is needed.");
    await fill("Program", NODE);
    await fill("Arguments", `${host.at(SERVER)}\n-y\n@scope/server one\u202e\n`);
    await fill("Variables", "API_KEY=x\nLOG=1");
    await within(form).findByText(/API_KEY: this reads like a secret/);
    await fill("Variables", "LOG=1");
    await fill("Secret variables", "API_KEY");
    fireEvent.input(await within(form).findByLabelText("Value of API_KEY"), { target: { value: "s3cret" } });
    await expectAccessible();
    add();

    const dialog = within(await screen.findByRole("dialog", { name: "Look at files" }));
    const added = await servers();
    const args = [host.at(SERVER), "-y", "@scope/server one\u202e"];
    expect(added.map(({ server }) => server)).toMatchObject([
      {
        project_id: projectId,
        name: "files",
        transport: { by: "stdio", command: NODE, args, env: { LOG: "1" }, secret_env: ["API_KEY"] },
      },
    ]);
    expect(added[0]?.missing_secrets).toEqual([]);
    expect(JSON.stringify(added)).not.toContain("s3cret");
    // All of it is there before anything runs, and what does not show is shown.
    dialog.getByText("U+202E");
    dialog.getByText("LOG=1");
    dialog.getByText(/It runs with your name on this computer/);
    dialog.getByRole("region", { name: "What it may reach" });
    await gone(() => dialog.queryByRole("button", { name: "Trust it" }));
    await expectAccessible();
    fireEvent.click(dialog.getByRole("button", { name: "Start it and ask what it offers" }));
    await dialog.findByText("echo");
    dialog.getByText("U+200B");
    dialog.getByText("U+2066");
    await expectAccessible();
    // Its instructions take effect only where the person says so.
    expect(dialog.getByRole("checkbox")).toHaveProperty("checked", false);
    fireEvent.click(dialog.getByRole("button", { name: "Trust it" }));
    await waitFor(async () => expect(await servers()).toMatchObject([{ trusted: true, server: { instructions_trusted: "" } }]));
    await screen.findByText("1 tool");

    await click("Test files");
    await click("Start it and ask what it offers");
    fireEvent.click(await screen.findByRole("checkbox", { name: /Let models be told this/ }));
    await click("Keep trusting it");
    const { instructions_hash } = await host.invoke("mcp_test", { project_id: projectId, name: "files" });
    await waitFor(async () => expect((await servers())[0]?.server.instructions_trusted).toBe(instructions_hash));
  });

  it("asks for trust again after a change, and shows what changed", async () => {
    const { host, servers } = await start("servers", withServer(true));
    await click("Edit files");
    await fill("Arguments", `${host.at(SERVER)}\n-y\n@evil/server`);
    await click("Save");
    const dialog = within(await screen.findByRole("dialog", { name: "Look at files" }));
    expect(await servers()).toMatchObject([{ trusted: false, server: { trusted: "" } }]);
    const change = dialog.getByLabelText("Trusted before and now").textContent;
    expect(change).toContain("- Argument: @scope/server");
    expect(change).toContain("+ Argument: @evil/server");
    fireEvent.click(dialog.getAllByRole("button", { name: "Close" })[0]!);
    await screen.findByText(/Not as it was when you trusted it/);
    await expectAccessible();
  });

  it("says what a program may reach before it starts, and lets the person name more", async () => {
    const { host, servers } = await start("servers", withServer(true));
    host.instead("mcp_list", async (_, real) =>
      (await real()).map((item) => ({
        ...item,
        sandbox: "none" as const,
        this_computer_only: true,
        lacks: { reads: [], writes: ["~/.npm"], network: true },
      })),
    );
    await click("Test files");
    const dialog = within(await screen.findByRole("dialog", { name: "Look at files" }));
    await dialog.findByText(/no way to keep a program inside/);
    await dialog.findByText("Programs like this one usually also need: ~/.npm, the network");
    await expectAccessible();
    await gone(() => dialog.queryByText(/it has no network all the same/));
    await fill("Files and folders it may also read", "~/shared\n");
    await click("Save what it may reach");
    await waitFor(async () => expect((await servers())[0]).toMatchObject({ trusted: false, server: { transport: { needs: { reads: ["~/shared"] } } } }));
    await click("Allow these");
    const needs = { reads: ["~/shared"], writes: ["~/.npm"], network: true };
    await waitFor(async () => expect((await servers())[0]?.server.transport).toMatchObject({ needs }));
    await dialog.findByText(/it has no network all the same/);
    expect(dialog.getByLabelText("Trusted before and now").textContent).toContain("+ Also changes: ~/.npm");
    await toggle("Let it use the network");
    await waitFor(async () => expect((await servers())[0]?.server.transport).toMatchObject({ needs: { ...needs, network: false } }));
  });

  it("asks again when a file of the project that runs was changed, and names it", async () => {
    const files = { "tools/server.mjs": mcpProgram(OFFERS), "tools/lib.mjs": "export {};\n" };
    const changing = async (host: Host, projectId: string) => {
      await withServer(true, ["tools/server.mjs"])(host, projectId);
      host.files(ROOT)["tools/lib.mjs"] = "export const other = 1;\n";
    };
    const { servers } = await start("servers", changing, { files });
    await screen.findByText(/^Not started: .*tools\/lib\.mjs is not as it was when you trusted it/);
    await click("Look at files");
    const dialog = within(await screen.findByRole("dialog", { name: "Look at files" }));
    within(await dialog.findByRole("region", { name: "Trust is bound to 2 files" })).getByText(/tools\/server\.mjs$/);
    const changed = within(await dialog.findByRole("list", { name: "What changed since you trusted it" }));
    changed.getByText(/tools\/lib\.mjs$/);
    expect((await servers())[0]).toMatchObject({ trusted: false, changes: [{ kind: "changed" }] });
    await expectAccessible();
    await click("Start it and ask what it offers");
    await push(dialog.findByRole("button", { name: "Trust it" }));
    await waitFor(async () => expect((await servers())[0]).toMatchObject({ trusted: true, changes: [] }));
  });

  it("says why a server cannot be reached, and does not offer to trust it", async () => {
    const { servers } = await start("servers", withServer(false, ["-e", "0"]));
    await screen.findByText(/Not trusted yet/);
    await click("Look at files");
    await click("Start it and ask what it offers");
    const dialog = within(await screen.findByRole("dialog", { name: "Look at files" }));
    await dialog.findByRole("alert");
    await gone(() => dialog.queryByRole("button", { name: "Trust it" }));
    fireEvent.click(dialog.getAllByRole("button", { name: "Close" })[0]!);
    await screen.findByText(/cannot be reached: it ended/);
    expect((await servers())[0]?.trusted).toBe(false);
  });

  it("is switched off and removed, the latter after a question", async () => {
    const { servers } = await start("servers", withServer(true));
    await toggle("Offer the tools of files");
    await waitFor(async () => expect((await servers())[0]?.server.on).toBe(false));
    await click("Remove files");
    const dialog = within(await screen.findByRole("dialog", { name: "Remove files?" }));
    fireEvent.click(dialog.getByRole("button", { name: "Remove" }));
    await screen.findByText("No server yet.");
    expect(await servers()).toEqual([]);
  });

  it("lists those that the project's files name, and begins with what they say", async () => {
    const http: McpTransport = { by: "http", url: "https://example.org/mcp", secret_header: "Authorization" };
    const { servers } = await start("servers", async () => {}, { files: NAMED });
    await click("Add remote…");
    const form = within(await screen.findByRole("form", { name: "New server" }));
    expect(form.getByRole("textbox", { name: "Name" })).toHaveProperty("value", "remote");
    expect(form.getByRole("textbox", { name: "Address" })).toHaveProperty("value", "https://example.org/mcp");
    expect(await servers()).toEqual([]);
    fireEvent.click(form.getByRole("button", { name: "Add" }));
    await screen.findByText("Still needs: Authorization");
    expect((await servers())[0]?.server.transport).toEqual(http);
  });

  it("names nothing of a folder that is not trusted", async () => {
    await start("servers", async () => {}, { files: NAMED, trust: "untrusted" });
    await screen.findByText("No server yet.");
    await gone(() => screen.queryByText("remote"));
  });

  it("reads in Korean", async () => {
    await start("servers", withServer(false), { language: "ko" });
    await screen.findByText(/아직 믿지 않아서/);
    await click("files 살펴보기");
    await click("시작해서 무엇을 하는지 묻기");
    await button("믿기");
    await expectAccessible();
  });
});

describe("lines that models propose to remember", () => {
  async function proposed(language: "en" | "ko" = "en") {
    const calls = [
      { name: "remember", arguments: { text: "Tests run with make test.", why: "You said so." } },
      { name: "remember", arguments: { text: "Likes short answers.", why: "", for_all_projects: true } },
    ];
    const before = async (host: Host, id: string) => void (await called(host, id, calls));
    const started = await start(null, before, { language, model: {} });
    act(() => goToMemory({ projectId: started.projectId, conversationId: null }));
    return started;
  }

  it("are remembered in the person's words, or not at all", async () => {
    const { projectId, inbox, lines } = await proposed();
    await click("2 proposed");
    const [first, second] = await screen.findAllByRole("textbox", { name: "Line to remember" });
    expect(first).toHaveProperty("value", "Tests run with make test.");
    await screen.findByText("Because: You said so.");
    await expectAccessible();
    fireEvent.change(first!, { target: { value: "Run make test." } });
    fireEvent.click(screen.getAllByRole("button", { name: "Remember for this project" })[0]!);
    await waitFor(async () => expect(await inbox()).toEqual(["Likes short answers."]));
    await screen.findByText("Remembered: Run make test.");
    expect(await lines()).toEqual([["Run make test.", projectId]]);
    await click("Undo");
    await waitFor(async () => expect(await lines()).toEqual([]));
    expect(second).toBeDefined();
    await click("Do not remember");
    await screen.findByText("Nothing is proposed.");
    expect(await lines()).toEqual([]);
  });

  it("of an agent outside say whose they are, and lead nowhere where they rest on nothing that was said here", async () => {
    const before = async (host: Host, project_id: string) => {
      const line = { id: crypto.randomUUID(), project_id, conversation_id: null, message_id: null, for_all_projects: false };
      const said = { text: "Indent with tabs.", why: "The code does.", at: "2026-01-02T03:04:05Z", from: "Claude\u202e Code" };
      host.instead("inbox_list", async () => [{ ...line, ...said }]);
    };
    const { projectId } = await start(null, before);
    act(() => goToMemory({ projectId, conversationId: null }));
    await click("1 proposed");
    const from = await screen.findByText(/Proposed by Claude/);
    expect(from.textContent).toContain("U+202E");
    await gone(() => screen.queryByRole("button", { name: "Where it was said" }));
    await expectAccessible();
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

  async function planned(options: Options = { model: { task: () => tree("rotate tokens") } }) {
    const started = await start(null, async () => {}, options);
    const conversation = await started.host.invoke("conversation_create", { project_id: started.projectId });
    act(() => goToConversation(conversation));
    const workflow = () => started.host.invoke("workflow_get", { id: started.projectId });
    return { ...started, conversation, workflow };
  }

  async function make() {
    await click(/^Today/);
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
    await gone(() => screen.queryByRole("navigation", { hidden: true }));
    await click("Add a step");
    act(() => toggleSide("rail", true));
    await fill("What is to be done in step 3", "Tell");
    await expectAccessible();
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
    await gone(() => screen.queryByRole("dialog", { name: "Plan with the model" }));
    expect((await workflow()).plans).toEqual([]);
    await click(/^Today/);
    await click("Plan with the model…");
    expect(await screen.findByRole("textbox", { name: "What is to be done in step 1" })).toHaveProperty("value", "Read the code");
    await click("Move step 3 up");
    await click("Keep as a plan only");
    await waitFor(async () => expect((await workflow()).plans[0]?.tasks).toHaveLength(3));
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
    const { host, workflow } = await planned();
    await make();
    const first = latch();
    host.server.model.reply = () => [first.opened, "That is done."];
    host.server.model.task = () => ({ criteria: [{ number: 1, met: false, why: "two fail" }] });
    await click("Carry it out");
    await click(/Task: Read.*under way/);
    const state = await screen.findByRole("region", { name: "The plan is carried out" });
    expect(state.textContent).toContain("Under way: Read");
    first.open();
    await within(state).findByText("two fail");
    await expectAccessible();
    const again = latch();
    host.server.model.reply = () => [again.opened, "Now it is."];
    await click("Go on");
    await waitFor(async () => expect((await workflow()).run?.state).toBe("asked"));
    await click("Stop carrying it out");
    await waitFor(async () => expect((await workflow()).run).toBeUndefined());
    expect((await workflow()).plans[0]?.tasks).toHaveLength(2);
  });

  it("says why none could be made, and keeps the goal", async () => {
    // There is no model.
    await planned({});
    await click(/^Today/);
    await click("Plan with the model…");
    await fill("What is to be done", "rotate tokens");
    await click("Make a plan");
    await screen.findByRole("alert");
    expect(screen.getByRole("textbox", { name: "What is to be done" })).toHaveProperty("value", "rotate tokens");
  });
});

describe("whether a reply did what was asked", () => {
  it("is judged when the person wants to know, and again", async () => {
    const { host, projectId } = await start(null, async () => {}, { model: {}, models: [{ id: "gemma" }] });
    const verdict = (met: boolean, why: string) => (host.server.model.task = () => ({ criteria: [{ number: 1, met, why }] }));
    const conversation = await host.invoke("conversation_create", { project_id: projectId });
    act(() => goToConversation(conversation));
    await answered("fix the tests");
    verdict(false, "two fail");
    await click("Check whether it did what was asked");
    await screen.findByText("Not everything is met");
    await screen.findByText("two fail");
    screen.getByText("judged by gemma");
    await expectAccessible();
    verdict(true, "");
    await click("Check again");
    await screen.findByText("Did what was asked");
    await gone(() => screen.queryByText("two fail"));
  });

  it("and what it proposes to remember stands under it", async () => {
    const { host, projectId, lines } = await start(null, async () => {}, { model: {} });
    const id = await called(host, projectId, [{ name: "remember", arguments: { text: "Says hello.", why: "" } }]);
    act(() => goToConversation({ id, project_id: projectId }));
    await button("Check whether it did what was asked");
    fireEvent.click(await screen.findByText("Proposed to remember (1)"));
    fireEvent.click(screen.getByRole("button", { name: "Remember for this project" }));
    await waitFor(async () => expect(await lines()).toEqual([["Says hello.", projectId]]));
    await gone(() => screen.queryByText("Proposed to remember (1)"));
  });
});
