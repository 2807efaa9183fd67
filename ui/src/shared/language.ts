// In which language a text is written, where it may be another than the interface's: it is set, broken and read aloud in its
// own. Told by letters alone, so that two languages of one script are not told apart.

/** Letters that are looked at; what a text begins in is what it is in. */
const START = 2000;

/** Undefined where no letter says it: then it is as what is around it. */
export function proseLanguage(text: string): "ko" | "ja" | "en" | undefined {
  const start = text.slice(0, START);
  const count = (letters: RegExp) => start.match(letters)?.length ?? 0;
  const hangul = count(/[가-힣ㄱ-ㅎㅏ-ㅣ]/g);
  const kana = count(/[\u3040-\u30ff]/g);
  const latin = count(/[a-z]/gi);
  if (kana > hangul) return "ja";
  // A syllable of Hangul says what takes several Latin letters, and a Korean text is full of names and code.
  if (hangul * 8 > latin) return "ko";
  return latin > 0 ? "en" : undefined;
}
