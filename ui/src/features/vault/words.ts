// What agents, their folders and their days are called.
import type { Agent, VaultItem } from "@/ipc";
import { formatDay, i18n } from "@/shared/i18n";

/** In the order in which they are listed. */
export const AGENTS: readonly Agent[] = [
  "claude-code",
  "codex",
  "gemini-cli",
  "antigravity",
  "opencode",
  "cline",
  "cursor",
  "chatgpt",
  "claude-web",
  "siltstone",
];

/** Names for people, the same in every language. */
const NAMES: Readonly<Record<Agent, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  antigravity: "Antigravity",
  opencode: "opencode",
  cline: "Cline",
  cursor: "Cursor",
  chatgpt: "ChatGPT",
  "claude-web": "Claude",
  siltstone: "Siltstone",
};

export const agentName = (agent: Agent): string => NAMES[agent];

/** The last part of a path. */
export const lastOf = (path: string): string => path.split(/[/\\]/).findLast((part) => part !== "") ?? path;

export function titleOf({ title }: Pick<VaultItem, "title">): string {
  return title.trim() === "" ? i18n.t("untitled", { ns: "vault" }) : title;
}

/** When something was said in it last, as far as anybody knows. */
export function endOf({ ended_at, started_at }: Pick<VaultItem, "ended_at" | "started_at">): number | null {
  const at = ended_at ?? started_at;
  return at === null ? null : Date.parse(at);
}

/** "July 1, 2025 – today", or one day. */
export function daysOf(first: string | null, last: string | null): string | null {
  if (first === null || last === null) return null;
  const [from, to] = [formatDay(Date.parse(first)), formatDay(Date.parse(last))];
  return from === to ? from : `${from} – ${to}`;
}

/** All tokens of a session, those of requests and of replies. */
export const tokensOf = ({ usage }: Pick<VaultItem, "usage">): number => usage.input_tokens + usage.output_tokens;
