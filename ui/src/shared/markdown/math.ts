// Where formulas stand in a Markdown text: $…$, \(…\), $$…$$ and \[…\]. Rules for the parser; what a formula says is read
// by tex.ts. Prices, shell variables and escaped brackets are written with the same signs, so that what may be either stays
// text. Absent: blank lines in a formula, which TeX has none of, so that a block is closed by the lines before it.
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";

const CLOSING: Record<string, string> = { "$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]" };

/** Whether a formula has lines of its own. */
export const isDisplayed = (opening: string) => opening === "$$" || opening === "\\[";

/** A formula as it was written. */
export const sourceOf = (opening: string, tex: string) => opening + tex + CLOSING[opening];

/** Words, and nothing that a formula is made of: `\[a note\]` is a pair of escaped brackets. */
const isProse = (text: string) => /\p{L}{3}/u.test(text) && !/[\\^_={}<>+*/|&\d]/.test(text);

/** "$5 and more$", "$20/month or$", "$5이고$": an amount, with words behind it. */
const PRICE = /^\d[\d.,]*(?:[kKmMbB]?(?:\s*[-–~/+]\s*|\s+)[^\\^_=]*\p{L}{2}|\p{Script=Hangul})/u;

/** What may follow "$…$" directly: "the $n$th", "$x$는"; but not "$HOME/$USER" and "$5–$10". */
const AFTER = /^(?:st|nd|rd|th|s)?(?![A-Za-z0-9_$])/;

export function mathRules(markdown: MarkdownIt): void {
  markdown.inline.ruler.before("escape", "math", inline);
  markdown.block.ruler.before("fence", "math", block, { alt: ["paragraph", "reference", "blockquote", "list"] });
}

function openingAt(source: string, at: number): string | null {
  const two = source.slice(at, at + 2);
  if (two === "\\(" || two === "\\[") return two;
  if (two[0] !== "$" || source[at - 1] === "$") return null;
  return two !== "$$" ? "$" : source[at + 2] === "$" ? null : "$$";
}

/**
 * Where the formula ends that was opened before `from`, or -1. The next sign of the same family decides, so that many
 * openings without an end cost no more than one look at the text.
 */
function endOf(source: string, from: number, to: number, opening: string): number {
  const dollars = opening[0] === "$";
  for (let at = from; at < to; at += 1) {
    const char = source[at];
    // Code is code, whatever stands before it.
    if (char === "`") return -1;
    if (char === "\n" && opening === "$") return -1;
    if (char === "\\") {
      if (!dollars && "()[]".includes(source[at + 1] ?? " ")) {
        return source.startsWith(CLOSING[opening]!, at) ? at : -1;
      }
      at += 1;
    } else if (char === "$" && dollars) {
      return openingAt(source, at) === opening ? at : -1;
    }
  }
  return -1;
}

function inline(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== "$" && src[pos] !== "\\") return false;
  const opening = openingAt(src, pos);
  if (opening === null) return false;
  const from = pos + opening.length;
  const end = endOf(src, from, posMax, opening);
  const tex = end < 0 ? "" : src.slice(from, end);
  if (tex.trim() === "") return false;
  const after = end + opening.length;
  if (opening === "$") {
    const loose = /^\s|\s$/.test(tex) || /[A-Za-z0-9=&]/.test(src[pos - 1] ?? "");
    if (loose || PRICE.test(tex) || !AFTER.test(src.slice(after, Math.min(after + 3, posMax)))) return false;
  } else if (isProse(tex)) {
    return false;
  }
  if (!silent) {
    const token = state.push("math_inline", "math", 0);
    token.content = tex;
    token.markup = opening;
  }
  state.pos = after;
  return true;
}

/** Lines from one that begins with `$$` or `\[` to one that ends with its other half. Only that line decides whether it begins. */
function block(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (state.sCount[start]! - state.blkIndent >= 4) return false;
  const line = (at: number) => state.src.slice(state.bMarks[at]! + state.tShift[at]!, state.eMarks[at]).trimEnd();
  const first = line(start);
  const opening = openingAt(first, 0);
  if (opening === null || !isDisplayed(opening)) return false;
  const rest = first.slice(2);
  const closing = endOf(rest, 0, rest.length, opening);
  const alone = closing >= 0 && closing + 2 === rest.length;
  // Something behind it makes it a part of a paragraph.
  if (closing >= 0 ? !alone || rest.length === 2 : isProse(rest) || rest.includes("`") || rest.includes(opening)) return false;
  if (isProse(alone ? rest.slice(0, -2) : rest)) return false;
  if (silent) return true;

  let last = start;
  let closed = alone;
  while (!closed && last + 1 < end && !state.isEmpty(last + 1) && state.sCount[last + 1]! >= state.blkIndent) {
    const next = line(last + 1);
    if (/^(?:```|~~~)/.test(next)) break;
    last += 1;
    const at = endOf(next, 0, next.length, opening);
    closed = at >= 0 && at + 2 === next.length;
    if (at >= 0 && !closed) break;
  }
  const text = state.getLines(start, last + 1, state.blkIndent, false).trim();
  state.line = last + 1;
  const map: [number, number] = [start, last + 1];
  if (closed && text.slice(2, -2).trim() !== "") {
    const token = state.push("math_block", "math", 0);
    Object.assign(token, { block: true, content: text.slice(2, -2), markup: opening, map });
    return true;
  }
  // Not ended yet, or never: what it says is read as any other paragraph.
  state.push("paragraph_open", "p", 1).map = map;
  Object.assign(state.push("inline", "", 0), { content: text, map, children: [] });
  state.push("paragraph_close", "p", -1);
  return true;
}
