// Tools of the fake: what is offered and remembered, calls that wait, runs, servers, the inbox, plans and verdicts. The
// turns of running.ts call `carryOut` for each call that a test or the demo makes a model write.
import type {
  AnswerApproval,
  Approval,
  Commands,
  Evaluation,
  ExecutionTree,
  InboxItem,
  KeptOutput,
  McpFound,
  McpItem,
  McpRef,
  McpTested,
  RunNode,
  Sandbox,
  Sent,
  ToolEffect,
  ToolItem,
  ToolPanel,
  ToolRule,
  ToolSettings,
  WorkflowChange,
} from "../bindings";
import { writable } from "./keys";
import * as memory from "./memory";
import * as sessions from "./sessions";
import { conversationOf, failure, newId, now, pause, type State } from "./state";
import { send } from "./turns";

/** A call as the fake's model writes it, and what comes of it. */
export interface FakeCall {
  name: string;
  arguments: Record<string, unknown>;
  result: string;
  is_error?: boolean;
  /** The whole of a long result; `result` is what the model gets of it. */
  whole?: string;
  /** What is shown before the person answers; a call of a tool that only looks asks nothing. */
  asks?: Partial<Pick<Approval, "change" | "command" | "purpose" | "patterns">>;
  /** What comes while it runs. */
  output?: string[];
  /** What it does to the fake's world. */
  does?: () => void;
}

/** A reply that ends in calls. */
export interface FakeStep {
  text?: string;
  thought?: string;
  calls: FakeCall[];
}

interface Waiting {
  conversation_id: string;
  approval: Approval;
  answer: (answer: AnswerApproval) => void;
}

export interface ToolState {
  items: ToolItem[];
  allowed: Set<string>;
  sandbox: Sandbox;
  rules: ToolRule[];
  waiting: Waiting[];
  /** Nodes by turn. */
  nodes: Map<string, RunNode[]>;
  outputs: Map<string, string>;
  servers: McpItem[];
  /** What a server answers when it is asked, by its name; without one it cannot be reached. */
  offers: Map<string, McpTested>;
  found: McpFound[];
  inbox: InboxItem[];
  tree: (goal: string) => ExecutionTree;
  evaluation: Evaluation;
}

export const SETTINGS: { tools: ToolSettings } = {
  tools: { on: true, max_rounds: 40, max_tokens: 0, max_seconds: 1800, command_seconds: 120, off: [] },
};

const EFFECTS: Record<string, ToolEffect> = {
  list_files: "reads",
  find_files: "reads",
  search_files: "reads",
  read_file: "reads",
  edit_file: "changes",
  write_file: "changes",
  move_file: "changes",
  delete_file: "changes",
  run_command: "runs",
  read_output: "reads",
  read_memory: "reads",
  remember: "proposes",
  search_conversations: "reads",
  propose: "proposes",
};

const ANYWHERE = ["read_output", "read_memory", "remember", "search_conversations"];

export function fresh(): ToolState {
  return {
    items: Object.entries(EFFECTS).map(([name, effect]) => ({ name, description: `Does ${name}.`, effect, server: null, on: true, available: true })),
    allowed: new Set(),
    sandbox: "writes",
    rules: [],
    waiting: [],
    nodes: new Map(),
    outputs: new Map(),
    servers: [],
    offers: new Map(),
    found: [],
    inbox: [],
    tree: (goal) => ({ title: goal, steps: [{ title: goal, notes: "", acceptance: [], after: [] }] }),
    evaluation: { met: true, criteria: [], model: "offline" },
  };
}

export function effectOf(name: string): ToolEffect {
  return EFFECTS[name] ?? "runs";
}

export function aboutOf({ name, arguments: given }: FakeCall): string {
  if (name === "move_file") return `${String(given["from"])} → ${String(given["to"])}`;
  const first = given["command"] ?? given["pattern"] ?? given["path"] ?? given["text"] ?? given["query"];
  return first === undefined ? JSON.stringify(given) : String(first);
}

function serverOf(name: string): string | null {
  return /^mcp__(.+?)__/.exec(name)?.[1] ?? null;
}

export function keep(state: State, text: string): KeptOutput {
  const hash = newId().replaceAll("-", "");
  state.tools.outputs.set(hash, text);
  return { hash, bytes: new TextEncoder().encode(text).length, lines: text.split("\n").length };
}

/** What the person's rules say; nothing of a call that only looks is asked. */
export function decide(state: State, project_id: string | null, name: string, command: string | null): "allow" | "deny" | "ask" {
  const holds = ({ tool, scope, project_id: at }: ToolRule) =>
    tool === name && (at === null || at === project_id) && (scope.kind !== "command" || scope.line === command) && scope.kind !== "exactly";
  const rules = state.tools.rules.filter(holds);
  if (rules.some(({ verdict }) => verdict === "deny")) return "deny";
  if (rules.length > 0 || !["changes", "runs"].includes(effectOf(name))) return "allow";
  return "ask";
}

/** Waits until the person answers; `null` once the turn is stopped. */
export async function ask(state: State, conversation_id: string, turn_id: string, call_id: string, fakeCall: FakeCall): Promise<AnswerApproval | null> {
  const { name, asks = {} } = fakeCall;
  const text = JSON.stringify(fakeCall.arguments);
  const approval: Approval = {
    turn_id,
    call_id,
    tool: name,
    server: serverOf(name),
    effect: effectOf(name),
    change: null,
    command: null,
    purpose: null,
    patterns: [],
    arguments: text,
    ...asks,
    hash: `${call_id}:${text}`,
  };
  let answered: AnswerApproval | null = null;
  const waiting: Waiting = { conversation_id, approval, answer: (answer) => (answered = answer) };
  state.tools.waiting.push(waiting);
  state.emit({ type: "tools" }, { type: "conversation", id: conversation_id });
  while (answered === null && !state.turns.get(turn_id)!.stopped) await pause(state);
  state.tools.waiting = state.tools.waiting.filter((one) => one !== waiting);
  state.emit({ type: "tools" }, { type: "conversation", id: conversation_id });
  return answered;
}

function answer(state: State, request: AnswerApproval): null {
  const { conversation_id, call_id, hash } = request;
  const waiting = state.tools.waiting.find((one) => one.conversation_id === conversation_id && one.approval.call_id === call_id);
  if (!waiting) throw failure("not_found", "nothing waits");
  if (waiting.approval.hash !== hash) throw failure("conflict", "what waits is another call");
  const { tool, command } = waiting.approval;
  const { project_id } = conversationOf(state, conversation_id);
  const remember = (scope: ToolRule["scope"], verdict: ToolRule["verdict"]) =>
    state.tools.rules.push({ id: newId(), project_id, tool, fingerprint: "f", scope, verdict, created_at: now(state) });
  if (request.answer === "always_tool") remember({ kind: "tool" }, "allow");
  if (request.answer === "always_pattern") remember({ kind: "paths", pattern: request.pattern }, "allow");
  if (request.answer === "always_exactly") remember(command === null ? { kind: "exactly", hash } : { kind: "command", line: command }, "allow");
  if (request.answer === "never") remember({ kind: "tool" }, "deny");
  waiting.answer(request);
  return null;
}

function panel(state: State, project_id: string | null): ToolPanel {
  const { items, allowed, sandbox, rules } = state.tools;
  const trusted = project_id !== null && state.projects.get(project_id)?.trust === "trusted";
  const commands_allowed = project_id !== null && allowed.has(project_id);
  const { off } = state.settings.tools;
  const tools = items.map((item) => {
    const available = item.server !== null || ANYWHERE.includes(item.name) || (trusted && (item.name !== "run_command" || commands_allowed));
    return { ...item, on: !off.includes(item.name), available };
  });
  const held = rules.filter((rule) => rule.project_id === null || rule.project_id === project_id);
  return { tools, commands_allowed, sandbox, rules: held };
}

function server(state: State, { project_id, name }: McpRef): McpItem {
  const found = state.tools.servers.find(({ server }) => server.project_id === project_id && server.name === name);
  if (!found) throw failure("not_found", `server ${name}`);
  return found;
}

/** The plan becomes part of the work, and its first task is asked for. */
function carryPlan(state: State, conversation_id: string, { title, steps }: ExecutionTree): Sent | Promise<Sent> {
  const { project_id } = conversationOf(state, conversation_id);
  if (project_id === null) throw failure("bad_request", "a plan is one of a project");
  const change = (it: WorkflowChange) => sessions.change(state, { project_id, change: it, reset: false });
  const plan = change({ change: "add_plan", title, description: "" }).plans.at(-1)!;
  const tasks: string[] = [];
  for (const { title, notes, acceptance, after } of steps) {
    const depends_on = after.map((place) => tasks[place]!);
    const next = change({ change: "add_task", plan_id: plan.id, title, notes, acceptance, depends_on });
    tasks.push(next.plans.find(({ id }) => id === plan.id)!.tasks.at(-1)!.id);
  }
  change({ change: "start_task", id: tasks[0]! });
  return askForTask(state, project_id, conversation_id, tasks[0]!);
}

async function askForTask(state: State, project_id: string, conversation_id: string, task_id: string): Promise<Sent> {
  const session = sessions.of(state, project_id);
  const plan = session.workflow.plans.find(({ tasks }) => tasks.some(({ id }) => id === task_id));
  const task = plan?.tasks.find(({ id }) => id === task_id);
  if (!plan || !task) throw failure("not_found", `task ${task_id}`);
  const text = [task.title, task.notes, ...task.acceptance.map((line) => `- ${line}`)].filter((line) => line !== "").join("\n");
  const sent = await send(state, { conversation_id, text, attachments: [] });
  const asked = { conversation_id, message_id: sent.message_id };
  session.workflow = { ...session.workflow, run: { plan_id: plan.id, task_id, asked, state: "asked" } };
  state.emit({ type: "sessions" });
  return sent;
}

type Own =
  | "tool_panel" | "tool_commands" | "tool_rule_revoke" | "tool_rule_restore" | "tool_output" | "approval_list" | "approval_answer" | "run_get"
  | "mcp_list" | "mcp_set" | "mcp_remove" | "mcp_secret" | "mcp_trust" | "mcp_test" | "mcp_found"
  | "inbox_list" | "inbox_accept" | "inbox_dismiss" | "tree_create" | "tree_run" | "tree_go_on" | "tree_stop" | "turn_evaluate";
type Handlers = { [C in Own]: (request: Commands[C]["request"]) => Commands[C]["reply"] | Promise<Commands[C]["reply"]> };

export function handlers(state: State): Handlers {
  const { tools } = state;
  const forgotten: typeof tools.rules = [];
  const told = <T>(reply: T): T => {
    state.emit({ type: "tools" });
    return reply;
  };
  const taken = (id: string): InboxItem => {
    const item = tools.inbox.find((one) => one.id === id);
    if (!item) throw failure("not_found", "a line of the inbox");
    tools.inbox = tools.inbox.filter((one) => one !== item);
    return told(item);
  };
  return {
    tool_panel: ({ project_id }) => panel(state, project_id),
    tool_commands: ({ project_id, allowed }) => {
      if (allowed) tools.allowed.add(project_id);
      else tools.allowed.delete(project_id);
      return told(panel(state, project_id));
    },
    tool_rule_revoke: ({ id }) => {
      if (!tools.rules.some((rule) => rule.id === id)) throw failure("not_found", `rule ${id}`);
      forgotten.push(...tools.rules.filter((rule) => rule.id === id));
      tools.rules = tools.rules.filter((rule) => rule.id !== id);
      return told(null);
    },
    tool_rule_restore: ({ id }) => {
      const rule = forgotten.find((rule) => rule.id === id);
      if (!rule) throw failure("not_found", `rule ${id}`);
      forgotten.splice(forgotten.indexOf(rule), 1);
      tools.rules = [...tools.rules, rule];
      return told(null);
    },
    tool_output: ({ hash, offset, limit }) => {
      const lines = tools.outputs.get(hash)?.split("\n");
      if (!lines) throw failure("not_found", `output ${hash}`);
      return { text: lines.slice(offset - 1, offset - 1 + limit).join("\n"), offset, lines: lines.length };
    },
    approval_list: ({ id }) => tools.waiting.filter(({ conversation_id }) => conversation_id === id).map(({ approval }) => approval),
    approval_answer: (request) => answer(state, request),
    run_get: ({ id }) => ({ turn_id: id, nodes: structuredClone(tools.nodes.get(id) ?? []) }),
    mcp_list: ({ project_id }) => tools.servers.filter((one) => one.server.project_id === null || one.server.project_id === project_id),
    mcp_set: ({ project_id, name, transport, on }) => {
      if (!/^[A-Za-z0-9_-]{1,32}$/.test(name)) throw failure("bad_request", "a server's name has letters, digits, - and _");
      const known = tools.servers.find((one) => one.server.project_id === project_id && one.server.name === name);
      const same = known !== undefined && JSON.stringify(known.server.transport) === JSON.stringify(transport);
      const needed = transport.by === "stdio" ? transport.secret_env : transport.secret_header === "" ? [] : [transport.secret_header];
      const item: McpItem = {
        server: {
          project_id,
          name,
          transport,
          on,
          trusted: same ? known.server.trusted : "",
          instructions_trusted: same ? known.server.instructions_trusted : "",
        },
        trusted: same && known.trusted,
        missing_secrets: same ? known.missing_secrets : needed,
        fault: null,
        tools: same ? known.tools : [],
      };
      tools.servers = [...tools.servers.filter((one) => one !== known), item];
      return told(item);
    },
    mcp_remove: (ref) => {
      const gone = server(state, ref);
      tools.servers = tools.servers.filter((one) => one !== gone);
      return told(null);
    },
    mcp_secret: ({ project_id, name: of, variable, place }) => {
      if (place) writable(state, place);
      const item = server(state, { project_id, name: of });
      item.missing_secrets = item.missing_secrets.filter((name) => name !== variable);
      return told({ ...item });
    },
    mcp_trust: ({ fingerprint, instructions, ...ref }) => {
      const item = server(state, ref);
      if (tools.offers.get(ref.name)?.fingerprint !== fingerprint) throw failure("conflict", "the server changed meanwhile");
      item.trusted = true;
      Object.assign(item.server, { trusted: fingerprint, instructions_trusted: instructions });
      return told({ ...item });
    },
    mcp_test: async (ref) => {
      const item = server(state, ref);
      await pause(state);
      const tested = tools.offers.get(ref.name);
      item.fault = tested ? null : "it ended before it answered";
      item.tools = tested?.tools.map(({ name }) => name) ?? [];
      if (!tested) throw told(failure("internal", item.fault!));
      return told(tested);
    },
    mcp_found: () => tools.found,
    inbox_list: ({ project_id }) => tools.inbox.filter((item) => item.project_id === null || item.project_id === project_id),
    inbox_accept: ({ id, text, global }) => {
      const { project_id, message_id } = taken(id);
      const at = { project_id: global ? null : project_id, conversation_id: null };
      return memory.add(state, { ...at, text, source: `silt:message/${message_id}` });
    },
    inbox_dismiss: ({ id }) => {
      taken(id);
      return null;
    },
    tree_create: async ({ goal }) => {
      await pause(state);
      return tools.tree(goal);
    },
    tree_run: ({ conversation_id, tree }) => carryPlan(state, conversation_id, tree),
    tree_go_on: ({ id }) => {
      const { run } = sessions.of(state, id).workflow;
      if (!run) throw failure("conflict", "no plan is carried out");
      return askForTask(state, id, run.asked.conversation_id, run.task_id);
    },
    tree_stop: ({ id }) => {
      const session = sessions.of(state, id);
      session.workflow = { ...session.workflow, run: undefined };
      state.emit({ type: "sessions" });
      return session.workflow;
    },
    turn_evaluate: async ({ id }) => {
      if (!state.turns.has(id)) throw failure("not_found", `turn ${id}`);
      await pause(state);
      return tools.evaluation;
    },
  };
}
