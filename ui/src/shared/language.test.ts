// The language of a text, by its letters.
import { expect, it } from "vitest";
import { proseLanguage } from "./language";

it.each([
  ["포트를 어디서 바꾸나요?", "ko"],
  ["`src/auth.rs`에서 refresh token을 다시 받도록 고쳐 주세요", "ko"],
  ["Where does the word 안녕 come from? It is in every greeting of the language.", "en"],
  ["Where is the port set?", "en"],
  ["ポートはどこで変えますか", "ja"],
  ["5433 → 5434", undefined],
  ["", undefined],
])("%s is %s", (text, language) => expect(proseLanguage(text)).toBe(language));
