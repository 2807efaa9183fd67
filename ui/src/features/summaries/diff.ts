// What differs between two texts, by words. Pure.

export interface Change {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Most cells of the table; beyond, the middle counts as replaced whole. */
const MOST = 2_000_000;

/** A word with the space before it, and what space is left at the end. */
const WORD = /\s*\S+|\s+$/g;

/** How `before` becomes `after`. */
export function wordDiff(before: string, after: string): Change[] {
  const a = before.match(WORD) ?? [];
  const b = after.match(WORD) ?? [];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return joined([
    ...changes("same", a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...changes("same", a.slice(a.length - tail)),
  ]);
}

function changes(kind: Change["kind"], words: readonly string[]): Change[] {
  return words.map((text) => ({ kind, text }));
}

/** By the longest words that both have in the same order. */
function middle(a: readonly string[], b: readonly string[]): Change[] {
  if (a.length * b.length > MOST) return [...changes("removed", a), ...changes("added", b)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      longest[at] =
        a[i] === b[j] ? longest[at + width + 1]! + 1 : Math.max(longest[at + width]!, longest[at + 1]!);
    }
  }
  const out: Change[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const at = i * width + j;
    if (a[i] === b[j]) {
      out.push({ kind: "same", text: a[i]! });
      i += 1;
      j += 1;
    } else if (longest[at + width]! >= longest[at + 1]!) {
      out.push({ kind: "removed", text: a[i]! });
      i += 1;
    } else {
      out.push({ kind: "added", text: b[j]! });
      j += 1;
    }
  }
  return [...out, ...changes("removed", a.slice(i)), ...changes("added", b.slice(j))];
}

/** Words of one kind that follow each other as one change. */
function joined(all: readonly Change[]): Change[] {
  const out: Change[] = [];
  for (const { kind, text } of all) {
    const last = out.at(-1);
    if (last?.kind === kind) last.text += text;
    else out.push({ kind, text });
  }
  return out;
}
