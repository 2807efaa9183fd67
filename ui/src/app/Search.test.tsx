// Search everywhere through the whole interface: what is found of each kind opens at its place.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { startHost, type Host } from "@/test/host";
import { answered as ask, button, click, expectAccessible, field, push, shut, startAfresh } from "@/test/journey";
import { openOverlay, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

const FOLDERS = {
  "/code/aurora": {
    "AGENTS.md": "# Rules\nThe heron never sleeps.",
    "src/birds.rs": "// first\n// second\nfn heron() {}\n",
  },
  "/code/delta": { "AGENTS.md": "# Rules", "notes.md": "Another heron." },
};

async function open(host: Host, path: string) {
  const before = usePlace.getState().conversationId;
  act(() => host.drag({ type: "drop", paths: [host.at(path)] }));
  await click(/^Trust and use/);
  await waitFor(() => expect(usePlace.getState().conversationId).not.toBe(before));
  await field();
}

/** Two projects; in the first one a conversation, a decision, a remembered line and a checkpoint name a heron. */
async function start() {
  const host = await startHost({ folders: FOLDERS, model: { reply: () => "So it is." } });
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  await open(host, "/code/delta");
  await ask("Is the heron grey in delta?");
  await open(host, "/code/aurora");
  await ask("Where does the heron stand?");
  const project_id = usePlace.getState().projectId!;
  const conversation_id = usePlace.getState().conversationId!;
  const decision = { change: "add_decision", text: "The heron stays", source: null, origin: "person" } as const;
  await host.invoke("workflow_change", { project_id, change: decision, reset: false });
  await host.invoke("checkpoint_create", { project_id, conversation_id, tag: "heron-1" });
  return { host, project_id, conversation_id };
}

async function search(words: string) {
  act(() => openOverlay({ kind: "search" }));
  const dialog = await screen.findByRole("dialog", { name: "Search everything" });
  fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: words } });
  return dialog;
}

const hitIn = async (dialog: HTMLElement, group: RegExp) => {
  const region = await within(dialog).findByRole("region", { name: group });
  return within(region).getAllByRole("button")[0]!;
};

describe("search everywhere", () => {
  it("groups what it finds, and narrows by kind, project, person and day", async () => {
    await start();
    const dialog = await search("heron");
    await within(dialog).findByRole("region", { name: "Messages 2" });
    const regions = within(dialog).getAllByRole("region").map((it) => it.querySelector("h3")!.textContent);
    expect(regions).toEqual(["Messages 2", "Decisions 1", "Memory 1", "Files 2", "Checkpoints 1"]);
    await expectAccessible();

    fireEvent.click(within(dialog).getByRole("button", { name: "Files 2" }));
    await waitFor(() => expect(within(dialog).getAllByRole("region")).toHaveLength(1));
    within(dialog).getByRole("button", { name: /^src\/birds\.rs:3/ });
    // The other kinds can still be chosen, with how many there are.
    fireEvent.click(within(dialog).getByRole("button", { name: "Everything" }));
    await within(dialog).findByRole("region", { name: "Messages 2" });

    const choose = async (filter: string, option: RegExp) => {
      fireEvent.keyDown(within(dialog).getByRole("combobox", { name: filter }), { key: "ArrowDown" });
      const found = await screen.findByRole("option", { name: option });
      fireEvent.pointerDown(found, { pointerType: "mouse", buttons: 1 });
      fireEvent.click(found);
    };
    await choose("Where", /^delta/);
    await within(dialog).findByRole("region", { name: "Messages 1" });
    within(dialog).getByRole("region", { name: "Files 1" });
    await choose("Who said it", /^Said by the model/);
    await within(dialog).findByText("Nothing found for “heron”");
    await expectAccessible();
    fireEvent.click(within(dialog).getByRole("button", { name: "Search without filters" }));
    await within(dialog).findByRole("region", { name: "Messages 2" });

    await choose("When", /^From/);
    const [from, to] = ["From", "To, this day included"].map((name) => within(dialog).getByRole("textbox", { name }));
    fireEvent.change(to!, { target: { value: "2001-02-30" } });
    await within(dialog).findByText("Write a day as 2026-05-01.");
    fireEvent.change(to!, { target: { value: "2001-02-28" } });
    await within(dialog).findByText("Nothing found for “heron”");
    fireEvent.change(from!, { target: { value: "2001-03-01" } });
    await within(dialog).findByText("This day is before the first one.");
    fireEvent.click(within(dialog).getByRole("button", { name: "Clear filters" }));
    await within(dialog).findByRole("region", { name: "Messages 2" });
  });

  it("walks over all groups by arrows, and Enter opens the first hit once it is there", async () => {
    const { conversation_id } = await start();
    const dialog = await search("heron");
    await within(dialog).findByRole("region", { name: "Messages 2" });
    const box = within(dialog).getByRole("searchbox");
    box.focus();
    const stops = within(dialog).getAllByRole("region").flatMap((it) => within(it).getAllByRole("button"));
    for (const stop of stops) {
      fireEvent.keyDown(document.activeElement!, { key: "ArrowDown" });
      expect(document.activeElement).toBe(stop);
    }
    stops.forEach(() => fireEvent.keyDown(document.activeElement!, { key: "ArrowUp" }));
    expect(document.activeElement).toBe(box);

    // What is typed last counts, even where Enter comes before its hits.
    fireEvent.change(box, { target: { value: "does the heron" } });
    fireEvent.keyDown(box, { key: "Enter" });
    await shut();
    expect(usePlace.getState().conversationId).toBe(conversation_id);
    await waitFor(() => expect((document.activeElement as HTMLElement).dataset.row).toBeDefined());
  });

  it("opens a decision, a line of memory, a file's line and a checkpoint at their places", async () => {
    const { host, project_id } = await start();
    let dialog = await search("heron");
    fireEvent.click(await hitIn(dialog, /^Decisions/));
    const decision = await screen.findByText("The heron stays", { selector: "[data-sought] *" });
    await waitFor(() => expect(document.activeElement).toBe(decision.closest("li")));

    dialog = await search("heron");
    await push(within(dialog).findByRole("button", { name: /^src\/birds\.rs:3/ }));
    const file = await screen.findByRole("dialog", { name: "src/birds.rs" });
    await waitFor(() => expect(file.querySelector("[data-at]")?.textContent).toContain("fn heron() {}"));

    dialog = await search("heron");
    fireEvent.click(await hitIn(dialog, /^Memory/));
    await waitFor(() => expect(usePlace.getState().memory?.at).toMatchObject({ path: "AGENTS.md", line: 2 }));
    await screen.findByRole("main", { name: "Memory" });

    // A line that was added stands in no file: it is shown where it is listed.
    const text = "Herons are counted at dawn";
    const line = await host.invoke("memory_add", { project_id, conversation_id: null, text, source: null });
    dialog = await search("dawn");
    fireEvent.click(await hitIn(dialog, /^Memory/));
    await waitFor(() => expect(usePlace.getState().memory?.line?.id).toBe(line.id));
    await waitFor(() => expect(document.activeElement?.querySelector("p")?.textContent).toBe(text));

    dialog = await search("heron");
    fireEvent.click(await hitIn(dialog, /^Checkpoints/));
    const { items } = await host.invoke("checkpoint_list", { project_id, before: null, limit: 10 });
    const made = items.find(({ tag }) => tag === "heron-1")!;
    await waitFor(() => expect(usePlace.getState().checkpoints).toMatchObject({ projectId: project_id, id: made.id }));
  });

  it("remembers what led somewhere until it is told to forget, and says what failed", async () => {
    const { host } = await start();
    let dialog = await search("heron");
    fireEvent.click(await hitIn(dialog, /^Messages/));
    await shut();
    dialog = await search("");
    await push(within(dialog).findByRole("button", { name: "heron" }));
    expect(within(dialog).getByRole<HTMLInputElement>("searchbox").value).toBe("heron");
    await within(dialog).findByRole("region", { name: "Messages 2" });
    fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: "" } });
    await push(within(dialog).findByRole("button", { name: "Clear recent searches" }));
    await within(dialog).findByText(/^Korean is found inside words/);
    expect(localStorage.getItem("siltstone.searches")).not.toContain("heron");

    host.failing("find", { code: "busy", message: "another program holds the data" });
    fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: "egret" } });
    await within(dialog).findByText(/another program holds the data|is using the data/);
    await expectAccessible();
  });

  it("speaks Korean, and finds syllables inside words", async () => {
    await start();
    await ask("세션스키마정리는 언제 하나요?");
    act(() => setLanguage("ko"));
    act(() => openOverlay({ kind: "search" }));
    const dialog = await screen.findByRole("dialog", { name: "모두 검색" });
    fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: "스키마" } });
    await within(dialog).findByText("스키마", { selector: "mark" });
    within(dialog).getByRole("region", { name: "메시지 1" });
    await expectAccessible();
    // What is quoted is in its own language.
    within(dialog).getByText("스키마", { selector: "[lang=ko] > mark" });
    fireEvent.change(within(dialog).getByRole("searchbox"), { target: { value: "heron" } });
    await within(dialog).findAllByText("heron", { selector: "[lang=en] > mark" });
    fireEvent.keyDown(document.activeElement!, { key: "Escape" });
    await shut();
    await button(/검색/);
  });
});
