// The work of a project through the whole interface on the fake host: the plan in the rail, commands, proposals, the card
// of a new day, and files of a session that came from elsewhere.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { answered, useAnswered } from "@/features/work/acts";
import { setTransport, type ConversationItem } from "@/ipc";
import { createFake, type Fake } from "@/ipc/fake";
import { of } from "@/ipc/fake/sessions";
import { button, click, expectAccessible, startAfresh } from "@/test/journey";
import { goToConversation, goToStart, showProject } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";

interface Journey {
  fake: Fake;
  projectId: string;
  conversation: ConversationItem;
}

/** A project that was talked about before, and a window that has just been opened on it. */
async function start(before: (fake: Fake, projectId: string) => Promise<void> = async () => {}): Promise<Journey> {
  useAnswered.setState({}, true);
  const fake = createFake({ folders: { [ROOT]: { files: { "README.md": "# aurora\n" } } }, reply: () => "A reply." });
  setTransport(fake);
  const { id: projectId } = await fake.invoke("project_open", { path: ROOT, trust: "trusted", this_computer_only: null });
  const conversation = await fake.invoke("conversation_create", { project_id: projectId });
  await before(fake, projectId);
  render(<App />);
  act(() => {
    showProject(projectId);
    goToConversation(conversation);
  });
  await field();
  return { fake, projectId, conversation };
}

const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });

async function say(text: string) {
  fireEvent.input(await field(), { target: { value: text } });
  await click("Send");
}

async function write(label: string, text: string) {
  const input = await screen.findByRole("textbox", { name: label });
  fireEvent.change(input, { target: { value: text } });
  fireEvent.keyDown(input, { key: "Enter" });
}

describe("the work of a project", () => {
  it("is planned, ticked off and switched from the rail, and a switch asks about the running summary", async () => {
    const { fake, projectId } = await start();
    const workflow = () => of(fake.state, projectId).workflow;
    await click("No plan");
    await write("Name of the new plan", "auth");
    await write("Add a task", "rotate tokens");
    await screen.findByText("rotate tokens");
    await write("Add a task", "log out everywhere");
    await screen.findByText("0 of 2 tasks done");
    fireEvent.click(screen.getByRole("checkbox", { name: "rotate tokens is done" }));
    await screen.findByText("1 of 2 tasks done");
    await expectAccessible();
    fireEvent.click(await button("More for log out everywhere"));
    fireEvent.click(await screen.findByRole("menuitem", { name: /Move up/ }));
    await waitFor(() =>
      expect(within(screen.getByRole("list", { name: "Tasks" })).getAllByRole("listitem")[0]!.textContent).toBe("log out everywhere"),
    );
    await write("Write a decision down", "tokens rotate daily");
    await screen.findByText("tokens rotate daily");

    await fake.invoke("workflow_change", { project_id: projectId, change: { change: "add_plan", title: "docs", description: "the docs" }, reset: false });
    of(fake.state, projectId).summary = "so far";
    fireEvent.keyDown(await screen.findByRole("combobox", { name: "Plan that is worked on" }), { key: "ArrowDown" });
    const docs = await screen.findByRole("option", { name: "docs" });
    fireEvent.pointerDown(docs, { pointerType: "mouse", buttons: 1 });
    fireEvent.click(docs);
    expect(workflow().plans[0]!.status).toBe("active");
    await click("Begin it anew");
    await waitFor(() => expect(workflow().plans.map(({ status }) => status)).toEqual(["open", "active"]));
    expect(of(fake.state, projectId).summary).toBe("the docs");
  });

  it("takes commands in the composer, and does nothing that was proposed before it is accepted", async () => {
    const { fake, projectId, conversation } = await start();
    await say("/plan add auth");
    await screen.findByText("The plan was changed.");
    await say("/task add rotate tokens");
    await say("/task start rotate tokens");
    const line = await button(/^Task: rotate tokens/);
    expect(line.textContent).toBe("Task: rotate tokens0/1");
    await say("/task dance");
    await screen.findByText(/^Write \/plan add and a name/);
    expect((await field()).value).toBe("/task dance");
    expect(fake.state.turns.size).toBe(0);

    const { proposals } = of(fake.state, projectId);
    const proposed = (id: string, text: string) => ({
      id,
      project_id: projectId,
      conversation_id: conversation.id,
      message_id: "1",
      change: { change: "add_decision", text, source: null, origin: "found" } as const,
      start: 0,
      end: 1,
      state: "open" as const,
      at: "2026-05-20T10:00:00Z",
    });
    proposals.push(proposed("a", "use S256"), proposed("b", "use MD5"));
    act(() => fake.state.emit({ type: "sessions" }));
    await waitFor(() => expect(line.textContent).toContain("2 proposed"));
    fireEvent.click(line);
    await click("Do it: Decision: use S256");
    await click("Not this: Decision: use MD5");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Proposed" })).toBeNull());
    expect(of(fake.state, projectId).workflow.decisions.map(({ text }) => text)).toEqual(["use S256"]);
  });

  it("is told once where it stopped, and goes on there or begins fresh", async () => {
    let first = "";
    const { fake, projectId } = await start(async (fake, project_id) => {
      const earlier = await fake.invoke("conversation_create", { project_id });
      first = earlier.id;
      await fake.invoke("send", { conversation_id: earlier.id, text: "How do tokens rotate?", attachments: [], context: { entries: [], policy: "merged" } });
      const change = (change: Parameters<typeof fake.invoke<"workflow_change">>[1]["change"]) =>
        fake.invoke("workflow_change", { project_id, change, reset: false });
      await change({ change: "add_plan", title: "auth", description: "" });
      await change({ change: "add_decision", text: "tokens rotate daily", source: null, origin: "person" });
    });
    const card = within(await screen.findByRole("region", { name: "Where you stopped" }));
    card.getByText("How do tokens rotate?");
    card.getByText("tokens rotate daily");
    card.getByText("auth");
    await expectAccessible();
    fireEvent.click(card.getByRole("button", { name: "Continue" }));
    await screen.findByText("How do tokens rotate?", { selector: "[data-row] *" });
    expect(screen.queryByRole("region", { name: "Where you stopped" })).toBeNull();
    expect(fake.state.conversations.get(first)!.project_id).toBe(projectId);
    // Answered, it does not come back in this window.
    act(() => answered(projectId));
    act(() => goToStart());
    act(() => goToConversation({ id: first, project_id: projectId }));
    await field();
    expect(screen.queryByRole("region", { name: "Where you stopped" })).toBeNull();
  });

  it("asks about files that came from elsewhere, and says who holds them", async () => {
    const { fake, projectId } = await start(async (fake, id) => {
      of(fake.state, id).foreign.push({
        name: "context.json",
        before: '{ "conversation": { "running_summary": "mine" } }',
        now: '{ "conversation": { "running_summary": "theirs" } }',
        hash: "1",
        conflicts: ["running_summary"],
        readable: true,
      });
    });
    await screen.findByText("The session in this folder was written elsewhere");
    await click("Look…");
    const dialog = within(await screen.findByRole("dialog", { name: "A session from elsewhere" }));
    dialog.getByText(/Both changed it in different ways:/);
    await expectAccessible();
    fireEvent.click(dialog.getByRole("button", { name: "Take it in" }));
    await screen.findByText("The session was taken in.");
    await waitFor(() => expect(screen.queryByText("The session in this folder was written elsewhere")).toBeNull());

    of(fake.state, projectId).files = { state: "held", owner: "Grace", host: "desk", heartbeat: "2026-05-20T10:00:00Z", silent: false };
    act(() => fake.state.emit({ type: "sessions" }));
    await screen.findByText("Grace works on this folder on desk");
    await click("Take over");
    await waitFor(() => expect(screen.queryByText("Grace works on this folder on desk")).toBeNull());
  });

  it("that came with a folder is kept up, and a damaged file of it gives way to its copy", async () => {
    const fake = createFake({ folders: { [ROOT]: { files: { ".ai-brain/context.json": "{" } } } });
    setTransport(fake);
    render(<App />);
    await screen.findByText("Drop a project folder here");
    act(() => fake.drag({ type: "drop", paths: [ROOT] }));
    const sheet = within(await screen.findByRole("dialog", { name: "aurora" }));
    const share = await sheet.findByRole("switch", { name: "Keep the session in the folder" });
    expect(share.getAttribute("aria-checked")).toBe("true");
    fireEvent.click(await sheet.findByRole("button", { name: "Open project" }));
    await field();
    const [projectId] = [...fake.state.projects.keys()];
    const session = of(fake.state, projectId!);
    expect(session.shared).toBe(true);

    const workflow = structuredClone(session.workflow);
    workflow.decisions.push({ id: "decision_001", text: "use S256", origin: "person" });
    session.snapshots.push({ name: "workflow-000001.json", file: "workflow.json", at: "2026-05-20T10:00:00Z", workflow });
    session.foreign.push({ name: "workflow.json", before: "", now: "{", hash: "1", conflicts: [], readable: false });
    act(() => fake.state.emit({ type: "sessions" }));
    await screen.findByText(".ai-brain/workflow.json is damaged");
    await expectAccessible();
    await click("Go back to the copy");
    await screen.findByText("The session is as the copy has it.");
    expect(of(fake.state, projectId!).workflow.decisions.map(({ text }) => text)).toEqual(["use S256"]);
  });
});
