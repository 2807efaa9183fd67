// What a reply is drawn of: texts, thoughts, attachments, and stretches of calls. Pure.
import type { Step } from "@/features/tools";
import type { Part } from "./rows";

export type Piece = Exclude<Part, { type: "call" }> | { type: "calls"; steps: Step[] };

/** Calls that follow each other, with the thoughts between them, are one piece. */
export function piecesOf(parts: readonly Part[]): Piece[] {
  const pieces: Piece[] = [];
  parts.forEach((part, index) => {
    const last = pieces.at(-1);
    const between = part.type === "reasoning" && parts[index + 1]?.type === "call";
    const step: Step | null = part.type === "call" ? { type: "call", call: part.call } : between ? { type: "thought", text: part.text } : null;
    if (step !== null && last?.type === "calls") last.steps.push(step);
    else if (step !== null) pieces.push({ type: "calls", steps: [step] });
    else if (part.type !== "call") pieces.push(part);
  });
  return pieces;
}
