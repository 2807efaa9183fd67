// The mark of each agent: a ring, a square, a triangle, a shield, a diamond, a hexagon, a pentagon, each with a
// dash in it; of services on the web speech bubbles, an angular and a round one; of what Siltstone exported itself a sheet.
import type { Agent } from "@/ipc";
import { Mark } from "@/shared/kit";

const SHAPES: Readonly<Record<Agent, string>> = {
  "claude-code": "M8 2.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5z",
  codex: "M3.25 3.25h9.5v9.5h-9.5z",
  "gemini-cli": "M8 2.75L13.75 12.75H2.25z",
  antigravity: "M2.75 3h10.5v4.75L8 14.25L2.75 7.75z",
  opencode: "M8 2L14 8L8 14L2 8z",
  cline: "M5 2.75h6L14 8l-3 5.25H5L2 8z",
  cursor: "M8 2.25L14 6.75L11.75 13.5H4.25L2 6.75z",
  chatgpt: "M2.5 4.5h11v8H8.5L5.5 14.5v-2h-3z",
  "claude-web": "M8 3.75a5.5 4.75 0 1 1-2 9.2L3.25 14.25l.4-2.6A5.5 4.75 0 0 1 8 3.75z",
  siltstone: "M4 2.5h5.5L12 5v8.5H4z",
};

export function AgentMark({ agent }: { agent: Agent }) {
  return <Mark shape={`${SHAPES[agent]}M6.25 9.25h3.5`} />;
}
