// Sessions of other agents through the whole interface: asked for, kept, listed, read with their branches, subagents and
// what a compaction dropped, verified, and forgotten. The files are what those agents write.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { followLink } from "@/features/conversations";
import { setTransport } from "@/ipc";
import { ofAgent, startHost, type Host } from "@/test/host";
import { button, click, expectAccessible, gone, push, shut, startAfresh } from "@/test/journey";
import { goToToday, goToVault, runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const CLAUDE = "projects/-home-kim-shop/5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11";
const CODEX = "sessions/2026/11/21/rollout-2026-11-21T10-00-00-019a7b3c-1111-7abc-8def-0123456789ab.jsonl";
const GEMINI = "tmp/web/chats/session-2026-11-22T11-00-7c9e6679.jsonl";
const SHOP = "/home/kim/shop";

/** A machine on which these agents have worked; the first two in a project of the person. */
async function start({ agents = true, opened = false } = {}): Promise<Host> {
  const host = await startHost({ folders: { [SHOP]: { "AGENTS.md": "# Rules\n" } } });
  setTransport(host);
  const here = (name: string) => ofAgent(name).replaceAll(SHOP, host.at(SHOP));
  if (agents) {
    const claude = host.kept(".claude");
    claude[`${CLAUDE}.jsonl`] = here("claude.jsonl");
    claude[`${CLAUDE}/subagents/agent-0af3.jsonl`] = here("claude-agent.jsonl");
    host.kept(".codex")[CODEX] = here("codex.jsonl");
    host.kept(".gemini")[GEMINI] = ofAgent("gemini.jsonl");
  }
  if (opened) await host.open(SHOP);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  act(() => void runAction("vault"));
  await screen.findByRole("main", { name: "Agent sessions" });
  return host;
}

/** The same after the yes to all of them, once everything was read. */
async function kept({ opened = false } = {}): Promise<Host> {
  const host = await start({ opened });
  await click("Keep these");
  await sessions(3);
  return host;
}

const list = () => screen.findByRole("listbox", { name: "Agent sessions" });
const options = () => within(screen.getByRole("listbox", { name: "Agent sessions" })).getAllByRole("option");

async function sessions(count: number): Promise<HTMLElement[]> {
  await list();
  await waitFor(() => expect(options()).toHaveLength(count));
  return options();
}

async function open(title: RegExp): Promise<HTMLElement> {
  fireEvent.click(await screen.findByRole("option", { name: title }));
  return screen.findByRole("log", { name: "What was said" });
}

async function choose(name: string, option: RegExp) {
  fireEvent.keyDown(await screen.findByRole("combobox", { name }), { key: "ArrowDown" });
  const found = await screen.findByRole("option", { name: option });
  fireEvent.pointerDown(found, { pointerType: "mouse", buttons: 1 });
  fireEvent.click(found);
}

describe("agents' sessions", () => {
  it("are looked for where the agents keep them", async () => {
    const host = await start({ agents: false });
    await screen.findByText("No agent was found");
    screen.getByText("~/.codex · CODEX_HOME");
    await expectAccessible();
    host.kept(".codex")[CODEX] = ofAgent("codex.jsonl");
    await click("Look again");
    await screen.findByRole("checkbox", { name: /^Codex/ });
  });

  it("are kept after a yes to what was found, folder by folder", async () => {
    const host = await start();
    const boxes = await screen.findAllByRole<HTMLInputElement>("checkbox");
    expect(boxes.map(({ checked }) => checked)).toEqual([true, true, true]);
    const home = (agent: RegExp) => screen.getByRole("checkbox", { name: agent });
    expect(home(/^Claude Code/).closest("label")!.textContent).toContain(`${host.data}/.claude`);
    expect(home(/^Claude Code/).closest("label")!.textContent).toMatch(/1 session · [\d.]+ kB/);
    await expectAccessible();
    expect((await host.invoke("vault_status", null)).kept).toEqual([]);
    fireEvent.click(home(/^Gemini CLI/));
    await click("Keep these");
    const rows = await sessions(2);
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/Codex · shop · feature\/retry.*1 compaction.*4 turns/s),
      expect.stringMatching(/Fix the retry.*Claude Code · shop · main.*1 compaction.*1 subagent/s),
    ]);
    await screen.findByText(/^3 new files · [\d.]+ kB · 3 unknown kinds of records$/);
    await expectAccessible();
    const agreed = (await host.invoke("vault_sources", null)).filter(({ agreed }) => agreed);
    expect(agreed.map(({ home }) => home.agent)).toEqual(["claude-code", "codex"]);
    // What is new is kept when it is asked for.
    host.kept(".codex")[CODEX] += `${JSON.stringify({ type: "brand_new", payload: {} })}\n`;
    await click("Keep what is new");
    await screen.findByText(/^1 grew · \d+ B/);
    await click("Close");
    await gone(() => screen.queryByText(/^1 grew/));
  });

  it("are kept of exports that a person has, from the folder that they choose", async () => {
    const host = await start({ agents: false });
    await screen.findByText("No agent was found");
    host.dialogs.folder = host.at(SHOP);
    await click("Add exports…");
    await screen.findByText(/^Nothing of ChatGPT, Claude or Siltstone is in this folder/);
    host.kept("exports")["chatgpt/conversations.json"] = ofAgent("exports/chatgpt.json");
    host.kept("exports")["claude/conversations.json"] = ofAgent("exports/claude.json");
    host.dialogs.folder = `${host.data}/exports`;
    await click("Add exports…");
    const chatgpt = await screen.findByRole("checkbox", { name: /^ChatGPT/ });
    expect(chatgpt.closest("label")!.textContent).toMatch(/2 sessions · [\d.]+ kB/);
    await expectAccessible();
    fireEvent.click(screen.getByRole("checkbox", { name: /^Claude/ }));
    await click("Keep what they said");
    await sessions(2);
    await open(/재시도 간격 계산/);
    await screen.findByText("Add jitter, so that not all retry at once.");
  });

  it("are found by words of their titles, agents and projects, and gone through by keys", async () => {
    await kept();
    const titles = () => options().map((option) => option.querySelector("span > span")!.textContent);
    expect(titles()).toEqual(["Port of the app", expect.stringMatching(/^Always keep config/), "Fix the retry"]);
    await choose("Order", /^Oldest first/);
    await waitFor(() => expect(titles()[0]).toBe("Fix the retry"));
    await choose("Order", /^Newest first/);
    await choose("Project", /^shop/);
    await sessions(2);
    await choose("Agent", /^Codex/);
    await sessions(1);
    const words = screen.getByRole("searchbox", { name: "Words of the title or of what was said" });
    fireEvent.change(words, { target: { value: "nothing like it" } });
    await screen.findByText("No session fits");
    await click("Show all");
    await sessions(3);
    fireEvent.change(words, { target: { value: "retry" } });
    await waitFor(() => expect(options().filter((option) => !option.querySelector("mark"))).toHaveLength(1));
    fireEvent.change(words, { target: { value: "" } });
    await sessions(3);
    fireEvent.keyDown(words, { key: "ArrowDown" });
    const box = await list();
    expect(document.activeElement).toBe(box);
    fireEvent.keyDown(box, { key: "End" });
    expect(screen.getByRole("option", { selected: true }).textContent).toContain("Fix the retry");
    fireEvent.keyDown(box, { key: "ArrowUp" });
    fireEvent.keyDown(box, { key: "ArrowDown" });
    fireEvent.keyDown(box, { key: "Enter" });
    await screen.findByRole("main", { name: "Fix the retry" });
    // Back to where it was.
    fireEvent.keyDown(await screen.findByRole("log", { name: "What was said" }), { key: "Escape" });
    const again = await list();
    await waitFor(() => expect(document.activeElement).toBe(again));
    expect(screen.getByRole("option", { selected: true }).textContent).toContain("Fix the retry");
  });

  it("are found by what was said in them, and begin there", async () => {
    await kept();
    const words = screen.getByRole("searchbox", { name: "Words of the title or of what was said" });
    fireEvent.change(words, { target: { value: "retry" } });
    await waitFor(() => expect(options().length).toBeGreaterThan(1));
    // The one that is called so, and every place in which it was said, with the words marked.
    expect(options()[0]!.textContent).toContain("Fix the retry");
    const hits = options().filter((option) => option.querySelector("mark"));
    expect(hits.length).toBeGreaterThan(0);
    expect(hits.every((hit) => /retry/i.test(hit.querySelector("mark")!.textContent))).toBe(true);
    await expectAccessible();
    const said = hits.at(-1)!.querySelector("mark")!.parentElement!.textContent;
    fireEvent.click(hits.at(-1)!);
    const log = await screen.findByRole("log", { name: "What was said" });
    const word = /[\p{L}]{6,}/u.exec(said)![0];
    await waitFor(() => expect(log.querySelector("[data-row]:focus")?.closest("[class*=entry]")?.textContent).toContain(word));
    // Back in the list, where it was.
    await click("Back to the sessions");
    await waitFor(() => expect(screen.getByRole<HTMLInputElement>("searchbox", { name: "Words of the title or of what was said" }).value).toBe("retry"));
    expect(options().find((option) => option.ariaSelected === "true")?.querySelector("mark")).toBeTruthy();
    fireEvent.change(screen.getByRole("searchbox"), { target: { value: "" } });
    await sessions(3);
  });

  it("are found beside everything else that was said", async () => {
    await kept();
    act(() => void runAction("search"));
    const dialog = await screen.findByRole("dialog", { name: "Search everything" });
    fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: "retry" } });
    const group = await within(dialog).findByRole("region", { name: /^Sessions of agents \d/ });
    await gone(() => within(dialog).queryByText(/^Nothing found/));
    await expectAccessible();
    fireEvent.click(within(group).getAllByRole("button")[0]!);
    await screen.findByRole("log", { name: "What was said" });
    await shut();
    // Of nothing that these filters tell apart.
    act(() => void runAction("search"));
    fireEvent.change(await screen.findByRole("searchbox"), { target: { value: "retry" } });
    await screen.findByRole("region", { name: /^Sessions of agents/ });
    await choose("Who said it", /^Said by you/);
    await gone(() => screen.queryByRole("region", { name: /^Sessions of agents/ }));
  });

  it("are read with calls, thoughts, branches and subagents, without secrets and without fetching anything", async () => {
    await kept();
    const log = within(await open(/Fix the retry/));
    await log.findByText(/^Never change/);
    // The result of a call that failed is open, as in a conversation.
    log.getByText("error: 2 tests failed");
    await push(log.findByRole("button", { name: /Read.*queue\.rs/ }));
    await log.findByText("pub fn retry() {}");
    log.getByText("Picture (image/png)");
    await gone(() => document.querySelector("img"));
    expect(log.getByText(/^정리했습니다/).textContent).not.toContain("sk-ant");
    screen.getByText("Its last line is cut off.", { exact: false });
    await expectAccessible();
    // What was asked differently is a branch.
    await gone(() => log.queryByText("Then write docs/old-plan.md."));
    const versions = log.getByRole("group", { name: "Version 2 of 2" });
    fireEvent.click(within(versions).getByRole("button", { name: "Previous version" }));
    await log.findByText("Then write docs/old-plan.md.");
    await gone(() => log.queryByText(/^정리했습니다/));
    await click("1 subagent");
    fireEvent.click(await screen.findByRole("menuitem"));
    await screen.findByText("Three callers.");
    await click("Begun by another session");
    await screen.findByRole("main", { name: "Fix the retry" });
  });

  it("show what a compaction dropped, which can be kept in memory and is found where it was said", async () => {
    const host = await kept();
    const project = await host.open(SHOP);
    const log = within(await open(/Fix the retry/));
    const line = await log.findByRole("button", { name: /^Compacted by itself · 168k → [\d.]+k tokens · \d+ not kept$/ });
    // The margin beside what it folded says the same, and leads there.
    fireEvent.click(log.getByRole("button", { name: `Show what came of it: ${line.textContent}` }));
    await waitFor(() => expect(line.getAttribute("aria-expanded")).toBe("true"));
    const told = within(await log.findByRole("region", { name: "What the compaction dropped" }));
    told.getByText(/^This session is being continued/);
    const fact = "Never change src/legacy/orders.rs.";
    const keep = await told.findByRole("button", { name: `Keep in the memory of shop: ${fact}` });
    await expectAccessible();
    const lines = async () => {
      const view = await host.invoke("memory_layers", { project_id: project.id, conversation_id: null, dir: null });
      return view.lines.map(({ text }) => text);
    };
    fireEvent.click(keep);
    await told.findByText("in memory");
    expect(await lines()).toEqual([fact]);
    await click("Undo");
    await gone(() => told.queryByText("in memory"));
    expect(await lines()).toEqual([]);
    // What the summary says is not said to be lost.
    fireEvent.click(told.getByText(/ in the summary$/));
    fireEvent.click(told.getByRole("button", { name: fact }));
    await waitFor(() => expect(document.activeElement?.textContent).toContain("Never change src/legacy/orders.rs."));
    expect(document.activeElement?.getAttribute("role")).toBe("article");
    // From the session's head to its compactions.
    await click("1 compaction");
    await waitFor(() => expect(document.activeElement).toBe(line));
  });

  it("go on here and with another agent, after what goes and what stays was shown", async () => {
    const host = await kept();
    await open(/Fix the retry/);
    await click("Continue…");
    const dialog = within(await screen.findByRole("dialog", { name: "Continue “Fix the retry”" }));
    await dialog.findByText(/^4 turns · \d+ messages · 2 calls/);
    dialog.getByText("1 session of a subagent");
    await expectAccessible();
    await choose("Where", /^With Codex/);
    await click("Write the session");
    const written = within(await screen.findByRole("dialog", { name: "A session for Codex is written" }));
    written.getByText(/codex resume /);
    fireEvent.click(written.getByRole("button", { name: "Done" }));

    await click("Continue…");
    await push(screen.findByRole("button", { name: "Continue here" }));
    await waitFor(() => expect(usePlace.getState().vault).toBeNull());
    expect(usePlace.getState().conversationId).not.toBeNull();
    await screen.findByRole("textbox", { name: "Message" });
    await screen.findByText(/^I run/);

    // And from here to an agent again, where the person names a folder: the conversation has none.
    await click(/^More for Fix the retry/);
    fireEvent.click(await screen.findByRole("menuitem", { name: "Continue elsewhere…" }));
    const elsewhere = within(await screen.findByRole("dialog", { name: "Continue “Fix the retry”" }));
    await elsewhere.findByText(/the session names no folder/);
    host.dialogs.folder = host.at(SHOP);
    await click("Another folder…");
    await elsewhere.findByText(/^\d turns? · \d+ messages/);
    await expectAccessible();
    await click("Write the session");
    within(await screen.findByRole("dialog", { name: "A session for Claude Code is written" })).getByText(/claude --resume /);
  });

  it("stand on Today of their project, whose requests they enter when that is chosen", async () => {
    const host = await kept({ opened: true });
    const { id: project_id } = (await host.invoke("project_list", null))[0]!;
    act(() => goToToday(project_id));
    const part = within(await screen.findByRole("region", { name: "Agent sessions" }));
    expect(part.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
      "All sessions",
      expect.stringMatching(/Codex · /),
      expect.stringMatching(/Fix the retry.*Claude Code · /),
    ]);
    await expectAccessible();
    const { id: conversation_id } = await host.invoke("conversation_create", { project_id });
    const asked = { conversation_id, draft: "How do we back off exponentially in the retry?" };
    const told = async () => (await host.invoke("request_preview", asked)).sections.filter(({ id }) => id.startsWith("recall:session/"));
    expect(await told()).toEqual([]);
    fireEvent.click(part.getByRole("switch", { name: "May be recalled here" }));
    await waitFor(async () => expect((await told()).map(({ source }) => source)).toContain("Claude Code · 2026-11-20"));
    // A passage leads to where it was said.
    const { link } = (await told()).find(({ source }) => source.startsWith("Claude Code"))!;
    await followLink(link!, { id: conversation_id, project_id });
    await waitFor(() => expect(usePlace.getState().vault).toMatchObject({ session: { id: CLAUDE.split("/").at(-1) } }));
    act(() => goToToday(project_id));
    fireEvent.click(await screen.findByRole("switch", { name: "May be recalled here" }));
    await waitFor(async () => expect(await told()).toEqual([]));
    fireEvent.click(screen.getByRole("button", { name: /Fix the retry/ }));
    await screen.findByRole("log", { name: "What was said" });
  });

  it("stay when the agent cuts or deletes them, are verified, and go when they are forgotten", async () => {
    const host = await kept();
    const claude = host.kept(".claude");
    const codex = host.kept(".codex");
    delete claude[`${CLAUDE}.jsonl`];
    codex[CODEX] = codex[CODEX]!.slice(0, 2000);
    await click("Keep what is new");
    await screen.findByText(/^1 was cut; what it lost is kept/);
    await screen.findByRole("option", { name: /Fix the retry.*only here/ });
    await screen.findByRole("option", { name: /Always keep config.*cut there/ });
    screen.getByText(/ · 1 file is only here$/);
    await click("Verify");
    await screen.findByText("Everything is as it was kept.", { exact: false });

    await click("Folders…");
    const folders = within(await screen.findByRole("dialog", { name: "Folders of agents" }));
    await expectAccessible();
    fireEvent.click(await folders.findByRole("switch", { name: `${host.data}/.codex` }));
    await waitFor(async () => {
      const { kept } = await host.invoke("vault_status", null);
      expect(kept.find(({ home }) => home.agent === "codex")?.agreed).toBe(false);
    });
    const gemini = within(folders.getByRole("region", { name: "Gemini CLI" }));
    fireEvent.click(gemini.getByRole("button", { name: "Forget all of it…" }));
    await screen.findByRole("dialog", { name: "Forget everything of Gemini CLI?" });
    await screen.findByText(/^1 file goes, /);
    await click("Forget for ever");
    await sessions(2);

    await open(/Fix the retry/);
    await click("More for this session");
    fireEvent.click(await screen.findByRole("menuitem", { name: "Forget…" }));
    await screen.findByText(/^2 files go, .* 1 of them is nowhere else\.$/);
    await expectAccessible();
    await click("Forget for ever");
    await sessions(1);
    expect((await host.invoke("vault_list", { agent: null, folder: null, limit: null })).map(({ agent }) => agent)).toEqual(["codex"]);
    // The agents' own files are as they were.
    expect(claude[`${CLAUDE}/subagents/agent-0af3.jsonl`]).toBeDefined();
    expect(host.kept(".gemini")[GEMINI]).toBe(ofAgent("gemini.jsonl"));
  });

  it("are reached from the rail and by words, and say what could not be read", async () => {
    const host = await kept();
    const entry = within(screen.getByRole("navigation")).getByRole("button", { name: /^Agent sessions/ });
    expect(entry.getAttribute("aria-current")).toBe("page");
    fireEvent.click(entry);
    await screen.findByText("Drop a project folder here");
    act(() => void runAction("vaultVerify"));
    await screen.findByText("Everything is as it was kept.", { exact: false });
    host.failing("vault_session", { code: "damaged" });
    act(() => goToVault({ id: "5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11", version: null }));
    await screen.findByRole("alert");
    fireEvent.click(within(screen.getByRole("main")).getAllByRole("button", { name: "Back to the sessions" })[0]!);
    await sessions(3);
    await push(button("Back to the conversation"));
    expect(usePlace.getState().vault).toBeNull();
  });
});
