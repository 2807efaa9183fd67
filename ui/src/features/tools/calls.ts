// Calls of tools as the conversation shows them, and how many of them become one line. Pure.
import type { AnswerApproval, KeptOutput, MessageId, NodeStatus, RunNode, ToolEffect, ToolProgress } from "@/ipc";
import { agentAct, BUILT_IN } from "./names";

export interface CallResult {
  messageId: MessageId;
  text: string;
  isError: boolean;
  /** The whole of it, when `text` is its beginning and end. */
  kept: KeptOutput | null;
}

export interface Call {
  /** The provider's; unique in the message that asks. */
  id: string;
  /** The tool's name, as models use it. */
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
  /** The message that asks. */
  replyId: MessageId;
  /** Null while it waits or runs, and when nothing ever came. */
  result: CallResult | null;
}

/** What stands between two texts of a reply. */
export type Step = { type: "call"; call: Call } | { type: "thought"; text: string };

export type ToolNode = Extract<RunNode, { kind: "tool" }>;

/** A call with all that is known of it. */
export interface Known {
  call: Call;
  effect: ToolEffect;
  about: string;
  /** `later`: calls before it are still carried out. */
  status: NodeStatus | "later";
  node: ToolNode | null;
}

type Answer<T> = T extends unknown ? Omit<T, "conversation_id" | "call_id" | "hash"> : never;

/** What the person says to a call that waits. */
export type ApprovalAnswer = Answer<AnswerApproval>;

export type Line =
  | { type: "thought"; text: string }
  | { type: "call"; known: Known }
  /** Many that went well, in one line. */
  | { type: "many"; steps: (Known | string)[] };

/** So many finished calls that only look become one line; those that do more are wanted in sight for longer. */
const MANY = { reads: 3, others: 8 };

export const keyOf = ({ replyId, id }: Pick<Call, "replyId" | "id">) => `${replyId} ${id}`;

const EFFECTS: Readonly<Record<string, ToolEffect>> = {
  ...BUILT_IN,
  // Of other agents, as their sessions name them.
  Read: "reads",
  Glob: "reads",
  Grep: "reads",
  WebFetch: "reads",
  WebSearch: "reads",
  list_directory: "reads",
  glob: "reads",
  search_file_content: "reads",
  Edit: "changes",
  MultiEdit: "changes",
  Write: "changes",
  apply_patch: "changes",
  replace: "changes",
};

/** The arguments as an object; null when they are none. */
export function argumentsOf({ arguments: written }: Pick<Call, "arguments">): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(written.trim() === "" ? "{}" : written);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** A text among the arguments. */
export function textIn(given: Record<string, unknown> | null, name: string): string | null {
  const value = given?.[name];
  return typeof value === "string" ? value : null;
}

/** What a call is about, from its arguments alone. */
export function aboutOf(call: Pick<Call, "name" | "arguments">): string {
  const given = argumentsOf(call);
  if (call.name === "move_file") return `${textIn(given, "from") ?? ""} → ${textIn(given, "to") ?? ""}`;
  if (call.name === "read_output") return "";
  if (call.name === "read_skill") return [textIn(given, "name"), textIn(given, "file")].filter(Boolean).join("/");
  for (const name of ["command", "pattern", "query", "path", "file_path", "text", "title"]) {
    const value = given?.[name];
    // Some agents give a command word by word.
    const about = Array.isArray(value) && value.every((word) => typeof word === "string") ? value.join(" ") : value;
    if (typeof about === "string" && about !== "") return about;
  }
  return call.name === "list_files" ? "/" : call.name.startsWith("mcp__") ? call.arguments : "";
}

/** `live`: its turn is under way. What is told while it goes on beats what was written down, and that what can be told from the words alone. */
export function know(call: Call, node: ToolNode | null, progress: ToolProgress | null, live: boolean): Known {
  const ended = call.result === null ? null : call.result.isError ? "failed" : "done";
  const written = node?.status ?? null;
  const over = written === "waiting" || written === "running" ? null : written;
  const status = live ? (progress?.status ?? written ?? ended ?? "later") : (over ?? ended ?? "stopped");
  return {
    call,
    node,
    status: ended !== null && (status === "waiting" || status === "running" || status === "later") ? ended : status,
    effect: node?.effect ?? EFFECTS[call.name] ?? "runs",
    about: (progress?.about || node?.about) ?? aboutOf(call),
  };
}

/** What an agent does now and is in no message yet: it becomes part of one when the agent goes on. */
export function unwritten(progress: Readonly<Record<string, ToolProgress>>, written: ReadonlySet<string>, replyId: MessageId): Step[] {
  return Object.values(progress)
    .filter(({ call_id, tool }) => agentAct(tool) !== null && !written.has(call_id))
    .map(({ call_id: id, tool: name }) => ({ type: "call", call: { id, name, arguments: "", replyId, result: null } }));
}

/** The lines of a stretch of calls. */
export function linesOf(steps: readonly (Known | string)[]): Line[] {
  const lines: Line[] = [];
  let run: (Known | string)[] = [];
  const quiet = (step: Known | string) => typeof step === "string" || step.status === "done";
  const looks = (step: Known | string | undefined) => typeof step !== "object" || step.effect === "reads";
  const close = () => {
    const calls = run.filter((step) => typeof step !== "string");
    const most = calls.every(looks) ? MANY.reads : MANY.others;
    // What was thought after the last of them belongs to what comes.
    const end = run.findLastIndex((step) => typeof step !== "string") + 1;
    if (calls.length >= most) lines.push({ type: "many", steps: run.slice(0, end) });
    else lines.push(...run.slice(0, end).map(lineOf));
    lines.push(...run.slice(end).map(lineOf));
    run = [];
  };
  for (const step of steps) {
    const calls = run.filter((one) => typeof one !== "string");
    const other = typeof step !== "string" && calls.length > 0 && looks(step) !== looks(calls[0]);
    if (!quiet(step) || other) close();
    if (quiet(step)) run.push(step);
    else lines.push(lineOf(step));
  }
  close();
  return lines;
}

function lineOf(step: Known | string): Line {
  return typeof step === "string" ? { type: "thought", text: step } : { type: "call", known: step };
}

/** How often each tool was called, in the order in which they first were. */
export function counted(steps: readonly (Known | string)[]): [name: string, count: number][] {
  const counts = new Map<string, number>();
  for (const step of steps) {
    if (typeof step === "string") continue;
    counts.set(step.call.name, (counts.get(step.call.name) ?? 0) + 1);
  }
  return [...counts];
}

/** Whether a call of these has no result yet. */
export function isBusy(steps: readonly Step[]): boolean {
  return steps.some((step) => step.type === "call" && step.call.result === null);
}
