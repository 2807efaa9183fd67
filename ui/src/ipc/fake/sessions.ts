// Sessions of the fake: plans, tasks and decisions by the rules of the real host, and the card of a new day made of the
// conversations that are there. Files of `.ai-brain` are those of the fake's folders, and what a test says came from
// elsewhere.
import type {
  ChangeWorkflow,
  Commands,
  ContextFile,
  ForeignFile,
  Plan,
  ProjectId,
  ProposalRecord,
  ResumeCard,
  SessionFilesState,
  SessionSnapshot,
  SessionView,
  Task,
  Workflow,
  WorkflowChange,
} from "../bindings";
import * as projects from "./projects";
import { failure, newId, now, textOf, type State } from "./state";
import * as tree from "./tree";

export interface FakeSession {
  shared: boolean | null;
  workflow: Workflow;
  /** Files that came from elsewhere; for tests. */
  foreign: ForeignFile[];
  /** How the files stand where that is not as written; for tests. */
  files: SessionFilesState | null;
  snapshots: (SessionSnapshot & { workflow: Workflow })[];
  proposals: ProposalRecord[];
  summary: string;
}

const LAST = 5;

const emit = (state: State) => state.emit({ type: "sessions" });

export function of(state: State, id: ProjectId): FakeSession {
  const { name } = projects.get(state, id);
  const known = state.sessions.get(id);
  if (known) return known;
  const fresh: FakeSession = {
    shared: null,
    workflow: { version: "1.0", revision: 0, project_name: name, plans: [], decisions: [] },
    foreign: [],
    files: null,
    snapshots: [],
    proposals: [],
    summary: "",
  };
  state.sessions.set(id, fresh);
  return fresh;
}

/** Conversations with messages, the last one worked in first. */
function worked(state: State, id: ProjectId) {
  const all = [...state.conversations.values()].filter((one) => one.project_id === id && one.deleted_at === null);
  return all.filter((one) => one.messages.size > 0).sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
}

function context(state: State, id: ProjectId): ContextFile {
  const { workflow, summary } = of(state, id);
  const said = worked(state, id).toReversed().flatMap((one) => tree.path(one));
  const at = said.at(-1)?.created_at ?? now(state);
  return {
    version: "1.0",
    created_at: said[0]?.created_at ?? at,
    updated_at: at,
    memory: {
      active_plan_id: workflow.current_plan_id ?? null,
      active_task_id: workflow.current_task_id ?? null,
      last_decisions: workflow.decisions.slice(-LAST).map(({ text }) => text),
      open_files: [],
      working_directory: projects.get(state, id).path,
    },
    conversation: {
      running_summary: summary,
      recent_window: said.slice(-6).map((one) => ({ role: one.role, content: textOf(one), ts: one.created_at })),
    },
    stats: {
      dialog_turns: said.filter(({ role }) => role === "user").length,
      total_tokens: said.reduce((sum, { tokens }) => sum + tokens, 0),
    },
  };
}

function view(state: State, id: ProjectId): SessionView {
  const session = of(state, id);
  const { shared, foreign } = session;
  const folder = state.options.folders?.[projects.get(state, id).path];
  const usual = foreign.length > 0 ? "foreign" : shared ? "written" : "off";
  return {
    project_id: id,
    shared,
    there: shared === true || foreign.length > 0,
    in_git: folder?.branch === undefined ? null : !(folder.files[".gitignore"] ?? "").includes(".ai-brain/"),
    files: session.files ?? { state: usual },
    context: context(state, id),
    workflow: session.workflow,
    foreign,
    snapshots: session.snapshots.toReversed().map(({ name, file, at }) => ({ name, file, at })),
    proposals: waiting(session).length,
  };
}

const waiting = (session: FakeSession) => session.proposals.filter(({ state }) => state === "open");

function card(state: State, id: ProjectId): ResumeCard | null {
  const { workflow, summary } = of(state, id);
  const [last] = worked(state, id);
  const { stats, memory, conversation } = context(state, id);
  if (stats.dialog_turns === 0 && workflow.plans.length === 0 && workflow.decisions.length === 0) return null;
  const plan = workflow.plans.find((one) => one.id === workflow.current_plan_id);
  const asked = last && tree.path(last).findLast(({ role }) => role === "user");
  return {
    doing: asked ? { text: textOf(asked).slice(0, 48), link: `silt:message/${asked.id}` } : null,
    summary,
    decisions: workflow.decisions.slice(-LAST).toReversed().map(({ text, source }) => ({
      text,
      link: source ? `silt:message/${source.message_id}` : null,
    })),
    open_files: memory.open_files,
    plan: plan?.title ?? null,
    task: task(workflow, workflow.current_task_id ?? "")?.title ?? null,
    tasks_done: plan?.tasks.filter(({ status }) => status === "done").length ?? 0,
    tasks: plan?.tasks.filter(({ status }) => status !== "archived").length ?? 0,
    conversation_id: last?.id ?? null,
    last_message_at: conversation.recent_window.at(-1)?.ts ?? null,
    dialog_turns: stats.dialog_turns,
  };
}

const task = ({ plans }: Workflow, id: string) => plans.flatMap(({ tasks }) => tasks).find((one) => one.id === id);

function planOf({ plans }: Workflow, id: string | null | undefined): Plan {
  const found = plans.find((one) => one.id === id);
  if (!found) throw failure("not_found", `there is no plan ${id}`);
  return found;
}

function taskOf(workflow: Workflow, id: string): Task {
  const found = task(workflow, id);
  if (!found) throw failure("not_found", `there is no task ${id}`);
  return found;
}

function written(text: string): string {
  if (text.trim() === "") throw failure("bad_request", "the text is empty");
  return text.trim();
}

function nextId(kind: string, known: { id: string }[]): string {
  const numbers = known.map(({ id }) => Number(id.slice(kind.length + 1)) || 0);
  return `${kind}_${String(Math.max(0, ...numbers) + 1).padStart(3, "0")}`;
}

function move<T extends { id: string }>(list: T[], id: string, to: number): void {
  const at = list.findIndex((one) => one.id === id);
  list.splice(to, 0, ...list.splice(at, 1));
}

function switchTo(workflow: Workflow, id: string | null): void {
  if (id !== null) planOf(workflow, id);
  for (const plan of workflow.plans) {
    if (plan.id === id) plan.status = "active";
    else if (plan.status === "active") plan.status = "open";
  }
  workflow.current_plan_id = id ?? undefined;
  const plan = workflow.plans.find((one) => one.id === id);
  workflow.current_task_id = plan?.tasks.findLast(({ status }) => status === "doing")?.id;
}

function ready(workflow: Workflow, id: string): Task {
  const found = taskOf(workflow, id);
  const open = found.depends_on.filter((other) => ["todo", "doing"].includes(task(workflow, other)?.status ?? ""));
  if (open.length > 0) throw failure("conflict", `${id} waits for ${open.join(", ")}`);
  return found;
}

function leave(workflow: Workflow, id: string): void {
  if (workflow.current_task_id === id) workflow.current_task_id = undefined;
  if (workflow.current_plan_id === id) {
    workflow.current_plan_id = undefined;
    workflow.current_task_id = undefined;
  }
}

function make(state: State, workflow: Workflow, it: WorkflowChange): void {
  switch (it.change) {
    case "rename_project":
      workflow.project_name = written(it.name);
      break;
    case "add_plan": {
      const id = nextId("plan", workflow.plans);
      const { description } = it;
      workflow.plans.push({ id, title: written(it.title), description, status: "open", created_at: now(state), tasks: [] });
      if (!workflow.current_plan_id) switchTo(workflow, id);
      break;
    }
    case "edit_plan": {
      const plan = planOf(workflow, it.id);
      if (it.title !== null) plan.title = written(it.title);
      plan.description = it.description ?? plan.description;
      break;
    }
    case "move_plan":
      planOf(workflow, it.id);
      move(workflow.plans, it.id, it.to);
      break;
    case "switch_plan":
      switchTo(workflow, it.id);
      break;
    case "finish_plan":
    case "archive_plan":
      planOf(workflow, it.id).status = it.change === "finish_plan" ? "done" : "archived";
      leave(workflow, it.id);
      break;
    case "add_task": {
      const plan = it.plan_id ?? workflow.current_plan_id;
      if (!plan) throw failure("bad_request", "no plan is worked on");
      const id = nextId("task", workflow.plans.flatMap(({ tasks }) => tasks));
      const { notes, acceptance, depends_on } = it;
      planOf(workflow, plan).tasks.push({ id, title: written(it.title), status: "todo", notes, acceptance, depends_on });
      break;
    }
    case "edit_task": {
      const found = taskOf(workflow, it.id);
      if (it.title !== null) found.title = written(it.title);
      found.notes = it.notes ?? found.notes;
      found.acceptance = it.acceptance ?? found.acceptance;
      found.depends_on = it.depends_on ?? found.depends_on;
      break;
    }
    case "move_task": {
      taskOf(workflow, it.id);
      const plan = workflow.plans.find(({ tasks }) => tasks.some((one) => one.id === it.id));
      if (plan) move(plan.tasks, it.id, it.to);
      break;
    }
    case "start_task": {
      const found = ready(workflow, it.id);
      const plan = workflow.plans.find(({ tasks }) => tasks.includes(found));
      if (plan && plan.id !== workflow.current_plan_id) switchTo(workflow, plan.id);
      Object.assign(found, { status: "doing", started_at: found.started_at ?? now(state), finished_at: undefined });
      workflow.current_task_id = it.id;
      break;
    }
    case "finish_task":
      Object.assign(ready(workflow, it.id), { status: "done", finished_at: now(state) });
      leave(workflow, it.id);
      break;
    case "archive_task":
      taskOf(workflow, it.id).status = "archived";
      leave(workflow, it.id);
      break;
    case "add_decision": {
      const id = nextId("decision", workflow.decisions);
      const { origin, source } = it;
      const of_plan = { plan_id: workflow.current_plan_id, source: source ?? undefined };
      workflow.decisions.push({ id, text: written(it.text), at: now(state), origin, ...of_plan });
      break;
    }
    case "remove_decision": {
      const at = workflow.decisions.findIndex(({ id }) => id === it.id);
      if (at < 0) throw failure("not_found", `there is no decision ${it.id}`);
      workflow.decisions.splice(at, 1);
    }
  }
}

export function change(state: State, { project_id, change: it, reset }: ChangeWorkflow): Workflow {
  const session = of(state, project_id);
  const before = session.workflow.current_plan_id;
  const next = structuredClone(session.workflow);
  make(state, next, it);
  next.revision += 1;
  session.workflow = next;
  if (reset && next.current_plan_id !== before) {
    session.summary = next.plans.find(({ id }) => id === next.current_plan_id)?.description ?? "";
  }
  emit(state);
  return next;
}

function command(state: State, project_id: ProjectId, text: string): Workflow {
  const { workflow } = of(state, project_id);
  const [, what = "", rest = ""] = /^\s*\/(plan|task|decide)\s*([\s\S]*)$/.exec(text) ?? [];
  const [, verb = "", named = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest.trim()) ?? [];
  if (what !== "decide" && what !== "" && (verb === "" || verb === "list")) return workflow;
  const plan = workflow.plans.find(({ title }) => title === named)?.id ?? (named || (workflow.current_plan_id ?? ""));
  const tasks = workflow.plans.flatMap((one) => one.tasks);
  const id = tasks.find(({ title }) => title === named)?.id ?? (named || (workflow.current_task_id ?? ""));
  const none = { notes: "", acceptance: [], depends_on: [] };
  const known: Record<string, WorkflowChange> = {
    "plan add": { change: "add_plan", title: named, description: "" },
    "plan switch": { change: "switch_plan", id: plan },
    "plan finish": { change: "finish_plan", id: plan },
    "plan archive": { change: "archive_plan", id: plan },
    "task add": { change: "add_task", plan_id: null, title: named, ...none },
    "task start": { change: "start_task", id },
    "task finish": { change: "finish_task", id },
    "task archive": { change: "archive_task", id },
  };
  const decide: WorkflowChange = { change: "add_decision", text: rest, source: null, origin: "person" };
  const it = what === "decide" ? decide : known[`${what} ${verb}`];
  if (!it) throw failure("bad_request", "no such command, or nothing that it could be about");
  return change(state, { project_id, change: it, reset: false });
}

function settle(state: State, id: string, as: "accepted" | "dismissed"): ProposalRecord {
  const all = [...state.sessions.values()].flatMap(({ proposals }) => proposals);
  const found = all.find((one) => one.id === id);
  if (!found) throw failure("not_found", `proposal ${id}`);
  if (found.state !== "open") throw failure("conflict", "the proposal was settled already");
  found.state = as;
  emit(state);
  return found;
}

/** The plan and the task that are worked on, as every request of the project says them. */
export function workedOn(state: State, id: ProjectId): [string, string][] {
  const { workflow } = of(state, id);
  const plan = workflow.plans.find((one) => one.id === workflow.current_plan_id);
  const doing = task(workflow, workflow.current_task_id ?? "");
  const described = plan?.description ? `${plan.title}\n${plan.description}` : plan?.title;
  return [
    ...(plan ? [["plan", `ACTIVE PLAN: ${described}`] as [string, string]] : []),
    ...(doing ? [["task", `ACTIVE TASK: ${doing.title}`] as [string, string]] : []),
  ];
}

/** What a new conversation is told first, in the seed's order. */
function hydrated(state: State, id: ProjectId): string[] {
  const { workflow } = of(state, id);
  const { memory, conversation } = context(state, id);
  const facts: [string, string | undefined][] = [
    ["PROJECT", workflow.project_name],
    ["ACTIVE PLAN", workflow.plans.find((one) => one.id === workflow.current_plan_id)?.title],
    ["ACTIVE TASK", task(workflow, workflow.current_task_id ?? "")?.title],
    ["DECISIONS", memory.last_decisions.join(", ")],
    ["SUMMARY", conversation.running_summary],
  ];
  return [
    ...facts.flatMap(([label, value]) => (value ? [`${label}: ${value}`] : [])),
    "RECENT DIALOG:",
    ...conversation.recent_window.map(({ role, content }) => `${role.toUpperCase()}: ${content}`),
  ];
}

type Own = Extract<keyof Commands, `session_${string}` | `workflow_${string}` | `proposal_${string}`>;

export function handlers(state: State): { [C in Own]: (request: Commands[C]["request"]) => Commands[C]["reply"] } {
  const told = (id: ProjectId) => {
    emit(state);
    return view(state, id);
  };
  return {
    session_get: ({ id }) => view(state, id),
    session_share: ({ project_id, on, ignore }) => {
      of(state, project_id).shared = on;
      const files = state.options.folders?.[projects.get(state, project_id).path]?.files;
      if (on && ignore && files) files[".gitignore"] = `${files[".gitignore"] ?? ""}.ai-brain/\n`;
      return told(project_id);
    },
    session_accept: ({ project_id, files, keep }) => {
      const session = of(state, project_id);
      for (const { name, hash } of files) {
        const found = session.foreign.find((one) => one.name === name && one.hash === hash);
        if (!found) throw failure("conflict", "the file changed meanwhile");
        if (keep === "theirs" && name === "workflow.json") session.workflow = JSON.parse(found.now) as Workflow;
        if (keep === "theirs" && name === "context.json") {
          session.summary = (JSON.parse(found.now) as ContextFile).conversation.running_summary;
        }
        session.foreign = session.foreign.filter((one) => one !== found);
      }
      if (keep === "theirs") session.shared ??= true;
      return told(project_id);
    },
    session_take_over: ({ id }) => {
      of(state, id).files = null;
      return told(id);
    },
    session_hydrate: ({ id }) => ({ lines: hydrated(state, id) }),
    session_snapshot: ({ id }) => {
      const session = of(state, id);
      if (!session.shared) throw failure("conflict", "the session's files are not written");
      const number = String(session.snapshots.length + 1).padStart(6, "0");
      const copy = { name: `workflow-${number}.json`, file: "workflow.json", at: now(state) };
      session.snapshots.push({ ...copy, workflow: structuredClone(session.workflow) });
      emit(state);
      return view(state, id).snapshots;
    },
    session_restore: ({ project_id, name }) => {
      const session = of(state, project_id);
      const copy = session.snapshots.find((one) => one.name === name);
      if (!copy) throw failure("not_found", `there is no copy ${name}`);
      session.workflow = { ...structuredClone(copy.workflow), revision: session.workflow.revision + 1 };
      return told(project_id);
    },
    session_verify: ({ id }) => {
      const problems = of(state, id).foreign.map(({ name }) => ({ name, detail: "Siltstone did not write it" }));
      return { whole: problems.length === 0, problems };
    },
    session_resume: ({ id }) => card(state, id),
    session_begin: ({ project_id, fresh }) => {
      const last = fresh ? undefined : worked(state, project_id)[0];
      return { id: last?.id ?? tree.create(state, project_id).id };
    },
    workflow_get: ({ id }) => of(state, id).workflow,
    workflow_change: (request) => change(state, request),
    workflow_command: ({ project_id, text }) => command(state, project_id, text),
    proposal_list: ({ id }) => waiting(of(state, id)),
    proposal_accept: ({ id }) => {
      const { project_id, change: it } = settle(state, id, "accepted");
      return change(state, { project_id, change: it, reset: false });
    },
    proposal_dismiss: ({ id }) => {
      settle(state, id, "dismissed");
      return null;
    },
  };
}

/** A proposal that waits, as a reply would have made it. */
export function propose(state: State, project_id: ProjectId, message_id: string, it: WorkflowChange): ProposalRecord {
  const conversation = [...state.conversations.values()].find(({ messages }) => messages.has(message_id));
  const place = { project_id, conversation_id: conversation?.id ?? "", message_id };
  const record: ProposalRecord = { id: newId(), ...place, change: it, start: 0, end: 0, state: "open", at: now(state) };
  of(state, project_id).proposals.push(record);
  emit(state);
  return record;
}
