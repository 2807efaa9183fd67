// Nothing is submitted twice: two presses before anything is drawn between them, as a double click does it, ask once. And
// every place that submits hands it to the same hook, so that a new one does, too.
import { act, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { LinkDialog } from "@/app/LinkDialog";
import { ChangedDialog } from "@/features/memory/ChangedDialog";
import { ForeignDialog as WorkForeignDialog } from "@/features/work/ForeignDialog";
import { ForeignDialog } from "@/features/checkpoints/ForeignDialog";
import { setTransport, type Transport } from "@/ipc";
import "@/shared/i18n";

const invoke = vi.fn<(command: string) => Promise<never>>(() => new Promise(() => undefined));

beforeEach(() => {
  invoke.mockClear();
  const none = () => () => undefined;
  setTransport({ invoke, stream: invoke, onChanged: none, onPathOffered: none, onDragDrop: none } as unknown as Transport);
});

const close = () => undefined;
const changes = [{ path: "AGENTS.md", hash: "1", before: "a", now: "b", findings: [] }];
const files = [{ name: "context.json", before: "a", now: "b", hash: "1", conflicts: [], dropped: [], readable: true }];
const items = [{ path: "x", id: "one", tag: "x", timestamp: null, messages: 1, files: null, version: "", notes: [] }];

describe("what is pressed twice", () => {
  it.each<[string, ReactElement, RegExp[]]>([
    ["memory_agree", <ChangedDialog projectId="p" changes={changes} onClose={close} />, [/agree/i]],
    ["session_accept", <WorkForeignDialog projectId="p" files={files} first={false} onClose={close} />, [/^Take it in$/, /^Keep mine$/]],
    ["checkpoint_foreign_import", <ForeignDialog projectId="p" items={items} onImported={close} onClose={close} />, [/^Take/]],
    ["open_link", <LinkDialog url="https://example.com/" />, [/^Open/]],
  ])("is asked once: %s", async (command, dialog, names) => {
    render(dialog);
    const buttons = await Promise.all(names.map((name) => screen.findByRole("button", { name })));
    // All of them in one go: nothing is drawn between the presses.
    await act(async () => {
      for (const button of [...buttons, ...buttons]) button.click();
    });
    expect(invoke.mock.calls.map(([asked]) => asked)).toEqual([command]);
  });
});

/** More than one act of theirs is told apart, or one is given up for another: a guard of their own. */
const OWN = [
  "features/models/Connect.tsx",
  "features/models/KeyForm.tsx",
  "features/tools/ApprovalCard.tsx",
  "features/tools/tree/PlanDialog.tsx",
];

/** Their dialogs close before they ask, and what closes takes no press; or they only look. */
const CLOSED = [
  "features/checkpoints/MergeDialog.tsx",
  "features/checkpoints/MomentView.tsx",
  "features/egress/LeftList.tsx",
  "features/egress/SentBodyDialog.tsx",
  "features/memory/Layers.tsx",
  "features/rail/Trash.tsx",
  "features/remotes/RemotesPage.tsx",
  "features/search/SearchDialog.tsx",
  "features/settings/ProjectsPage.tsx",
  "features/settings/ProviderEntry.tsx",
  "features/start/DataTrouble.tsx",
  "features/tools/mcp/ServersPage.tsx",
  "features/tools/panel/Rules.tsx",
];

describe("every dialog and form", () => {
  it("hands what it submits to useAct", () => {
    const sources = import.meta.glob<string>("../**/*.tsx", { query: "?raw", import: "default", eager: true });
    const found = Object.entries(sources)
      .filter(([path, text]) => !path.endsWith(".test.tsx") && /<Dialog\b|<form\b/.test(text) && /\bcall\(/.test(text))
      .filter(([, text]) => !/\buseAct\(/.test(text))
      .map(([path]) => path.replace("../", ""));
    expect(found.sort()).toEqual([...OWN, ...CLOSED].sort());
  });
});
