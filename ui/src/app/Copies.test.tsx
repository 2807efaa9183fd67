// Side by side through the whole interface: agents are started in copies of a project, the board says how far each is, and what
// a copy changed is looked at, merged, asked about, undone, and kept when the copy goes. Real programs that speak the protocol
// of agents work in real folders.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport, type Failure, type Project } from "@/ipc";
import { agent, startHost, type Files, type Host } from "@/test/host";
import { button, click, expectAccessible, field, gone, push, shut, startAfresh } from "@/test/journey";
import { address, goToToday, runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const HOME = "/home/ada";
const ROOT = `${HOME}/aurora`;
const FIRST = "Claude Code";
const SECOND = "Codex";
const FILES: Files = { "a.txt": "one\ntwo\nthree\n", "b.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "c.txt": "same\n" };

interface Journey {
  host: Host;
  projectId: string;
  /** The project's files, as they are on the disk now. */
  files: Files;
}

/** A trusted project on its Today page, and two agents: the first does what it is asked, the second what its script says. */
async function start(script: string[], language: "en" | "ko" = "en"): Promise<Journey> {
  const disk = { "/codex.txt": script.join("\n") };
  const host = await startHost({ folders: { [ROOT]: { ...FILES } }, disk, language, settings: { language } });
  for (const [name, base_url] of [[FIRST, agent()], [SECOND, agent("--script", host.at("/codex.txt"))]] as const) {
    await host.invoke("provider_add", { name, kind: "agent", base_url });
  }
  await host.invoke("provider_default", { provider: FIRST, model: "default" });
  setTransport(host);
  const { id: projectId } = await host.open(ROOT);
  render(<App />);
  act(() => goToToday(projectId));
  return { host, projectId, files: host.files(ROOT) };
}

const region = async (name: string | RegExp) => within(await screen.findByRole("region", { name }));
const dialog = async (name: string | RegExp) => within(await screen.findByRole("dialog", { name }));
const all = (host: Host) => host.invoke("project_list", null);
const copies = async (host: Host) => (await all(host)).filter(({ copy }) => copy !== null).map(({ name }) => name).sort();
const copyOf = async (host: Host, name: string): Promise<Project> => (await all(host)).find((project) => project.name === name)!;
/** Everything on the disk below the folder in which the project and its copies lie. */
const onDisk = (host: Host) => Object.keys(host.files(HOME));

/** Fills in the dialog, and starts with the keys. */
async function startThem(task: string[]) {
  const asking = await dialog("Work side by side");
  await asking.findByText(/^Each gets a copy of the project beside it, in .*\/home\/ada: the files as they are now/);
  fireEvent.change(asking.getByRole("textbox", { name: /^Task/ }), { target: { value: task.join("\n") } });
  await waitFor(() => expect(asking.getByRole("button", { name: /^Start/ })).toHaveProperty("disabled", false));
  fireEvent.keyDown(asking.getByRole("textbox", { name: /^Task/ }), { key: "Enter", ctrlKey: true });
}

/** Both work until they are done, and the board is open. */
async function both(task: string[], script: string[]): Promise<Journey> {
  const journey = await start(script);
  await click("Work side by side…");
  await startThem(task);
  for (const name of ["claude-code", "codex"]) await (await region(name)).findByText("Done");
  return journey;
}

/** Opens the dialog that merges a copy, once the plan is made. */
async function merging(name: string) {
  await push((await region(name)).findByRole("button", { name: "Merge into aurora…" }));
  return dialog(`Merge ${name} into aurora`);
}

async function pick(name: string, option: string) {
  fireEvent.keyDown(await screen.findByRole("combobox", { name }), { key: "ArrowDown" });
  const found = await screen.findByRole("option", { name: option });
  fireEvent.pointerDown(found, { pointerType: "mouse", buttons: 1 });
  fireEvent.click(found);
}

const WRITE = "hidden a.txt one\\nTWO\\nthree\\n";

describe("agents side by side", () => {
  it("are started in copies of the project, and the board says how far each is", async () => {
    const { host, projectId, files } = await start(["hidden new.md new\\n", "say Second done."]);
    await click("Work side by side…");
    const asking = await dialog("Work side by side");
    await asking.findByRole("button", { name: `Copy 1: ${FIRST}` });
    // Another one than the first.
    asking.getByRole("button", { name: `Copy 2: ${SECOND}` });
    // No repository, no worktree.
    expect(await asking.findByRole("radio", { name: /^Git worktree ?needs a git repository/ })).toHaveProperty("disabled", true);
    expect(asking.getByRole("radio", { name: /^Plain folder/ })).toHaveProperty("checked", true);
    expect(asking.getByRole("button", { name: "Start 2" })).toHaveProperty("disabled", true);
    await expectAccessible();
    await startThem([WRITE, "say First done."]);

    await screen.findByRole("main", { name: "Side by side" });
    expect(address(usePlace.getState())).toBe(`/p/${projectId}/copies`);
    const first = await region("claude-code");
    await first.findByText("Done");
    await first.findByText("First done.");
    first.getByText(FIRST);
    first.getByText("plain folder");
    await first.findByText("1 file changed");
    first.getByText("a.txt");
    const second = await region("codex");
    await second.findByText("Second done.");
    await second.findByText("new.md");
    await expectAccessible();
    expect(await copies(host)).toEqual(["aurora-claude-code", "aurora-codex"]);
    expect(host.files(`${HOME}/aurora-claude-code`)["a.txt"]).toBe("one\nTWO\nthree\n");
    expect(host.files(`${HOME}/aurora-codex`)["new.md"]).toBe("new\n");
    expect({ ...files }).toEqual(FILES);

    // The conversation is in the copy; from there, the rail leads back.
    fireEvent.click(first.getByRole("button", { name: "Open" }));
    await field();
    await screen.findByText("First done.", { selector: "[data-row] *" });
    expect(usePlace.getState().projectId).toBe((await copyOf(host, "aurora-claude-code")).id);
    await push(button(/^Project ?aurora-claude-code/));
    await screen.findByRole("menuitem", { name: "codex (copy of aurora)" });
    fireEvent.keyDown(document.activeElement!, { key: "Escape" });
    await gone(() => screen.queryByRole("menu"));
    await click(/^Side by side ?2 ?Copy of aurora$/);
    await screen.findByRole("main", { name: "Side by side" });
    act(() => void runAction("copies"));
    await field();
  });

  it("are stopped and answered from the board", async () => {
    await start(["edit b.txt mine", "say Second done."]);
    await click("Work side by side…");
    await startThem(["hang"]);
    const first = await region("claude-code");
    await first.findByText("Waiting.");
    await push(first.findByRole("button", { name: "Stop" }));
    await first.findByText("Stopped");
    const second = await region("codex");
    await expectAccessible();
    fireEvent.click(await second.findByRole("button", { name: "Waits for your answer" }));
    await screen.findByRole("group", { name: "Change b.txt" });
  });

  it("are started one by one: a copy that fails says why and keeps no other from it, and none is started twice", async () => {
    const { host } = await start(["say Second done."]);
    const refusal: Failure = { code: "disk_full", message: "", hint: "" };
    const asked: string[] = [];
    const refusing = host.instead("copy_create", ({ name }, real) => {
      asked.push(name);
      return name === FIRST ? Promise.reject(refusal) : real();
    });
    await click("Work side by side…");
    await startThem(["say First done."]);
    const asking = await dialog("Work side by side");
    await asking.findByText("The disk is full.");
    await asking.findByText(`${SECOND} works`);
    await expectAccessible();
    expect(await copies(host)).toEqual(["aurora-codex"]);
    refusing();
    const again = host.instead("copy_create", ({ name }, real) => {
      asked.push(name);
      return real();
    });
    await push(asking.findByRole("button", { name: "Start 1" }));
    await (await region("claude-code")).findByText("First done.");
    await (await region("codex")).findByText("Second done.");
    expect(asked).toEqual([FIRST, SECOND, FIRST]);
    again();
  });

  it("are cancelled while a copy is made, and what was made of it goes", async () => {
    const { host } = await start([]);
    const cancelled: string[] = [];
    let refuse: (failure: Failure) => void = () => {};
    host.instead("copy_create", (_, _real, onEvent) => {
      onEvent({ done: 120, total: 400 });
      return new Promise((_done, failed) => (refuse = failed));
    });
    host.instead("copy_cancel", ({ making_id }) => {
      cancelled.push(making_id);
      refuse({ code: "cancelled", message: "", hint: "" });
      return null;
    });
    await click("Work side by side…");
    await startThem(["say First done."]);
    const asking = await dialog("Work side by side");
    const bar = await asking.findByRole("progressbar", { name: "Copying 120 of 400 files" });
    expect(bar.getAttribute("aria-valuenow")).toBe("30");
    await expectAccessible();
    fireEvent.click(asking.getByRole("button", { name: "Cancel" }));
    await gone(() => asking.queryByRole("progressbar"));
    // Nobody else is started either, and nothing is said to have failed.
    await gone(() => asking.queryByRole("alert"));
    expect(cancelled).toHaveLength(1);
    await asking.findByRole("button", { name: "Start 2" });
    fireEvent.click(asking.getByRole("button", { name: "Cancel" }));
    await shut();
    // What was to be done is there when it is opened again.
    act(() => void runAction("startCopies"));
    expect((await dialog("Work side by side")).getByRole("textbox", { name: /^Task/ })).toHaveProperty("value", "say First done.");
  });

  it("are offered for projects that are trusted, and not where nobody could work", async () => {
    const host = await startHost({ folders: { [ROOT]: { ...FILES }, [`${HOME}/other`]: { "a.txt": "" } } });
    setTransport(host);
    const { id: untrusted } = await host.open(`${HOME}/other`, "untrusted");
    const { id } = await host.open(ROOT);
    render(<App />);
    act(() => goToToday(untrusted));
    await screen.findByText("Nothing to go on with yet");
    await gone(() => screen.queryByRole("button", { name: "Work side by side…" }));
    expect(runAction("startCopies")).toBe(false);
    act(() => goToToday(id));
    await waitFor(() => expect(runAction("copies")).toBe(true));
    await screen.findByText("No copies yet");
    await expectAccessible();
    await click("Work side by side…");
    const asking = await dialog("Work side by side");
    await asking.findByText("Nobody is connected that could do it.");
    await expectAccessible();
    fireEvent.click(asking.getByRole("button", { name: "Connect a model" }));
    await dialog("Settings");
  });
});

describe("a copy", () => {
  it("is reviewed, merged into the project, and the merge is undone", async () => {
    const { host, files } = await both([WRITE], ["say Second done."]);
    const first = await region("claude-code");
    fireEvent.click(first.getByRole("button", { name: "Review" }));
    const review = await dialog("What claude-code changed");
    const change = await review.findByRole("group", { name: "a.txt" });
    expect(change.textContent).toMatch(/- two.*\+ TWO/s);
    review.getByText(/^What you mark becomes what it was in the copy when it began/);
    await gone(() => review.queryByText("by a command or an agent"));
    await expectAccessible();
    fireEvent.click(review.getAllByRole("button", { name: "Close" })[0]!);
    await shut();

    const merge = await merging("claude-code");
    merge.getByText(`Files change in ${host.at(ROOT)}. A checkpoint is taken before, and the merge can be undone.`);
    const list = within(await merge.findByRole("region", { name: "1 file changes" }));
    list.getByText("The copy changed it; here it is as it was when the copy began.");
    await expectAccessible();
    await push(merge.findByRole("button", { name: "Merge 1 file" }));
    const way = await button("Undo");
    screen.getByText("Merged 1 file of claude-code.");
    expect(files["a.txt"]).toBe("one\nTWO\nthree\n");
    await shut();
    fireEvent.click(way);
    await waitFor(() => expect(files["a.txt"]).toBe(FILES["a.txt"]));

    // The other one changed nothing.
    const nothing = await merging("codex");
    await nothing.findByText("There is nothing to merge: aurora has all that the copy changed.");
    expect(nothing.getByRole("button", { name: "Merge 0 files" })).toHaveProperty("disabled", true);
    await expectAccessible();
  });

  it("keeps what is here where both changed the same place, and both where the places are others", async () => {
    const task = [WRITE, "hidden b.txt 1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9 theirs\\n", "hidden c.txt other\\n"];
    const { files } = await both(task, ["say Second done."]);
    files["a.txt"] = "one\nmine\nthree\n";
    files["b.txt"] = "1 mine\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const merge = await merging("claude-code");
    const asked = within(await merge.findByRole("region", { name: "1 file was changed in both: you decide" }));
    asked.getByText("Changed in both in the same place; you decide.");
    expect(asked.getByRole("combobox").textContent).toBe("Keep what is here");
    const changes = within(merge.getByRole("region", { name: "2 files change" }));
    changes.getByText("Changed in both, in different places; both are kept.");
    const b = within(changes.getByText("b.txt").closest("li")!);
    expect(b.getByRole("combobox").textContent).toBe("Both together");
    // From what is here to both together: what is mine is in both.
    fireEvent.click(b.getByRole("button", { name: /^b\.txt/ }));
    await waitFor(() => expect(b.getByRole("group", { name: "b.txt" }).textContent).toMatch(/\+ 9 theirs/));
    expect(b.getByRole("group", { name: "b.txt" }).textContent).not.toMatch(/- 1 mine/);
    await expectAccessible();
    await push(merge.findByRole("button", { name: "Merge 2 files" }));
    await screen.findByText("Merged 2 files of claude-code.");
    expect({ ...files }).toEqual({ "a.txt": "one\nmine\nthree\n", "b.txt": "1 mine\n2\n3\n4\n5\n6\n7\n8\n9 theirs\n", "c.txt": "other\n" });
    await shut();

    // What was kept is asked about again; the copy's is taken when the person says so.
    const again = await merging("claude-code");
    await again.findByRole("region", { name: "1 file was changed in both: you decide" });
    await gone(() => again.queryByText("b.txt"));
    expect(again.getByRole("button", { name: "Merge 0 files" })).toHaveProperty("disabled", true);
    await pick("What happens to a.txt", "Merge both…");
    const text = await dialog("Merge a.txt");
    await text.findByRole("region", { name: "Here, now" });
    text.getByRole("region", { name: "In the copy" });
    await push(text.findByRole("button", { name: "Take the copy’s" }));
    await push(text.findByRole("button", { name: "Use this text" }));
    await push(again.findByRole("button", { name: "Merge 1 file" }));
    await waitFor(() => expect(files["a.txt"]).toBe("one\nTWO\nthree\n"));
  });

  it("is taken back from and merged on its Today page", async () => {
    const { host, files } = await both([WRITE, "hidden c.txt other\\n"], ["say Second done."]);
    const copy = await copyOf(host, "aurora-claude-code");
    act(() => goToToday(copy.id));
    const part = await region("Copy of aurora");
    const bar = await part.findByRole("group", { name: "Files changed in this copy" });
    expect(bar.textContent).toMatch(/2 files.*\+2−2/);
    await gone(() => screen.queryByRole("region", { name: "Side by side" }));
    await expectAccessible();
    fireEvent.click(part.getByRole("button", { name: "Take back…" }));
    const review = await dialog("Take back what claude-code changed");
    fireEvent.click(await review.findByRole("checkbox", { name: /^Take back: a\.txt$/ }));
    await push(review.findByRole("button", { name: "Take back in 1 file" }));
    await screen.findByText("Taken back in 1 file.");
    const there = host.files(`${HOME}/aurora-claude-code`);
    expect({ ...there }).toMatchObject({ "a.txt": "one\nTWO\nthree\n", "c.txt": "same\n" });
    await shut();
    await waitFor(() => expect(bar.textContent).toMatch(/1 file.*\+1−1/));
    fireEvent.click(part.getByRole("button", { name: "Merge into aurora…" }));
    await push((await dialog("Merge claude-code into aurora")).findByRole("button", { name: "Merge 1 file" }));
    await waitFor(() => expect({ ...files }).toEqual({ ...FILES, "a.txt": "one\nTWO\nthree\n" }));
  });

  it("goes with its folder, and its conversation and what it held are in the project", async () => {
    const { host, projectId } = await both([WRITE, "say First done."], ["say Second done."]);
    const copy = await copyOf(host, "aurora-claude-code");
    const change = { change: "add_decision", text: "tokens rotate daily", source: null, origin: "person" } as const;
    await host.invoke("workflow_change", { project_id: copy.id, change, reset: false });
    // Whoever is in it is led to the others.
    act(() => goToToday(copy.id));
    await push((await region("Copy of aurora")).findByRole("button", { name: "Remove…" }));
    const asking = await dialog("Remove claude-code?");
    asking.getByText(new RegExp(`^The folder ${copy.path} is deleted, .* in a checkpoint of aurora, and its conversations go over to aurora\\.$`));
    await asking.findByText("1 file is not merged into aurora.");
    asking.getByText("1 decision");
    await gone(() => asking.queryByText(/^The branch/));
    await expectAccessible();
    expect(onDisk(host)).toContain("aurora-claude-code/a.txt");
    await push(asking.findByRole("button", { name: "Remove the copy" }));
    await screen.findByText("The copy claude-code is removed. What it held is in a checkpoint of aurora.");
    await screen.findByRole("main", { name: "Side by side" });
    await gone(() => screen.queryByRole("region", { name: "claude-code" }));
    await region("codex");
    await shut();
    expect(onDisk(host).filter((path) => path.startsWith("aurora-claude-code"))).toEqual([]);
    expect(await copies(host)).toEqual(["aurora-codex"]);
    expect(await host.invoke("conversation_list", { project_id: projectId, trashed: false })).toHaveLength(1);
    // It is in the list of the project, whose checkpoints name it.
    act(() => void runAction("checkpoints"));
    await screen.findByRole("option", { name: /From the copy aurora-claude-code/ });
  });

  it("in which somebody is at work is stopped before it goes", async () => {
    const { host } = await start(["say Second done."]);
    await click("Work side by side…");
    await startThem(["hang"]);
    const first = await region("claude-code");
    await first.findByText("Waiting.");
    const merge = await merging("claude-code");
    await merge.findByText("It still works. What it changes from now on is not in this plan.");
    fireEvent.click(merge.getAllByRole("button", { name: "Close" })[0]!);
    await shut();
    await push(first.findByRole("button", { name: "More for claude-code" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Remove…" }));
    const asking = await dialog("Remove claude-code?");
    await asking.findByText("It still works. Stop it first.");
    expect(asking.getByRole("button", { name: "Remove the copy" })).toHaveProperty("disabled", true);
    await expectAccessible();
    fireEvent.click(asking.getByRole("button", { name: "Stop" }));
    await push(asking.findByRole("button", { name: "Remove the copy" }));
    await screen.findByText(/^The copy claude-code is removed\./);
    await shut();
    await gone(() => screen.queryByRole("region", { name: "claude-code" }));
    expect(await copies(host)).toEqual(["aurora-codex"]);
  });

  it("reads in Korean", async () => {
    const { files } = await start(["hidden c.txt other\\n", "say 둘째가 끝냈어요."], "ko");
    await click("나란히 작업하기…");
    const asking = await dialog("나란히 작업하기");
    await asking.findByText(/^프로젝트 옆 .*에 저마다 복사본을 만들어요\./);
    asking.getByRole("radio", { name: /^Git 워크트리 ?커밋이 있는 git 저장소에서만 돼요/ });
    await expectAccessible();
    fireEvent.change(asking.getByRole("textbox", { name: /^할 일/ }), { target: { value: "say 첫째가 끝냈어요." } });
    await push(asking.findByRole("button", { name: "2개 시작" }));
    const second = await region("codex");
    await second.findByText("둘째가 끝냈어요.");
    await second.findByText("끝났어요");
    await second.findByText("바뀐 파일 1개");
    await expectAccessible();
    fireEvent.click(second.getByRole("button", { name: "aurora에 합치기…" }));
    const merge = await dialog("codex 복사본을 aurora에 합치기");
    await merge.findByText("복사본이 바꿨고, 여기서는 복사본을 만들 때 그대로예요.");
    await expectAccessible();
    await push(merge.findByRole("button", { name: "파일 1개 합치기" }));
    await screen.findByText("codex 복사본에서 파일 1개를 합쳤어요.");
    expect(files["c.txt"]).toBe("other\n");
    await shut();
    await push(second.findByRole("button", { name: "codex 더 보기" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "지우기…" }));
    const remove = await dialog("codex 복사본을 지울까요?");
    await push(remove.findByRole("button", { name: "복사본 지우기" }));
    await screen.findByText(/^codex 복사본을 지웠어요\./);
    await shut();
    await gone(() => screen.queryByRole("region", { name: "codex" }));
  });
});
