// What differs between two texts, by words. Pure.
import { diffParts, type Part } from "@/shared/diff";

/** A word with the space before it, and what space is left at the end. */
const WORD = /\s*\S+|\s+$/g;

/** How `before` becomes `after`; words of one kind that follow each other are one part. */
export function wordDiff(before: string, after: string): Part[] {
  const out: Part[] = [];
  for (const { kind, text } of diffParts(before.match(WORD) ?? [], after.match(WORD) ?? [])) {
    const last = out.at(-1);
    if (last?.kind === kind) last.text += text;
    else out.push({ kind, text });
  }
  return out;
}
