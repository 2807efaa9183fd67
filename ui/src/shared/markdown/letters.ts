// The letters of mathematics: 𝐱, ℝ, 𝓛, 𝔤. MathML once said them with an attribute that browsers do not read any more; each
// is a character of its own. What has none stays as it is.

/** The first of each alphabet: capitals, small letters, digits, Greek capitals, Greek small letters. */
type Alphabet = readonly [capital: number, small: number, digit?: number, greekCapital?: number, greekSmall?: number];

const NONE = 0;

const ALPHABETS: Record<string, Alphabet | undefined> = {
  bold: [0x1d400, 0x1d41a, 0x1d7ce, 0x1d6a8, 0x1d6c2],
  italic: [0x1d434, 0x1d44e, NONE, 0x1d6e2, 0x1d6fc],
  "bold-italic": [0x1d468, 0x1d482, NONE, 0x1d71c, 0x1d736],
  script: [0x1d49c, 0x1d4b6],
  "bold-script": [0x1d4d0, 0x1d4ea],
  fraktur: [0x1d504, 0x1d51e],
  "bold-fraktur": [0x1d56c, 0x1d586],
  "double-struck": [0x1d538, 0x1d552, 0x1d7d8],
  "sans-serif": [0x1d5a0, 0x1d5ba, 0x1d7e2],
  "bold-sans-serif": [0x1d5d4, 0x1d5ee, 0x1d7ec, 0x1d756, 0x1d770],
  "sans-serif-italic": [0x1d608, 0x1d622],
  "sans-serif-bold-italic": [0x1d63c, 0x1d656, NONE, 0x1d790, 0x1d7aa],
  monospace: [0x1d670, 0x1d68a, 0x1d7f6],
};

/** Those that had their place before the others came. */
const EARLIER: Record<string, string | undefined> = {
  "italic h": "ℎ",
  "script B": "ℬ", "script E": "ℰ", "script F": "ℱ", "script H": "ℋ", "script I": "ℐ", "script L": "ℒ", "script M": "ℳ",
  "script R": "ℛ", "script e": "ℯ", "script g": "ℊ", "script o": "ℴ",
  "fraktur C": "ℭ", "fraktur H": "ℌ", "fraktur I": "ℑ", "fraktur R": "ℜ", "fraktur Z": "ℨ",
  "double-struck C": "ℂ", "double-struck H": "ℍ", "double-struck N": "ℕ", "double-struck P": "ℙ", "double-struck Q": "ℚ",
  "double-struck R": "ℝ", "double-struck Z": "ℤ",
};

/** First and last of each run of plain letters, in the order of an alphabet. */
const PLAIN = [["A", "Z"], ["a", "z"], ["0", "9"], ["Α", "Ω"], ["α", "ω"]] as const;

export function styled(text: string, variant: string | undefined): string {
  const alphabet = variant === undefined || !Object.hasOwn(ALPHABETS, variant) ? undefined : ALPHABETS[variant];
  return alphabet ? [...text].map((char) => EARLIER[`${variant} ${char}`] ?? letter(char, alphabet)).join("") : text;
}

function letter(char: string, alphabet: Alphabet): string {
  const run = PLAIN.findIndex(([first, last]) => first <= char && char <= last);
  const start = run < 0 ? NONE : (alphabet[run] ?? NONE);
  return start === NONE ? char : String.fromCodePoint(start + char.codePointAt(0)! - PLAIN[run]![0].codePointAt(0)!);
}
