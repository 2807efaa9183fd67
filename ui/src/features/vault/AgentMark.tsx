// A plain sign for each agent, of our own making: a ring, a square, a triangle. Its name stands beside it in words.
import type { Agent } from "@/ipc";
import css from "./vault.module.css";

const SHAPES: Readonly<Record<Agent, string>> = {
  "claude-code": "M8 2.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5z",
  codex: "M3.25 3.25h9.5v9.5h-9.5z",
  "gemini-cli": "M8 2.75L13.75 12.75H2.25z",
};

export function AgentMark({ agent }: { agent: Agent }) {
  return (
    <svg className={css.mark} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" aria-hidden>
      <path d={SHAPES[agent]} />
      <path d="M6.25 9.25h3.5" />
    </svg>
  );
}
