// What a request's results are results of: the call is in the message before, or named by the section's source. Pure.
import type { Part } from "@/ipc";
import { aboutOf } from "./calls";

export interface Called {
  name: string;
  about: string;
}

/** The name of a tool, and behind it what it was about. */
const NAMED = /^([a-z]+_[a-z_]+|mcp__\S+)(?: (.*))?$/s;

/** For each section the call that it answers, where it answers one. */
export function calledIn(sections: readonly { parts: readonly Part[]; source: string }[]): (Called | null)[] {
  const calls = new Map<string, Called>();
  return sections.map(({ parts, source }) => {
    for (const part of parts) {
      if (part.type === "tool_call") calls.set(part.id, { name: part.name, about: aboutOf(part) });
    }
    const result = parts.find((part) => part.type === "tool_result");
    const known = result && calls.get(result.call_id);
    if (known) return known;
    const [, name, about] = NAMED.exec(source) ?? [];
    return name === undefined ? null : { name, about: about ?? "" };
  });
}
