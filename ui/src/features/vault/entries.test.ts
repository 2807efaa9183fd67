import { describe, expect, it } from "vitest";
import type { Part, VaultEntry } from "@/ipc";
import { currentLeaf, leafBeyond, pathTo, rowsOf } from "./entries";

const said = (text: string): Part => ({ type: "text", text });
const entry = (number: number, parent: number | null, role: VaultEntry["role"], parts: Part[], more: Partial<VaultEntry> = {}): VaultEntry => ({
  number,
  parent,
  active: true,
  role,
  kind: "said",
  parts,
  model: null,
  at: null,
  ...more,
});

/** A question, a call with its result, an answer; then two ways on, the second of which the agent took. */
const ENTRIES: VaultEntry[] = [
  entry(1, null, "user", [said("Why?")]),
  entry(2, 1, "assistant", [said("I look."), { type: "tool_call", id: "a", name: "Read", arguments: "{}", seal: null }], { model: "m" }),
  entry(3, 2, "tool", [{ type: "tool_result", call_id: "a", text: "found", is_error: false, kept: null }]),
  entry(4, 3, "assistant", [said("So.")]),
  entry(5, 4, "user", [said("First way")], { active: false }),
  entry(6, 5, "assistant", [said("There.")], { active: false }),
  entry(7, 4, "user", [said("Second way")]),
  entry(8, 7, "user", [said("Summary")], { kind: "fold" }),
];

describe("rows of a session", () => {
  it("are those of one path, a reply with its calls and their results in one", () => {
    const rows = rowsOf(ENTRIES, currentLeaf(ENTRIES));
    expect(rows.map(({ kind, numbers }) => [kind, numbers])).toEqual([
      ["user", [1]],
      ["assistant", [2, 3, 4]],
      ["user", [7]],
      ["fold", [8]],
    ]);
    const reply = rows[1]!;
    expect(reply.kind === "assistant" && reply.parts.map((part) => (part.type === "call" ? part.call.result?.text : part.type))).toEqual([
      "text",
      "found",
      "text",
    ]);
    expect(rows[2]!.siblings).toEqual({ index: 1, count: 2, ids: ["5", "7"] });
  });

  it("follow the branch that is chosen to its end, and the agent's own where it leads there", () => {
    expect(leafBeyond(ENTRIES, 5)).toBe(6);
    expect(leafBeyond(ENTRIES, 2)).toBe(8);
    expect(rowsOf(ENTRIES, 6).map(({ numbers }) => numbers.at(-1))).toEqual([1, 4, 5, 6]);
  });

  it("end, whatever a file says of what came before what", () => {
    const circle = [entry(1, 2, "user", [said("a")]), entry(2, 1, "assistant", [said("b")]), entry(3, 9, "user", [said("c")])];
    expect(pathTo(circle, 2).map(({ number }) => number)).toEqual([1, 2]);
    expect(rowsOf(circle, 3)).toHaveLength(1);
    expect(rowsOf([], currentLeaf([]))).toEqual([]);
  });
});
