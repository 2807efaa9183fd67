// The palette through the whole interface: what can be set and what can be opened is found in words that say it, what
// holds is checked, and what was chosen last stands first.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setTransport, type Settings } from "@/ipc";
import { startHost, type HostOptions } from "@/test/host";
import { click, expectAccessible, field as composer, gone, opened, shut, startAfresh } from "@/test/journey";
import { runAction, usePlace } from "./actions";
import { App } from "./App";

startAfresh();

async function start(options: HostOptions = {}) {
  const host = await startHost(options);
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  return host;
}

/** The same in a conversation of a trusted project. */
async function inProject(options: HostOptions = {}) {
  const host = await start({ folders: { "/code/aurora": { "AGENTS.md": "# Rules", "src/auth_session.rs": "fn rotate() {}\n" } }, ...options });
  act(() => host.drag({ type: "drop", paths: [host.at("/code/aurora")] }));
  await click(/^Trust and use/);
  await composer();
  return { host, project_id: usePlace.getState().projectId!, id: usePlace.getState().conversationId! };
}

async function palette(typed = "") {
  act(() => void runAction("palette"));
  const dialog = within(await opened());
  const field = await dialog.findByRole("combobox");
  const type = (value: string) => fireEvent.change(field, { target: { value } });
  type(typed);
  const first = () => dialog.getAllByRole("option")[0]!;
  const press = (key: string) => fireEvent.keyDown(field, { key });
  /** Enter, once this stands first. */
  const enter = async (name: RegExp) => {
    await waitFor(() => expect(first().textContent).toMatch(name));
    expect(first().getAttribute("aria-selected")).toBe("true");
    press("Enter");
  };
  return { dialog, type, first, enter, press };
}

describe("the palette", () => {
  it("sets theme and language, checks what holds, and puts first what was chosen last", async () => {
    const host = await start();
    let { dialog, enter, first, type, press } = await palette("dark");
    await enter(/^Use the dark theme/);
    await shut();
    await waitFor(() => expect(document.documentElement.dataset.theme).toBe("dark"));
    expect((await host.settings()).theme).toBe("dark");

    ({ dialog, enter, first, type, press } = await palette());
    expect(dialog.getByText("Recently used")).toBeTruthy();
    await waitFor(() => expect(first().textContent).toBe("Use the dark theme"));
    await waitFor(() => expect(first().getAttribute("aria-checked")).toBe("true"));
    expect(dialog.getAllByRole("option", { name: "Use the dark theme" })).toHaveLength(1);
    await expectAccessible();
    // What cannot be done says why, and stays.
    type("another model");
    expect(first().textContent).toContain("Open a conversation first");
    press("Enter");
    expect(first().getAttribute("aria-disabled")).toBe("true");
    type("korean");
    await enter(/^Speak Korean/);
    await waitFor(() => expect(document.documentElement.lang).toBe("ko"));

    ({ enter, dialog } = await palette("ㅂㅇㅌㅁ"));
    await enter(/^밝은 테마 쓰기/);
    await waitFor(() => expect(document.documentElement.dataset.theme).toBe("light"));
    ({ dialog, first, enter } = await palette());
    await waitFor(() => expect(first().textContent).toBe("밝은 테마 쓰기"));
    expect(dialog.getAllByRole("option").slice(0, 3).map(({ textContent }) => textContent)).toEqual(["밝은 테마 쓰기", "한국어로 보기", "어두운 테마 쓰기"]);
    await expectAccessible();
  });

  it("sets spacing, notifications, what stays here and how earlier messages are told", async () => {
    const host = await start();
    const { policy } = (await host.settings()).summary;
    let { dialog, enter } = await palette("compact");
    await enter(/^Use compact spacing/);
    expect(document.documentElement.dataset.density).toBe("compact");
    ({ dialog, enter } = await palette("comfortable spacing"));
    expect(dialog.getByRole("option", { name: "Use comfortable spacing" }).getAttribute("aria-checked")).toBe("false");
    await enter(/^Use comfortable spacing/);
    // What is on is turned off, and the other way round.
    for (const [typed, on, off, isOn] of [
      ["notifications", /^Turn notifications on/, /^Turn notifications off/, ({ notify }) => notify],
      ["this computer only", /^Ask this computer only/, /^Ask other computers too/, (now) => now.this_computer_only],
      ["cloud storage", /^Use no cloud storage/, /^Allow cloud storage/, ({ privacy }) => privacy.local_only],
      ["redact", /^Redact secrets/, /^Stop redacting secrets/, ({ privacy }) => privacy.sanitize_secrets],
    ] satisfies [string, RegExp, RegExp, (now: Settings) => boolean][]) {
      const before = isOn(await host.settings());
      for (const now of [!before, before]) {
        ({ enter } = await palette(typed === "this computer only" && !now ? "other computers" : typed));
        await enter(now ? on : off);
        await waitFor(async () => expect(isOn(await host.settings())).toBe(now));
      }
    }
    ({ dialog, enter } = await palette("one for every three turns"));
    await enter(/^Tell earlier messages, unless chosen otherwise: One for every three turns/);
    await waitFor(async () => expect((await host.settings()).summary).toMatchObject({ policy: "segments" }));
    expect(policy).not.toBe("segments");
  });

  it("uses another model here, and asks whom it is connected to only when that is wanted", async () => {
    const model = { reply: () => "So it is." };
    const { host, id } = await inProject({ model, models: [{ id: "opus-9" }, { id: "haiku-9" }] });
    const asked = vi.spyOn(host, "invoke");
    const lists = () => asked.mock.calls.filter(([command]) => command === "provider_models").length;
    let { dialog, enter } = await palette("haiku");
    await dialog.findByText("Nothing matches");
    expect(lists()).toBe(0);
    fireEvent.change(dialog.getByRole("combobox"), { target: { value: "other model" } });
    await enter(/^Use another model/);
    const models = within(await screen.findByRole("dialog", { name: "Type a model's name" }));
    await models.findByRole("option", { name: /^Use model opus-9/ });
    await expectAccessible();
    fireEvent.click(models.getByRole("option", { name: /^Use model haiku-9/ }));
    await shut();
    await waitFor(async () => expect((await host.invoke("conversation_get", { id })).model).toBe("haiku-9"));
    // Known by now.
    ({ dialog, enter } = await palette("haiku"));
    await waitFor(() => expect(dialog.getByRole("option", { name: /^Use model haiku-9/ }).getAttribute("aria-checked")).toBe("true"));
    fireEvent.change(dialog.getByRole("combobox"), { target: { value: "default model" } });
    await enter(/^Use the default model/);
    await waitFor(async () => expect((await host.invoke("conversation_get", { id })).model).toBe("opus-9"));
  });

  it("says what is known of each model, and puts first what was chosen last", async () => {
    const price = { input: 3_000_000, cached_input: null, cache_write: null, output: 15_000_000 };
    const models = [
      { id: "opus-9", context_window: 200_000, takes_images: true, takes_tools: true, price },
      { id: "haiku-9" },
    ];
    const { host, id } = await inProject({ model: { reply: () => "So it is." }, models });
    const opened = async () => {
      act(() => void runAction("model"));
      return within(await screen.findByRole("dialog", { name: "Type a model's name" }));
    };
    const said = "Holds 200k tokens, Reads pictures, Takes tools";
    let dialog = await opened();
    const opus = await dialog.findByRole("option", { name: `Use model opus-9Test$3.00 in and $15.00 out per million tokens, ${said}` });
    within(opus).getByText("$3.00 / $15.00");
    within(opus).getByText("200k");
    // What nobody knows is not there.
    expect((await dialog.findByRole("option", { name: /^Use model haiku-9/ })).textContent).toBe("Use model haiku-9Test");
    await expectAccessible();
    fireEvent.click(dialog.getByRole("option", { name: /^Use model haiku-9/ }));
    await shut();
    await waitFor(async () => expect((await host.invoke("conversation_get", { id })).model).toBe("haiku-9"));
    dialog = await opened();
    await dialog.findByText("Recently used");
    expect(dialog.getAllByRole("option")[0]!.textContent).toBe("Use model haiku-9Test");
    expect(dialog.getAllByRole("option", { name: /^Use model haiku-9/ })).toHaveLength(1);
    fireEvent.keyDown(dialog.getByRole("combobox"), { key: "Escape" });
    await shut();

    // The same beside the composer.
    await click("Model: haiku-9");
    const recent = within(await screen.findByRole("region", { name: "Recently used" }));
    expect(recent.getByRole("button", { name: "haiku-9", pressed: true })).toHaveProperty("textContent", "haiku-9Test");
    const rest = within(await screen.findByRole("region", { name: "Test" }));
    await gone(() => rest.queryByRole("button", { name: "haiku-9" }));
    expect(rest.getByRole("button", { name: "opus-9", description: `$3.00 in and $15.00 out per million tokens, ${said}` })).toBeTruthy();
    await expectAccessible();
    fireEvent.click(rest.getByRole("button", { name: "opus-9" }));
    await waitFor(async () => expect((await host.invoke("conversation_get", { id })).model).toBe("opus-9"));
    await click("Model: opus-9");
    const names = () => within(screen.getByRole("region", { name: "Recently used" })).getAllByRole("button").map((row) => row.getAttribute("aria-label"));
    await waitFor(() => expect(names()).toEqual(["opus-9", "haiku-9"]));
    await gone(() => screen.queryByRole("region", { name: "Test" }));
  });

  it("draws the first of many models, and finds all of them", async () => {
    const models = Array.from({ length: 45 }, (_, at) => ({ id: `model-${at + 1}.` }));
    await inProject({ model: { reply: () => "So it is." }, models });
    await click("Model: model-1.");
    const rows = () => within(screen.getByRole("region", { name: "Test" })).getAllByRole("button", { pressed: false });
    await waitFor(() => expect(rows()).toHaveLength(40));
    const filter = screen.getByRole("textbox", { name: "Find a model" });
    fireEvent.change(filter, { target: { value: "model-44." } });
    await screen.findByRole("button", { name: "model-44." });
    expect(rows()).toHaveLength(1);
    fireEvent.change(filter, { target: { value: "" } });
    await click("5 more of Test");
    await waitFor(() => expect(rows()).toHaveLength(45));
    await expectAccessible();
  });

  it("says which provider does not answer", async () => {
    const { host } = await inProject({ model: { reply: () => "So it is." } });
    host.failing("provider_models", { code: "provider_unreachable" });
    act(() => void runAction("model"));
    const dialog = within(await opened());
    const silent = await dialog.findByRole("option", { name: /^Test ?Nobody answers at the model/ });
    expect(silent.getAttribute("aria-disabled")).toBe("true");
  });

  it("opens files, settings by their words, projects and plans", async () => {
    const { host, project_id } = await inProject();
    const plan = (title: string) => host.invoke("workflow_change", { project_id, change: { change: "add_plan", title, description: "" }, reset: false });
    await plan("Move the port");
    await plan("Rotate tokens");
    let { dialog, enter } = await palette("authsess");
    await enter(/^src\/auth_session\.rs/);
    fireEvent.keyDown(await screen.findByRole("document"), { key: "Escape" });
    await shut();

    ({ dialog, enter } = await palette("that are never sent"));
    await enter(/^Open settings: PrivacyFiles that are never sentSettings/);
    await screen.findByRole("switch", { name: "Redact secrets" });
    await click("Close");

    ({ dialog, enter } = await palette("plan rotate"));
    await enter(/^Work on plan Rotate tokens/);
    await waitFor(async () => {
      const { plans, current_plan_id } = await host.invoke("workflow_get", { id: project_id });
      expect(plans.find(({ id }) => id === current_plan_id)?.title).toBe("Rotate tokens");
    });
    ({ dialog, enter } = await palette("plan and tasks"));
    fireEvent.change(dialog.getByRole("combobox"), { target: { value: "open today" } });
    await enter(/^Open Today/);
    await screen.findByRole("region", { name: "Plan and tasks" });

    ({ dialog, enter } = await palette("all projects"));
    await enter(/^Show conversations of all projects/);
    expect(usePlace.getState().projectId).toBeNull();
    ({ dialog, enter } = await palette("project aurora"));
    await enter(/^Open project aurora/);
    await waitFor(() => expect(usePlace.getState().projectId).toBe(project_id));
    // The file that was opened is among what was chosen last, in its project.
    ({ dialog, enter } = await palette());
    await dialog.findByText("Recently used");
    expect(dialog.getAllByRole("option", { name: /^src\/auth_session\.rs/ })).toHaveLength(1);
  });
});
