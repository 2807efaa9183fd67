// The question of trust: flagged lines are left out unless they are ticked, and the safe answer is the filled button.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { setTransport, type Finding, type Transport } from "@/ipc";
import { FolderSheet } from "./FolderSheet";

const asked: [string, unknown][] = [];
let findings: Finding[] = [];
/** Ends every name that the folder gives. */
let odd = "";

/** What the sheet shows, and an answer names. */
const SEEN = [{ path: "AGENTS.md", hash: "1" }];

beforeEach(() => {
  asked.length = 0;
  odd = "";
  const none = () => () => undefined;
  const memory = () => [
    { path: "AGENTS.md", layer: "project", dir: "", tokens: 9, bytes: 9, hash: "1", on: true, imports: [], findings },
  ];
  const replies: Record<string, () => unknown> = {
    project_probe: () => ({
      path: `/x/aurora${odd}`, name: `aurora${odd}`, counts: { files: 1, folders: 0, bytes: 9 }, instructions: [], never_sent: [],
      warnings: ["still_written"], git_branch: `main${odd}`, brain: false,
      effects: [{ path: `.mcp.json${odd}`, kind: "mcp_server", name: `db${odd}`, what: `npx${odd}` }], memory: memory(), seen: SEEN,
    }),
    project_open: () => ({ id: "p" }),
    project_list: () => [],
    settings_get: () => ({ this_computer_only: false }),
  };
  const invoke = (command: string, request: unknown) => {
    if (["project_open", "memory_allow"].includes(command)) asked.push([command, request]);
    return Promise.resolve(replies[command]?.() ?? null);
  };
  setTransport({ invoke, stream: invoke, onChanged: none, onPathOffered: none, onDragDrop: none } as unknown as Transport);
});

const flagged = (hash: string): Finding => ({
  line: 1,
  column: 1,
  kind: { code: "asks_to_send" },
  excerpt: `words ${hash}`,
  passage: { lines: 1, hash, left_out: true },
});
const sheet = async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <FolderSheet path="/x/aurora" />
    </QueryClientProvider>,
  );
  await screen.findByText("AGENTS.md");
  return () => [...document.querySelectorAll("footer button")].map((button) => [button.textContent, button.className.includes("primary")]);
};

describe("the question of trust", () => {
  it("leaves flagged lines out unless they are ticked", async () => {
    findings = [flagged("a"), flagged("b")];
    const buttons = await sheet();
    screen.getByText(/^Files are still being written here/);
    expect(buttons()).toEqual([
      ["Cancel", false],
      ["Trust without the 2 flagged lines", false],
      ["Open without its instructions", true],
    ]);
    fireEvent.click(screen.getByRole("checkbox", { name: "Send this line too: words b" }));
    await act(async () => screen.getByRole("button", { name: "Trust without the flagged line" }).click());
    expect(asked).toEqual([
      ["project_open", { path: "/x/aurora", trust: "trusted", this_computer_only: false, seen: SEEN }],
      ["memory_allow", { project_id: "p", path: "AGENTS.md", hash: "b", on: true }],
    ]);
  });

  it("has trust as the filled answer where nothing was flagged", async () => {
    findings = [];
    const buttons = await sheet();
    expect(buttons().at(-1)).toEqual([expect.any(String), true]);
    expect(buttons().filter(([, filled]) => filled)).toHaveLength(1);
  });

  it("shows what is hidden in the folder's own words, where it would turn or break them", async () => {
    odd = "\u202egnp.txt\n\u200b";
    findings = [{ ...flagged("a"), excerpt: `send${odd}` }];
    await sheet();
    const dialog = screen.getByRole("dialog");
    const shown = "U+202Egnp.txtU+000AU+200B";
    for (const name of ["aurora", "/x/aurora", "main", ".mcp.json", "db", "npx"])
      expect(dialog.textContent).toContain(`${name}${shown}`);
    expect(dialog.textContent).toContain("sendU+202Egnp.txt\nU+200B");
  });
});
