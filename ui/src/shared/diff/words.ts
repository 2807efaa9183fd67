// Which words of a line that was rewritten are other ones. Pure.
import { diffParts, type Part } from "./difference";
import type { DiffLine } from "./lines";

/** A word with the space before it, and what space is left at the end. */
const WORD = /\s*\S+|\s+$/g;

/** Of what both lines say, the part of the longer one below which neither is the other one rewritten. */
const ALIKE = 1 / 3;

/**
 * For each line its words, in stretches that stand or are other ones; null for a line that came, went or stayed whole. What
 * goes is held against what comes in its place, line by line.
 */
export function changedWords(lines: readonly DiffLine[]): (readonly Part[] | null)[] {
  const words: (readonly Part[] | null)[] = lines.map(() => null);
  let at = 0;
  while (at < lines.length) {
    const gone = runOf(lines, at, "removed");
    const come = runOf(lines, at + gone, "added");
    for (let pair = 0; pair < Math.min(gone, come); pair += 1) {
      const [was, is] = [at + pair, at + gone + pair];
      const parts = rewritten(lines[was]!.text, lines[is]!.text);
      if (parts === null) continue;
      words[was] = parts.filter(({ kind }) => kind !== "added");
      words[is] = parts.filter(({ kind }) => kind !== "removed");
    }
    at += Math.max(1, gone + come);
  }
  return words;
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return end - from;
}

/** Words of one kind that follow each other are one part. */
function rewritten(before: string, after: string): Part[] | null {
  const out: Part[] = [];
  let same = 0;
  for (const { kind, text } of diffParts(before.match(WORD) ?? [], after.match(WORD) ?? [])) {
    if (kind === "same") same += text.length;
    const last = out.at(-1);
    if (last?.kind === kind) last.text += text;
    else out.push({ kind, text });
  }
  return same < Math.max(before.length, after.length) * ALIKE ? null : out;
}
