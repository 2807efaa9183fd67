// The work of a project through the whole interface: the plan, commands, what replies propose, where the work stopped, and
// files of a session that came from elsewhere.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type ConversationItem, type WorkflowChange } from "@/ipc";
import { formatMoment } from "@/shared/i18n";
import { startHost, type Host } from "@/test/host";
import { answered as asked, button, click, expectAccessible, field, gone, push, startAfresh } from "@/test/journey";
import { goToConversation, showProject, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";

interface Journey {
  host: Host;
  projectId: string;
  conversation: ConversationItem;
}

/** A project that was talked about before, and a window that has just been opened on it. */
async function start(before: (host: Host, projectId: string) => Promise<void> = async () => {}): Promise<Journey> {
  const host = await startHost({ folders: { [ROOT]: { "README.md": "# aurora\n" } }, model: { reply: () => "A reply." } });
  setTransport(host);
  const { id: projectId } = await host.open(ROOT);
  const conversation = await host.invoke("conversation_create", { project_id: projectId });
  await before(host, projectId);
  render(<App />);
  act(() => {
    showProject(projectId);
    goToConversation(conversation);
  });
  await field();
  return { host, projectId, conversation };
}

const change = (host: Host, project_id: string, change: WorkflowChange, reset = false) =>
  host.invoke("workflow_change", { project_id, change, reset });
const workflow = (host: Host, id: string) => host.invoke("workflow_get", { id });
const decisions = async (host: Host, id: string) => (await workflow(host, id)).decisions.map(({ text }) => text);
const session = (host: Host, id: string) => host.invoke("session_get", { id });
/** What is written by others is seen when it is looked at again. */
const lookAgain = (host: Host) => act(() => host.tell({ topics: [{ type: "sessions" }] }));

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
  it("is planned, ticked off and switched on its page, and a switch asks about the running summary", async () => {
    const { host, projectId } = await start();
    await click(/^Today/);
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

    const { plans } = await change(host, projectId, { change: "add_plan", title: "docs", description: "the docs" });
    // So that something was summed up already.
    const [auth, other] = plans.map(({ id }) => id);
    await change(host, projectId, { change: "edit_plan", id: auth!, title: null, description: "so far" });
    await change(host, projectId, { change: "switch_plan", id: other! });
    await change(host, projectId, { change: "switch_plan", id: auth! }, true);
    const summary = async () => (await session(host, projectId)).context.conversation.running_summary;
    const statuses = async () => (await workflow(host, projectId)).plans.map(({ status }) => status);
    expect(await summary()).toBe("so far");
    const list = await screen.findByRole("combobox", { name: "Plan that is worked on" });
    await waitFor(() => expect(list.textContent).toBe("auth"));
    fireEvent.keyDown(list, { key: "ArrowDown" });
    const docs = await screen.findByRole("option", { name: "docs" });
    fireEvent.pointerDown(docs, { pointerType: "mouse", buttons: 1 });
    fireEvent.click(docs);
    expect((await statuses())[0]).toBe("active");
    await click("Begin it anew");
    await waitFor(async () => expect(await statuses()).toEqual(["open", "active"]));
    expect(await summary()).toBe("the docs");
  });

  it("takes commands in the composer, and does nothing that was proposed before it is accepted", async () => {
    const { host, projectId, conversation } = await start();
    await say("/plan add auth");
    await screen.findByText("The plan was changed.");
    await say("/task add rotate tokens");
    await say("/task start rotate tokens");
    const line = await button(/Task: rotate tokens/);
    expect(line.textContent).toMatch(/Task: rotate tokens0\/1$/);
    // What names no verb is the title of a new one.
    await say("/task dance");
    await waitFor(() => expect(line.textContent).toMatch(/Task: rotate tokens0\/2$/));
    await say("/task list dances");
    // Who slipped is told where help is, and not how commands are spelled.
    const told = await screen.findByText(/^Nothing is called that, or a name is missing\./);
    expect(told.textContent).not.toMatch(/\/\w/);
    expect((await field()).value).toBe("/task list dances");
    expect(host.server.questions).toEqual([]);

    const proposed = ["use S256", "use MD5"].map((text): WorkflowChange => ({ change: "add_decision", text, source: null, origin: "found" }));
    host.server.model.reply = () => `I propose:\n\n\`\`\`siltstone\n${JSON.stringify(proposed)}\n\`\`\`\n`;
    await host.invoke("send", { conversation_id: conversation.id, text: "How is it hashed?", attachments: [] });
    // One line under the reply, however many there are.
    const proposal = within(await screen.findByRole("group", { name: "Proposed" }));
    proposal.getByText("1 more");
    expect(await decisions(host, projectId)).toEqual([]);
    await expectAccessible();
    await click("Do it: Decision: use S256");
    await click("Not this: Decision: use MD5");
    await gone(() => screen.queryByRole("group", { name: "Proposed" }));
    expect(await decisions(host, projectId)).toEqual(["use S256"]);
  });

  it("lets go of what was proposed when something else is asked", async () => {
    const { host, projectId } = await start();
    host.server.model.reply = (question) => (question === "First?" ? "We decided to use SQLite." : "A reply.");
    await asked("First?");
    await button(/^Do it: Decision: .*SQLite/);
    await asked("Second?");
    await gone(() => screen.queryByRole("group", { name: "Proposed" }));
    expect(await host.invoke("proposal_list", { id: projectId })).toEqual([]);
    expect(await decisions(host, projectId)).toEqual([]);
  });

  it("says on its page where it stopped, and goes on there or begins fresh", async () => {
    let first = "";
    const { host, projectId } = await start(async (host, project_id) => {
      first = (await host.invoke("conversation_create", { project_id })).id;
      await host.invoke("send", { conversation_id: first, text: "How do tokens rotate?", attachments: [] });
      await host.settled(first);
      await change(host, project_id, { change: "add_plan", title: "auth", description: "" });
      await change(host, project_id, { change: "add_decision", text: "tokens rotate daily", source: null, origin: "person" });
    });
    // There alone: a conversation says nothing of it but in the line of its request.
    await gone(() => screen.queryByRole("region", { name: "Where you stopped" }));
    await click(/^Today/);
    const card = within(await screen.findByRole("region", { name: "Where you stopped" }));
    card.getByText("How do tokens rotate?");
    const plan = within(await screen.findByRole("region", { name: "Plan and tasks" }));
    plan.getByText("tokens rotate daily");
    expect((await plan.findByRole("combobox", { name: "Plan that is worked on" })).textContent).toBe("auth");
    await expectAccessible();
    fireEvent.click(card.getByRole("button", { name: "Continue" }));
    await screen.findByText("How do tokens rotate?", { selector: "[data-row] *" });
    await gone(() => screen.queryByRole("region", { name: "Where you stopped" }));
    expect(usePlace.getState().conversationId).toBe(first);
    expect((await host.invoke("conversation_get", { id: first })).item.project_id).toBe(projectId);
    await click(/^Today/);
    await click("Start fresh");
    await field();
    const fresh = usePlace.getState().conversationId!;
    expect(fresh).not.toBe(first);
    // It is told nothing of before.
    expect((await host.invoke("request_preview", { conversation_id: fresh, draft: "" })).place?.taken ?? false).toBe(false);
  });

  it("asks about files that came from elsewhere, and says who holds them", async () => {
    const { host, projectId } = await start(async (host, id) => {
      await change(host, id, { change: "add_plan", title: "auth", description: "" });
      const { plans } = await change(host, id, { change: "add_plan", title: "docs", description: "mine" });
      await host.invoke("session_share", { project_id: id, on: true, ignore: false });
      // Both go on from there: it is written elsewhere, and changed here before that is known.
      const files = host.files(ROOT);
      const theirs = JSON.parse(files[".ai-brain/context.json"]!) as { conversation: { running_summary: string } };
      theirs.conversation.running_summary = "theirs";
      files[".ai-brain/context.json"] = JSON.stringify(theirs);
      await change(host, id, { change: "switch_plan", id: plans[1]!.id }, true);
    });
    await screen.findByText("The session in this folder was written elsewhere");
    await click("Look…");
    const dialog = within(await screen.findByRole("dialog", { name: "A session from elsewhere" }));
    expect(dialog.getByText(/Both changed it in different ways:/).textContent).toContain("running_summary");
    await expectAccessible();
    fireEvent.click(dialog.getByRole("button", { name: "Take it in" }));
    await screen.findByText("The session was taken in.");
    await gone(() => screen.queryByText("The session in this folder was written elsewhere"));
    expect((await session(host, projectId)).context.conversation.running_summary).toBe("theirs");

    const grace = { owner: "Grace", host: "desk", pid: 1, heartbeat: "2026-05-20T10:00:00Z", revision: 7 };
    host.files(ROOT)[".ai-brain/lock.json"] = JSON.stringify(grace);
    lookAgain(host);
    await screen.findByText("Grace works on this folder on desk");
    await click("Take over");
    await gone(() => screen.queryByText("Grace works on this folder on desk"));
    expect((await session(host, projectId)).files.state).toBe("written");
  });

  it("that came with a folder is kept up, and a damaged file of it gives way to its copy", async () => {
    const host = await startHost({ folders: { [ROOT]: { ".ai-brain/context.json": "{" } } });
    setTransport(host);
    render(<App />);
    await screen.findByText("Drop a project folder here");
    act(() => host.drag({ type: "drop", paths: [host.at(ROOT)] }));
    const sheet = within(await screen.findByRole("dialog", { name: "aurora" }));
    const share = await sheet.findByRole("switch", { name: "Keep the session in the folder" });
    expect(share.getAttribute("aria-checked")).toBe("true");
    await push(sheet.findByRole("button", { name: "Open project" }));
    await field();
    const [project] = await host.invoke("project_list", null);
    const projectId = project!.id;
    await waitFor(async () => expect((await session(host, projectId)).shared).toBe(true));

    const copied = async (text: string) => {
      await change(host, projectId, { change: "add_decision", text, source: null, origin: "person" });
      const copies = await host.invoke("session_snapshot", { id: projectId });
      return copies.find(({ file }) => file === "workflow.json")!;
    };
    const good = await copied("use S256");
    await host.world({ clock_ahead: 86_400 });
    const newer = await copied("use MD5");
    // A newer copy that is not what was copied is passed over. What is damaged while nobody is there is met at the next start.
    const files = host.files(ROOT);
    await host.again(() => {
      files[`.ai-brain/snapshots/${newer.name}`] = "{}";
      files[".ai-brain/workflow.json"] = "{";
    });
    lookAgain(host);
    await screen.findByText(".ai-brain/workflow.json is damaged");
    await expectAccessible();
    await click("Go back to the copy");
    await screen.findByText(`The session is as the copy of ${formatMoment(Date.parse(good.at))} has it.`);
    expect(await decisions(host, projectId)).toEqual(["use S256"]);
  });
});
