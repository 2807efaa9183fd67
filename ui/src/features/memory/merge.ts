// Two texts that were made of one, put together by lines: what only one of them changed is taken from it; where both
// differ, the first stands and is counted. Pure.
import { diffParts } from "@/shared/diff";

export interface Merged {
  text: string;
  /** Places that both changed, and not alike. */
  clashes: number;
}

export function merge(base: string, mine: string, theirs: string): Merged {
  const [o, a, b] = [base, mine, theirs].map((text) => text.split("\n")) as [string[], string[], string[]];
  const inMine = matches(o, a);
  const inTheirs = matches(o, b);
  const out: string[] = [];
  let clashes = 0;
  let [at, atMine, atTheirs] = [0, 0, 0];
  for (let next = 0; next <= o.length; next += 1) {
    const end = next === o.length;
    const toMine = end ? a.length : inMine[next]!;
    const toTheirs = end ? b.length : inTheirs[next]!;
    // A line that all three have ends a stretch.
    if (toMine < 0 || toTheirs < 0) continue;
    const was = o.slice(at, next);
    const own = a.slice(atMine, toMine);
    const other = b.slice(atTheirs, toTheirs);
    if (equal(own, was)) out.push(...other);
    else {
      if (!equal(other, was) && !equal(own, other)) clashes += 1;
      out.push(...own);
    }
    if (!end) out.push(o[next]!);
    [at, atMine, atTheirs] = [next + 1, toMine + 1, toTheirs + 1];
  }
  return { text: out.join("\n"), clashes };
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** For each line of `a` its place in `b` in the longest sequence that both have; -1 where it has none. */
function matches(a: readonly string[], b: readonly string[]): Int32Array {
  const found = new Int32Array(a.length).fill(-1);
  let [atA, atB] = [0, 0];
  for (const { kind } of diffParts(a, b)) {
    if (kind === "same") found[atA] = atB;
    if (kind !== "added") atA += 1;
    if (kind !== "removed") atB += 1;
  }
  return found;
}
