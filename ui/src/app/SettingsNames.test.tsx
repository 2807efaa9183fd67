// What stands on a control of the settings is part of its name, on every page: who speaks to the computer says what is
// read there.
import { act, render, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { expect, it, vi } from "vitest";
import { setTransport, type McpTransport } from "@/ipc";
import { startHost } from "@/test/host";
import { startAfresh } from "@/test/journey";
import { openOverlay, SETTINGS, showProject, type SettingsPage } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";
const KEY = "sk-ant-api03-0123456789abcdefc3f9";
const SERVER: McpTransport = { by: "http", url: "https://example.org/mcp", secret_header: "" };

const RULE = "label-content-name-mismatch";

/** axe draws letters, to tell them from icons. There is no canvas here, and where nothing is drawn the rule says nothing. */
const LETTERS = {
  canvas: {},
  measureText: (text: string) => ({ width: 30 * text.length }),
  fillText: () => {},
  clearRect: () => {},
  getImageData: () => ({ data: new Uint8ClampedArray([0, 0, 0, 255]) }),
};

/** What each page shows once it has read what it is about: none is looked at while it is empty. */
const THERE: Record<"en" | "ko", Record<SettingsPage, [role: "button" | "switch" | "combobox", name: RegExp]>> = {
  en: {
    general: ["combobox", /^Language/],
    models: ["button", /^Replace the key of Anthropic$/],
    tools: ["button", /^Look at docs$/],
    memory: ["switch", /./],
    folders: ["button", /^Forget aurora$/],
    privacy: ["switch", /^This computer only/],
    shortcuts: ["button", /^Ctrl\+K: /],
    data: ["button", /^Restore the backup of/],
  },
  ko: {
    general: ["combobox", /^언어/],
    models: ["button", /^Anthropic 키 교체$/],
    tools: ["button", /^docs 살펴보기$/],
    memory: ["switch", /./],
    folders: ["button", /^aurora 잊기$/],
    privacy: ["switch", /./],
    shortcuts: ["button", /^Ctrl\+K: /],
    data: ["button", /백업 복원$/],
  },
};

it.each(["en", "ko"] as const)("the settings call every control by what stands on it: %s", async (language) => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(LETTERS as unknown as CanvasRenderingContext2D);
  const host = await startHost({
    elsewhere: true,
    folders: { [ROOT]: { "a.txt": "one\n" } },
    key: KEY,
    provider: { name: "Anthropic", kind: "anthropic", base_url: "https://api.anthropic.com/v1" },
    models: [{ id: "opus" }, { id: "haiku" }],
    settings: { language, keys: { search: "Mod+J", find: "" } },
  });
  const { id: project_id } = await host.open(ROOT);
  await host.invoke("mcp_set", { project_id, name: "docs", transport: SERVER, on: true });
  await host.invoke("backup_create", null);
  setTransport(host);
  showProject(project_id);
  render(<App />);
  for (const { page, parts } of SETTINGS) {
    act(() => openOverlay({ kind: "settings", tab: parts[0] }));
    const dialog = await screen.findByRole("dialog", { name: language === "ko" ? "설정" : "Settings" });
    const [role, name] = THERE[language][page];
    expect(await within(dialog).findAllByRole(role, { name }), page).not.toEqual([]);
    await waitFor(async () => {
      const rules = { [RULE]: { enabled: true }, "color-contrast": { enabled: false } };
      const { violations, incomplete } = await axe.run(document.body, { rules });
      const undecided = incomplete.filter(({ id }) => id === RULE);
      const found = [...violations, ...undecided].flatMap(({ id, nodes }) => nodes.map(({ html }) => `${page}, ${id}: ${html}`));
      expect(found).toEqual([]);
    });
  }
});
