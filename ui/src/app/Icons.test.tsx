// What shows an icon and no words says what it does: to whoever hears it by its name, to whoever points at it by a tip.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { startHost } from "@/test/host";
import { answered, button, click, field, startAfresh } from "@/test/journey";
import { goToCheckpoints, goToConversation, goToMemory, openOverlay, SETTINGS, showContext, showSummaries, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

/** Buttons without words that have no name or no tip. */
function mute(): string[] {
  const buttons = [...document.querySelectorAll("button, [role=button]")].filter((one) => {
    const shown = one.cloneNode(true) as Element;
    shown.querySelectorAll("svg, .visually-hidden, [aria-hidden=true]").forEach((hidden) => hidden.remove());
    return shown.textContent.trim() === "" && one.querySelector("svg") !== null;
  });
  const isMute = (one: Element) =>
    !(one.getAttribute("aria-label") ?? "").trim() || !one.matches("[title], [data-base-ui-tooltip-trigger]");
  return buttons.filter(isMute).map(({ outerHTML }) => outerHTML.slice(0, 160));
}

it("has a name and a tip, on every screen", async () => {
  const model = { reply: () => "See `src/auth.rs`:\n\n```rust\nfn rotate() {}\n```" };
  const host = await startHost({ folders: { "/code/aurora": { "AGENTS.md": "# Rules", "src/auth.rs": "fn rotate() {}\n" } }, model });
  setTransport(host);
  render(<App />);
  const silent = async (screen: string) => waitFor(() => expect([screen, ...mute()]).toEqual([screen]));
  await screen.findByText("Drop a project folder here");
  await silent("start");
  act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));
  await button(/^Trust and use/);
  await silent("folder");
  await click(/^Trust and use/);
  await field();
  await answered("What rotates?");
  const { projectId, conversationId } = usePlace.getState();
  const place = { projectId: projectId!, conversationId };
  await host.invoke("checkpoint_create", { project_id: projectId!, conversation_id: conversationId, tag: "before" });
  await host.invoke("workflow_change", { project_id: projectId!, change: { change: "add_plan", title: "Rotate", description: "" }, reset: false });
  await host.invoke("workflow_change", {
    project_id: projectId!,
    change: { change: "add_task", plan_id: null, title: "First", notes: "", acceptance: [], depends_on: [] },
    reset: false,
  });
  act(() => showContext("next"));
  await screen.findByRole("tab", { name: "Request", selected: true });
  await silent("conversation");
  act(() => showSummaries());
  await screen.findByRole("tab", { name: "Summaries", selected: true });
  await silent("summaries");
  await click(/^Today.*Plan: Rotate/);
  await screen.findByText("First", { selector: "main *" });
  await silent("today");
  act(() => goToMemory(place, "AGENTS.md"));
  await screen.findByRole("main", { name: "Memory" });
  await screen.findByRole("tab", { name: "Edit" });
  await silent("memory");
  act(() => goToCheckpoints(place));
  await within(await screen.findByRole("listbox", { name: "Checkpoints" })).findAllByRole("option");
  await silent("checkpoints");
  act(() => goToConversation({ id: conversationId!, project_id: projectId }));
  await field();
  for (const tab of SETTINGS.flatMap(({ parts }) => parts)) {
    act(() => openOverlay({ kind: "settings", tab }));
    await waitFor(() => expect(screen.getByRole("tabpanel").childElementCount).toBeGreaterThan(0));
    await silent(`settings, ${tab}`);
  }
  for (const overlay of [{ kind: "search" }, { kind: "keys" }, { kind: "trash" }, { kind: "file", projectId: projectId!, path: "src/auth.rs", line: null }] as const) {
    act(() => openOverlay(overlay));
    await waitFor(() => expect(screen.getByRole("dialog").textContent).not.toBe(""));
    await silent(overlay.kind);
  }
});

it("names the key of what it does in its tip, as the person has it", async () => {
  const host = await startHost({ model: { reply: () => "So it is." }, settings: { keys: { regenerate: "Mod+J" } } });
  setTransport(host);
  render(<App />);
  await click(/^Just talk/);
  await field();
  await answered("What rotates?");
  for (const [name, key] of [["Hide the list", /B$/], ["Attach pictures or PDF files", /U$/], ["Answer again", /J$/]] as const) {
    fireEvent.focus(await button(name));
    const tip = await screen.findByText(name, { selector: "[data-open]" });
    await waitFor(() => expect(tip.querySelector("kbd")?.textContent).toMatch(key));
    fireEvent.blur(await button(name));
  }
});
