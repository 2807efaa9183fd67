// What is known of a call from what was told, written down and answered, and which calls become one line.
import { describe, expect, it } from "vitest";
import type { NodeStatus, ToolProgress } from "@/ipc";
import { setLanguage } from "@/shared/i18n";
import { aboutOf, know, linesOf, unwritten, type Call, type Known, type ToolNode } from "./calls";
import { calledIn } from "./called";
import { agentAct, toolName } from "./names";

const call = (name: string, given: unknown = {}, more: Partial<Call> = {}): Call => ({
  id: `${name}-1`, name, arguments: JSON.stringify(given), replyId: "r", result: null, ...more,
});
const answered = (isError = false) => ({ messageId: "m", text: "", isError, kept: null });
const node = (status: NodeStatus): ToolNode => ({
  kind: "tool", id: "n", turn_id: "t", parent: null, status, started_at: "", ended_at: null, usage: null, cost: null,
  tool: "read_file", call_id: "read_file-1", effect: "reads", message_id: null, about: "a.rs", touched: [], checkpoint_id: null, left_id: null, kept: false,
});
const progress = (status: NodeStatus): ToolProgress => ({ call_id: "read_file-1", tool: "read_file", about: "a.rs", status, kept: false });
const done = (name: string, status: Known["status"] = "done", at = ""): Known => ({
  ...know(call(name, {}, { id: `${name}${at}`, result: answered() }), null, null, false), status,
});
const shape = (steps: (Known | string)[]) =>
  linesOf(steps).map((line) => (line.type === "many" ? line.steps.length : line.type === "call" ? line.known.call.name : line.text));

describe("a call", () => {
  it("stands where it was last told to stand while its turn goes on, and as it is written afterwards", () => {
    const read = call("read_file", { path: "a.rs" });
    expect(know(read, null, null, true).status).toBe("later");
    expect(know(read, node("running"), progress("waiting"), true).status).toBe("waiting");
    expect(know({ ...read, result: answered() }, node("running"), progress("running"), true).status).toBe("done");
    expect(know({ ...read, result: answered(true) }, node("denied"), null, false).status).toBe("denied");
  });

  it("without a result is interrupted once its turn is over, whatever a dead process wrote", () => {
    for (const status of ["waiting", "running"] as const) {
      expect(know(call("read_file"), node(status), null, false).status).toBe("stopped");
    }
    expect(know(call("read_file"), null, null, false).status).toBe("stopped");
  });

  it("says what it is about from its own words, where nobody wrote it down", () => {
    expect(aboutOf(call("write_file", { text: "long", path: "a.md" }))).toBe("a.md");
    expect(aboutOf(call("move_file", { from: "a", to: "b" }))).toBe("a → b");
    expect(aboutOf(call("list_files"))).toBe("/");
    expect(aboutOf(call("read_skill", { name: "pdf" }))).toBe("pdf");
    expect(aboutOf(call("read_skill", { name: "pdf", file: "forms.md" }))).toBe("pdf/forms.md");
    expect(aboutOf({ name: "read_file", arguments: "no json" })).toBe("");
    expect(know(call("mcp__x__y", { a: 1 }), null, null, false)).toMatchObject({ about: '{"a":1}', effect: "runs" });
  });
});

describe("calls in a row", () => {
  it("that only looked become one line from three on, with the thoughts between them", () => {
    const [a, b, c] = [done("read_file", "done", "1"), done("search_files", "done", "2"), done("read_file", "done", "3")];
    expect(shape([a, b])).toEqual(["read_file", "search_files"]);
    expect(shape([a, "hm", b, c, "so"])).toEqual([4, "so"]);
  });

  it("stay in sight when they failed, wait, or did more than look", () => {
    const looks = [1, 2, 3].map((n) => done("read_file", "done", `${n}`));
    expect(shape([...looks, done("read_file", "failed"), ...looks])).toEqual([3, "read_file", 3]);
    expect(shape([...looks, done("edit_file"), done("run_command", "waiting")])).toEqual([3, "edit_file", "run_command"]);
    const edits = Array.from({ length: 8 }, (_, n) => done("edit_file", "done", `${n}`));
    expect(shape(edits.slice(1))).toHaveLength(7);
    expect(shape(edits)).toEqual([8]);
  });
});

describe("a call of an agent", () => {
  const read = { ...progress("running"), call_id: "1", tool: "Goose: the other: read" };

  it("is named by the agent and what it does, in the language of the interface", () => {
    expect(agentAct(read.tool)).toEqual({ agent: "Goose: the other", act: "read" });
    expect(["run_command", "mcp__files__read", "read", ": read", "Goose: reads"].map(agentAct)).toEqual([null, null, null, null, null]);
    expect(toolName("Claude Code: run")).toBe("Claude Code: run a command");
    setLanguage("ko");
    expect(toolName("Claude Code: run")).toBe("Claude Code: 명령 실행");
  });

  it("is shown while it is in no message, and no other is", () => {
    const all = { "1": read, "2": { ...read, call_id: "2" }, "read_file-1": progress("running") };
    expect(unwritten(all, new Set(["2"]), "r")).toEqual([
      { type: "call", call: { id: "1", name: read.tool, arguments: "", replyId: "r", result: null } },
    ]);
  });
});

describe("a result in a request", () => {
  it("is named by its call, or by the name it came with; a message is not", () => {
    const asked = { source: "conversation", parts: [{ type: "tool_call" as const, id: "1", name: "read_file", arguments: '{"path":"a.rs"}', seal: null }] };
    const result = { source: "conversation", parts: [{ type: "tool_result" as const, call_id: "1", text: "", is_error: false, kept: null }] };
    const named = { source: "run_command cargo test", parts: [] };
    expect(calledIn([asked, result, named, { source: "conversation", parts: [] }, { source: "README.md:3", parts: [] }])).toEqual([
      null, { name: "read_file", about: "a.rs" }, { name: "run_command", about: "cargo test" }, null, null,
    ]);
  });
});
