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
  "remember",
  "search_conversations",
  "propose",
] as const;

type BuiltIn = (typeof BUILT_IN)[number];

export const isBuiltIn = (name: string): name is BuiltIn => (BUILT_IN as readonly string[]).includes(name);

/** Parts the server's name from the tool's in the name that models use. */
const OF_SERVER = /^mcp__(.+?)__(.+)$/;

/** A tool's name for people, for words that are made outside of components. */
export function toolName(tool: string): string {
  if (isBuiltIn(tool)) return i18n.t(`names.${tool}`, { ns: "toolSettings" });
  const parts = OF_SERVER.exec(tool);
  return parts ? `${parts[1]} › ${parts[2]}` : tool;
}
