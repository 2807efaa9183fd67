// Nothing of a text from elsewhere stays out of sight, and what people write stays as it is.
import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { hasHidden, Revealed } from "./Revealed";

const shown = (text: string) => render(<Revealed text={text} />).container.textContent;

describe("a text from elsewhere", () => {
  it("shows what would not show", () => {
    const hidden = ["\u202e", "\u2066", "\u200b", "\u200d", "\u00ad", "\ufeff", "\u{e0041}", "\u001b", "\r", "\u3164", "\u115f", "\u2028"];
    for (const character of hidden) {
      const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
      expect(hasHidden(`a${character}b`)).toBe(true);
      expect(shown(`a${character}b`)).toBe(`a${code}b`);
    }
    expect(shown("\u200b\u200b")).toBe("U+200BU+200B");
  });

  it("leaves letters of every language, tabs and lines alone", () => {
    for (const text of ["", "rm -rf build", "한국어 문장입니다.", "日本語", "Ünïcödé", "a\tb\nc", "𝒳 😀"]) {
      expect(hasHidden(text)).toBe(false);
      expect(shown(text)).toBe(text);
    }
  });
});
