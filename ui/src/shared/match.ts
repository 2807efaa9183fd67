// Fuzzy matching for names, Hangul included: initial consonants find their syllables (ㅅㅈ finds 설정)
// and a syllable still being typed finds the finished one (서 finds 설). Pure.
const BASE = 0xac00;
const LAST = 0xd7a3;
const FINALS = 28;
const VOWELS = 21;
const INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";

function isSyllable(code: number): boolean {
  return code >= BASE && code <= LAST;
}

function initialOf(code: number): string {
  return INITIALS[Math.floor((code - BASE) / (FINALS * VOWELS))]!;
}

/** Whether a character of the query stands for one of the text. */
function fits(query: string, text: string): boolean {
  if (query === text) return true;
  const code = text.codePointAt(0)!;
  if (!isSyllable(code)) return false;
  if (INITIALS.includes(query)) return initialOf(code) === query;
  const typed = query.codePointAt(0)!;
  const isOpen = isSyllable(typed) && (typed - BASE) % FINALS === 0;
  return isOpen && Math.floor((typed - BASE) / FINALS) === Math.floor((code - BASE) / FINALS);
}

/** Letters of the texts that were looked through last: the same thousands with every key. */
const known = new Map<string, readonly string[]>();
const MOST = 20_000;

function letters(text: string): readonly string[] {
  let found = known.get(text);
  if (!found) {
    if (known.size >= MOST) known.clear();
    known.set(text, (found = [...text.normalize("NFC").toLowerCase()]));
  }
  return found;
}

function startsWord(text: readonly string[], at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!);
}

/** Whether a text says the query in one piece, wherever blanks are; what begins with a Latin letter begins a word. */
export function contains(query: string, text: string): boolean {
  const wanted = letters(query).filter((letter) => letter.trim() !== "");
  const given = letters(text);
  if (wanted.length === 0) return true;
  const anywhere = /[\p{Script=Hangul}]/u.test(wanted[0]!);
  return given.some((letter, from) => {
    if (!fits(wanted[0]!, letter) || !(anywhere || startsWord(given, from))) return false;
    let at = from;
    return wanted.every((one) => {
      while (given[at]?.trim() === "") at += 1;
      const next = given[at];
      at += 1;
      return next !== undefined && fits(one, next);
    });
  });
}

/** How well the query finds the text; null when it does not. More is better. */
export function score(query: string, text: string): number | null {
  const wanted = letters(query).filter((letter) => letter.trim() !== "");
  const given = letters(text);
  if (wanted.length === 0) return 0;
  let best: number | null = null;
  for (let from = 0; from < given.length; from += 1) {
    if (!fits(wanted[0]!, given[from]!)) continue;
    const found = scoreFrom(wanted, given, from);
    // What is not behind one place is not behind a later one either.
    if (found === null) break;
    if (best === null || found > best) best = found;
  }
  return best === null ? null : best - given.length / 100;
}

/** Takes each next letter at its first place; together and at word starts is worth more. */
function scoreFrom(wanted: readonly string[], given: readonly string[], from: number): number | null {
  let total = 0;
  let last = from - 1;
  for (const letter of wanted) {
    let at = last + 1;
    while (at < given.length && !fits(letter, given[at]!)) at += 1;
    if (at === given.length) return null;
    const runs = at > 0 && at === last + 1 && at !== from;
    const spaceBetween = () => given.slice(last + 1, at).every((skipped) => skipped.trim() === "");
    total += runs ? 10 : startsWord(given, at) ? 8 : spaceBetween() ? 6 : 1;
    last = at;
  }
  return total / wanted.length + (from === 0 ? 0.2 : 0);
}
