// What tools are called.
import { i18n } from "@/shared/i18n";

/** Those of our own; every other tool is called what its server calls it. */
const BUILT_IN = [
  "list_files",
  "find_files",
  "search_files",
  "read_file",
  "edit_file",
  "write_file",
  "move_file",
  "delete_file",
  "run_command",
  "read_output",
  "read_memory",
  "read_skill",
  "remember",
  "search_conversations",
  "propose",
] as const;

type BuiltIn = (typeof BUILT_IN)[number];

export const isBuiltIn = (name: string): name is BuiltIn => (BUILT_IN as readonly string[]).includes(name);

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
  if (isBuiltIn(tool)) return i18n.t(`names.${tool}`, { ns: "toolSettings" });
  const own = agentAct(tool);
  if (own) return i18n.t("agent.named", { ns: "tools", agent: own.agent, act: i18n.t(`agent.${own.act}`, { ns: "tools" }) });
  const parts = OF_SERVER.exec(tool);
  return parts ? `${parts[1]} › ${parts[2]}` : tool;
}
