// Turns with tools: replies that end in calls, the calls with their results, and the reply after them. Every call asks by
// the rules of tools.ts, is a node of the run, and has a message with its result, unless the turn is stopped before.
import type { AnswerApproval, NodeStatus, RunNode, ToolProgress, TurnEvent } from "../bindings";
import * as checkpoints from "./checkpoints";
import { newId, now, pause, tokensOf, type State, type StoredConversation, type StoredMessage } from "./state";
import { aboutOf, ask, decide, effectOf, keep, type FakeCall, type FakeStep } from "./tools";
import { add } from "./tree";

interface Run {
  state: State;
  conversation: StoredConversation;
  turn_id: string;
  tell: (event: TurnEvent) => void;
}

/** Calls of a turn that wait or run. */
export function underWay(state: State, turn_id: string): ToolProgress[] {
  return (state.tools.nodes.get(turn_id) ?? []).flatMap((node) =>
    node.kind === "tool" && (node.status === "waiting" || node.status === "running")
      ? [{ call_id: node.call_id, tool: node.tool, about: node.about, status: node.status }]
      : [],
  );
}

interface Asked {
  id: string;
  call: FakeCall;
}

/** Carries the steps out; gives the reply that the model goes on in. */
export async function carryOut(run: Run, first: StoredMessage, steps: readonly FakeStep[]): Promise<StoredMessage> {
  const { state, conversation, turn_id, tell } = run;
  const turn = state.turns.get(turn_id)!;
  let reply = first;
  for (const { text = "", thought = "", calls } of steps) {
    reply.parts = [];
    const model = node(run, { kind: "model", model: turn.model, message_id: reply.id }, null);
    for (const [type, said] of [["reasoning", thought], ["text", text]] as const) {
      for (const word of said.match(/\s*\S+/g) ?? []) {
        await pause(state);
        if (turn.stopped) return reply;
        tell({ type, text: word });
      }
      if (said !== "") reply.parts.push(type === "text" ? { type, text: said } : { type, text: said, seal: null });
    }
    const asked = calls.map((call): Asked => ({ id: `call-${newId()}`, call }));
    reply.parts = [
      ...reply.parts,
      ...asked.map(({ id, call }) => ({ type: "tool_call" as const, id, name: call.name, arguments: JSON.stringify(call.arguments), seal: null })),
    ];
    reply.status = "complete";
    reply.tokens = tokensOf(text);
    ended(run, model, "done");
    model.usage = { input_tokens: 1200, output_tokens: reply.tokens, cached_input_tokens: 0, cache_write_tokens: 0, exact: true };
    changed(run);
    let parent_id = reply.id;
    for (const one of asked) {
      const result = await carried(run, one, model.id);
      if (result === null) return reply;
      parent_id = add(state, conversation, { role: "tool", parent_id, turn_id, parts: [result.part] }, "").id;
      if (result.node.kind === "tool") result.node.message_id = parent_id;
    }
    if (turn.stopped) return reply;
    reply = add(state, conversation, { role: "assistant", parent_id, turn_id, status: "streaming", model: first.model }, "");
    turn.reply_id = reply.id;
    tell({ type: "reply", reply_id: reply.id });
    changed(run);
  }
  return reply;
}

/** What a call came to; null when the turn was stopped before. */
async function carried(run: Run, { id: call_id, call }: Asked, parent: string) {
  const { state, conversation, turn_id, tell } = run;
  const { name } = call;
  const about = aboutOf(call);
  const own = node(run, { kind: "tool", tool: name, call_id, effect: effectOf(name), message_id: null, about, touched: [], checkpoint_id: null }, parent);
  const told = (status: NodeStatus) => {
    own.status = status;
    tell({ type: "tool", call: { call_id, tool: name, about, status } });
  };
  const turn = state.turns.get(turn_id)!;
  const stopped = () => {
    told("stopped");
    ended(run, own, "stopped");
    return null;
  };
  const refused = (text: string) => {
    ended(run, own, "denied");
    told("denied");
    return { part: { type: "tool_result" as const, call_id, text, is_error: true, kept: null }, node: own };
  };
  let verdict: string = decide(state, conversation.project_id, name, call.asks?.command ?? null);
  if (verdict === "ask") {
    told("waiting");
    const answered: AnswerApproval | null = await ask(state, conversation.id, turn_id, call_id, call);
    if (answered === null) return stopped();
    if (answered.answer === "no") return refused(`The person said no. ${answered.note}`.trim());
    verdict = answered.answer === "never" ? "deny" : "allow";
  }
  if (verdict === "deny") return refused("The person does not allow this tool here.");
  told("running");
  const destructive = effectOf(name) === "changes" || effectOf(name) === "runs";
  if (destructive && own.kind === "tool" && conversation.project_id !== null) {
    own.checkpoint_id = checkpoints.beforeTool(state, conversation.project_id, conversation.id, name);
  }
  for (const text of call.output ?? []) {
    await pause(state);
    if (turn.stopped) return stopped();
    tell({ type: "output", call_id, text });
  }
  await pause(state);
  if (turn.stopped) return stopped();
  call.does?.();
  const is_error = call.is_error ?? false;
  ended(run, own, is_error ? "failed" : "done");
  told(is_error ? "failed" : "done");
  const kept = call.whole === undefined ? null : keep(state, call.whole);
  return { part: { type: "tool_result" as const, call_id, text: call.result, is_error, kept }, node: own };
}

type Kind = RunNode extends infer Node ? (Node extends { kind: "model" | "tool" } ? Pick<Node, Extract<keyof Node, "kind" | "model" | "message_id" | "tool" | "call_id" | "effect" | "about" | "touched" | "checkpoint_id">> : never) : never;

function node({ state, turn_id }: Run, kind: Kind, parent: string | null): RunNode {
  const made = { id: newId(), turn_id, parent, status: "running", started_at: now(state), ended_at: null, usage: null, cost: null, ...kind } as RunNode;
  state.tools.nodes.set(turn_id, [...(state.tools.nodes.get(turn_id) ?? []), made]);
  return made;
}

function ended({ state }: Run, made: RunNode, status: NodeStatus): void {
  made.status = status;
  made.ended_at = now(state);
}

function changed({ state, conversation }: Run): void {
  state.emit({ type: "conversation", id: conversation.id });
}
