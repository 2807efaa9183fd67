// What tools are called.
import type { ToolEffect } from "@/ipc";
import { i18n } from "@/shared/i18n";

/** Those of our own, and what each does; every other tool is called what its server calls it. */
export const BUILT_IN = {
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
  read_skill: "reads",
  remember: "proposes",
  search_conversations: "reads",
  propose: "proposes",
} as const satisfies Record<string, ToolEffect>;

export type BuiltIn = keyof typeof BUILT_IN;

export const isBuiltIn = (name: string): name is BuiltIn => Object.hasOwn(BUILT_IN, name);

/** Parts the server's name from the tool's in the name that models use. */
const OF_SERVER = /^mcp__(.+?)__(.+)$/;

/** What an agent did itself, with tools that nobody else knows: its name, and what kind of thing it is. */
const OF_AGENT = /^(.+): (read|search|edit|delete|move|run|fetch|think|tool)$/s;

export type AgentAct = "read" | "search" | "edit" | "delete" | "move" | "run" | "fetch" | "think" | "tool";

export function agentAct(tool: string): { agent: string; act: AgentAct } | null {
  const [, agent, act] = OF_AGENT.exec(tool) ?? [];
  return agent === undefined ? null : { agent, act: act as AgentAct };
}

/** A tool's name for people, for words that are made outside of components. */
export function toolName(tool: string): string {
  if (isBuiltIn(tool)) return i18n.t(`names.${tool}`, { ns: "tools" });
  const own = agentAct(tool);
  if (own) return i18n.t("agent.named", { ns: "tools", agent: own.agent, act: i18n.t(`agent.${own.act}`, { ns: "tools" }) });
  const parts = OF_SERVER.exec(tool);
  return parts ? `${parts[1]} › ${parts[2]}` : tool;
}
