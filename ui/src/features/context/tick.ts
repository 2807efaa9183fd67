// Where the next fold lies on the bar. Pure.
import type { FoldDistance } from "@/ipc";
import type { Drawn } from "./view";

export interface Tick {
  /** How far the fold is once the draft is sent. */
  left: FoldDistance;
  /** At how many tokens of a request, by the length of the turns so far; null while nothing tells. */
  at: number | null;
}

interface Drawing {
  pieces: readonly Drawn[];
  tokens: number;
}

export function tickOf(distance: FoldDistance, { pieces, tokens }: Drawing): Tick {
  const sum = (kind: "draft" | "turn") =>
    pieces.reduce((all, piece) => (piece.kind === kind ? all + piece.tokens : all), 0);
  const draft = sum("draft");
  const before = tokens - draft;
  if (distance.unit === "tokens") {
    return { left: { unit: "tokens", left: Math.max(0, distance.left - draft) }, at: before + distance.left };
  }
  // A turn is a question and its answer.
  const turns = pieces.filter(({ kind }) => kind === "turn").length / 2;
  return { left: distance, at: turns === 0 ? null : before + (sum("turn") / turns) * distance.left };
}
