// What differs between two texts, by words. Pure.
import { difference, type Difference, type Part } from "@/shared/diff";

/** A word with the space before it, and what space is left at the end. */
const WORD = /\s*\S+|\s+$/g;

/** How `before` becomes `after`; words of one kind that follow each other are one part. */
export function wordDiff(before: string, after: string): Difference {
  const out: Part[] = [];
  const { parts, smallest } = difference(before.match(WORD) ?? [], after.match(WORD) ?? []);
  for (const { kind, text } of parts) {
    const last = out.at(-1);
    if (last?.kind === kind) last.text += text;
    else out.push({ kind, text });
  }
  return { parts: out, smallest };
}
