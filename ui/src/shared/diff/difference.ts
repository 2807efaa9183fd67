// What sets two sequences of texts apart, by Myers' algorithm (jsdiff): the smallest difference there is, or one that says
// that it is not. What a person approves is shown by it. Pure.
import { diffArrays } from "diff";

export interface Part {
  kind: "same" | "added" | "removed";
  text: string;
}

export interface Difference {
  /** One for each text of both. */
  parts: Part[];
  /** Whether no smaller one exists. False where looking for it would take too long: the middle then counts as replaced whole. */
  smallest: boolean;
}

/** Texts that come and go among those which both sequences have somewhere; beyond, a look takes seconds. */
const MOST = 3_000;

/** How `a` becomes `b`. */
export function difference(a: readonly string[], b: readonly string[]): Difference {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const middle = apart(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (text: string): Part => ({ kind: "same", text });
  return {
    parts: [...a.slice(0, head).map(same), ...middle.parts, ...a.slice(a.length - tail).map(same)],
    smallest: middle.smallest,
  };
}

/** The same without the word whether it is the smallest, for what nobody approves by it. */
export function diffParts(a: readonly string[], b: readonly string[]): Part[] {
  return difference(a, b).parts;
}

function apart(a: readonly string[], b: readonly string[]): Difference {
  const pairs = common(a, b);
  const parts: Part[] = [];
  let [i, j] = [0, 0];
  const upTo = (endOfA: number, endOfB: number) => {
    for (; i < endOfA; i += 1) parts.push({ kind: "removed", text: a[i]! });
    for (; j < endOfB; j += 1) parts.push({ kind: "added", text: b[j]! });
  };
  for (const [inA, inB] of pairs ?? []) {
    upTo(inA, inB);
    parts.push({ kind: "same", text: a[i]! });
    i += 1;
    j += 1;
  }
  upTo(a.length, b.length);
  return { parts, smallest: pairs !== null };
}

/** The places of the longest sequence that both have in the same order; null where it was not found. */
function common(a: readonly string[], b: readonly string[]): [number, number][] | null {
  // What one of them has alone is in no such sequence, and need not be looked at.
  const within = (texts: readonly string[], others: ReadonlySet<string>) =>
    texts.flatMap((text, at) => (others.has(text) ? [at] : []));
  const [ofA, ofB] = [within(a, new Set(b)), within(b, new Set(a))];
  const changes = diffArrays(
    ofA.map((at) => a[at]),
    ofB.map((at) => b[at]),
    { maxEditLength: MOST },
  );
  if (!changes) return null;
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (!added && !removed) for (let at = 0; at < count; at += 1) pairs.push([ofA[i + at]!, ofB[j + at]!]);
    if (!added) i += count;
    if (!removed) j += count;
  }
  return pairs;
}
