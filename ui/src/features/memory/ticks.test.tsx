// Flagged lines: left out unless they are ticked, and the safe answer is the filled button.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { setTransport, type Finding, type Transport } from "@/ipc";
import { ChangedDialog } from "./ChangedDialog";
import { passagesOf } from "./ticks";

const asked: [string, unknown][] = [];

beforeEach(() => {
  asked.length = 0;
  const none = () => () => undefined;
  const invoke = (command: string, request: unknown) => {
    asked.push([command, request]);
    return Promise.resolve(null);
  };
  setTransport({ invoke, stream: invoke, onChanged: none, onPathOffered: none, onDragDrop: none } as unknown as Transport);
});

const flagged = (line: number, hash: string, left_out: boolean, in_file?: string): Finding => ({
  line,
  column: 1,
  kind: { code: "asks_to_send" },
  excerpt: `words ${hash}`,
  passage: { lines: 1, hash, left_out },
  ...(in_file === undefined ? {} : { in_file }),
});
const dialog = (findings: Finding[], onClose = vi.fn()) => {
  const changes = [{ path: "AGENTS.md", hash: "1", before: "a", now: "b", findings }];
  render(<ChangedDialog projectId="p" changes={changes} onClose={onClose} />);
  return onClose;
};

describe("flagged lines", () => {
  it("are left out unless they are ticked, each by its own file and words", async () => {
    dialog([flagged(1, "a", true), flagged(2, "b", true), flagged(3, "c", false), flagged(4, "d", true, "docs/more.md")]);
    const boxes = screen.getAllByRole<HTMLInputElement>("checkbox");
    expect(boxes.map(({ checked }) => checked)).toEqual([false, false, true, false]);
    screen.getByRole("button", { name: "Agree without the 3 flagged lines" });
    fireEvent.click(boxes[1]!);
    fireEvent.click(boxes[2]!);
    fireEvent.click(boxes[3]!);
    await act(async () => screen.getByRole("button", { name: "Agree without the 2 flagged lines" }).click());
    expect(asked).toEqual([
      ["memory_agree", { project_id: "p", files: [{ path: "AGENTS.md", hash: "1" }] }],
      ["memory_allow", { project_id: "p", path: "AGENTS.md", hash: "b", on: true }],
      ["memory_allow", { project_id: "p", path: "AGENTS.md", hash: "c", on: false }],
      ["memory_allow", { project_id: "p", path: "docs/more.md", hash: "d", on: true }],
    ]);
  });

  it("make waiting the filled button, and only they do", () => {
    const filled = () => document.querySelector("footer .primary")?.textContent;
    dialog([flagged(1, "a", true)]);
    expect(filled()).toBe("Later");
    cleanup();
    dialog([]);
    expect(filled()).toBe("Agree");
  });

  it("are counted once a file and words", () => {
    const twice = [flagged(1, "a", true), flagged(9, "a", true)];
    expect(passagesOf([{ path: "x", findings: twice }, { path: "y", findings: twice }])).toHaveLength(2);
  });
});
