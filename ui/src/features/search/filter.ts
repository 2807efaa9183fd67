// By what a search is narrowed, as the person chose it, and as the host takes it. Pure.
import type { Filter, FoundKind, ProjectId, Role } from "@/ipc";

export const KINDS = [
  "message",
  "tool_result",
  "summary",
  "decision",
  "memory",
  "file",
  "checkpoint",
] as const satisfies readonly FoundKind[];

export const SPANS = ["any", "today", "week", "month", "range"] as const;
export type Span = (typeof SPANS)[number];

export interface Chosen {
  /** Null is every project. */
  project: ProjectId | null;
  who: "anyone" | Extract<Role, "user" | "assistant">;
  span: Span;
  /** The days of a range as they were typed; an empty one leaves that end open. */
  from: string;
  to: string;
}

export const UNFILTERED: Chosen = { project: null, who: "anyone", span: "any", from: "", to: "" };

const DAY = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;

/** The start of a typed day in the person's own time, so many days later; null for a text that is no day. */
export function startOfTyped(text: string, later = 0): Date | null {
  const typed = DAY.exec(text.trim());
  if (!typed) return null;
  const [year, month, day] = typed.slice(1).map(Number) as [number, number, number];
  const date = new Date(year, month - 1, day);
  if (date.getFullYear() !== year || date.getMonth() !== month - 1 || date.getDate() !== day) return null;
  return new Date(year, month - 1, day + later);
}

/** Whether what was typed can be searched by: each end is a day or open, and the first is not after the last. */
export function isRange({ from, to }: Pick<Chosen, "from" | "to">): boolean {
  const days = [from, to].map((text) => (text.trim() === "" ? undefined : startOfTyped(text)));
  if (days.includes(null)) return false;
  const [first, last] = days;
  return !first || !last || first <= last;
}

const BACK: Partial<Record<Span, number>> = { today: 0, week: 6, month: 29 };

/** As the host takes it: whole days, the last one included. */
export function filterOf({ project, who, span, from, to }: Chosen, kind: FoundKind | null, now: Date): Filter {
  const back = BACK[span];
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const since =
    back === undefined ? null : new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
  const ranged = span === "range" && isRange({ from, to });
  const first = ranged ? startOfTyped(from) : since;
  const after = ranged ? startOfTyped(to, 1) : null;
  return {
    project_id: project,
    conversation_id: null,
    kinds: kind === null ? [] : [kind],
    role: who === "anyone" ? null : who,
    from: first?.toISOString() ?? null,
    before: after?.toISOString() ?? null,
  };
}

export function isNarrowed(chosen: Chosen): boolean {
  return chosen.project !== null || chosen.who !== "anyone" || chosen.span !== "any";
}
