// What sets two sequences of texts apart: the longest that both have in the same order. Pure.

export interface Part {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Most cells of the table; beyond, the middle counts as replaced whole. */
const MOST = 2_000_000;

/** How `a` becomes `b`, one part for each of their texts. */
export function diffParts(a: readonly string[], b: readonly string[]): Part[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return [
    ...parts("same", a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...parts("same", a.slice(a.length - tail)),
  ];
}

function parts(kind: Part["kind"], texts: readonly string[]): Part[] {
  return texts.map((text) => ({ kind, text }));
}

function middle(a: readonly string[], b: readonly string[]): Part[] {
  if (a.length * b.length > MOST) return [...parts("removed", a), ...parts("added", b)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      longest[at] =
        a[i] === b[j] ? longest[at + width + 1]! + 1 : Math.max(longest[at + width]!, longest[at + 1]!);
    }
  }
  const out: Part[] = [];
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
  return [...out, ...parts("removed", a.slice(i)), ...parts("added", b.slice(j))];
}
