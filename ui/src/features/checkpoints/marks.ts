// Marks that a merge leaves where two texts contradict each other, as git writes them: found, and resolved. Pure.

export interface Contradiction {
  /** Lines it takes, from 0; `end` is the first after it. */
  start: number;
  end: number;
  now: string[];
  then: string[];
}

/** Where both sides are wanted, the one of now comes first. */
export type Side = "now" | "then" | "both";

/** The contradictions of a merged text, in order. */
export function contradictions(text: string): Contradiction[] {
  const found: Contradiction[] = [];
  let open: (Contradiction & { side: "now" | "base" | "then" }) | null = null;
  text.split("\n").forEach((line, at) => {
    if (line.startsWith("<<<<<<<")) open = { start: at, end: at, now: [], then: [], side: "now" };
    else if (open === null) return;
    else if (line.startsWith("|||||||")) open.side = "base";
    else if (line.startsWith("=======") && open.side !== "then") open.side = "then";
    else if (line.startsWith(">>>>>>>") && open.side === "then") {
      const { start, now, then } = open;
      found.push({ start, end: at + 1, now, then });
      open = null;
    } else if (open.side !== "base") open[open.side].push(line);
  });
  return found;
}

/** The text with one contradiction resolved. */
export function resolved(text: string, { start, end, now, then }: Contradiction, side: Side): string {
  const lines = text.split("\n");
  lines.splice(start, end - start, ...(side === "then" ? [] : now), ...(side === "now" ? [] : then));
  return lines.join("\n");
}
