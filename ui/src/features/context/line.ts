// The one line that says a request in a few words: its pieces by what they are to a person, and what could go besides. The
// pane is the same line opened, in the same four groups. Pure.
import type { LeftOut } from "@/ipc";
import { isRecalled, type Drawn } from "./view";

export const GROUPS = ["rules", "project", "earlier", "now"] as const;
export type Group = (typeof GROUPS)[number];

export function groupOf({ id, kind, reason }: Pick<Drawn, "id" | "kind" | "reason">): Group {
  if (reason.code === "resumed") return "earlier";
  switch (kind) {
    case "instructions":
    case "tools":
    case "memory":
      return "rules";
    case "persistent_context":
    case "plan":
      return "project";
    case "summary":
    case "turn":
      return "earlier";
    case "passage":
      return isRecalled({ id }) ? "earlier" : "project";
    case "volatile_context":
    case "draft":
      return "now";
  }
}

/** In the order in which the line says them: what a person decides about first, what always goes last. */
export const PARTS = [
  "you",
  "rules",
  "lines",
  "skills",
  "messages",
  "summaries",
  "sentences",
  "recalled",
  "stopped",
  "files",
  "plan",
  "facts",
  "moment",
  "tools",
  "instructions",
] as const;
export type PartKind = (typeof PARTS)[number];

function partOf({ id, kind, reason }: Drawn): PartKind {
  if (reason.code === "resumed") return "stopped";
  switch (kind) {
    case "instructions":
    case "tools":
    case "plan":
      return kind;
    case "memory":
      if (reason.code !== "memory") return "rules";
      return reason.why.code === "added" ? "lines" : reason.why.code === "skill" ? "skills" : "rules";
    case "persistent_context":
      return "facts";
    case "summary":
      return reason.code === "key_sentences" ? "sentences" : "summaries";
    case "turn":
      return "messages";
    case "passage":
      return isRecalled({ id }) ? "recalled" : "files";
    case "volatile_context":
      return "moment";
    case "draft":
      return "you";
  }
}

export interface LinePart<P extends Drawn = Drawn> {
  kind: PartKind;
  /** Never none. */
  pieces: P[];
  tokens: number;
  /** How many of what it is called by. */
  count: number;
}

/** The lines of a file that a passage is of. */
const LINES = /:\d+(?:-\d+)?$/;

/** Lines that were remembered stand in one piece; passages of one file are one file. */
function countOf(kind: PartKind, pieces: readonly Drawn[]): number {
  if (kind === "files") return new Set(pieces.map(({ source }) => source.replace(LINES, ""))).size;
  return pieces.reduce((sum, { reason }) => sum + (reason.code === "memory" && reason.why.code === "added" ? reason.why.lines : 1), 0);
}

/** Every piece is in exactly one part. */
export function partsOf<P extends Drawn>(pieces: readonly P[]): LinePart<P>[] {
  const parts = new Map<PartKind, P[]>();
  for (const piece of pieces) {
    const kind = partOf(piece);
    const mine = parts.get(kind);
    if (mine) mine.push(piece);
    else parts.set(kind, [piece]);
  }
  return PARTS.flatMap((kind) => {
    const mine = parts.get(kind);
    return mine ? [{ kind, pieces: mine, tokens: mine.reduce((sum, { tokens }) => sum + tokens, 0), count: countOf(kind, mine) }] : [];
  });
}

/** Out, and one press brings it in: what the person left out, and what a greeting goes without. */
export type Addable = LeftOut & { id: string; why: "by_you" | "small_talk" };

export function isAddable(item: LeftOut): item is Addable {
  return item.id !== null && (item.why === "by_you" || item.why === "small_talk");
}
