// What a person types, and what it must find first.
import { describe, expect, it } from "vitest";
import { contains, score } from "./match";

function best(query: string, names: string[]): string | undefined {
  return names
    .flatMap((name) => {
      const found = score(query, name);
      return found === null ? [] : [{ name, found }];
    })
    .sort((a, b) => b.found - a.found)[0]?.name;
}

describe("score", () => {
  const names = ["설정", "새 대화", "이 대화에서 찾기", "모든 대화에서 검색", "단축키", "휴지통 열기"];

  it("finds Hangul by initial consonants", () => {
    expect(best("ㅅㅈ", names)).toBe("설정");
    expect(best("ㄷㅊㅋ", names)).toBe("단축키");
    expect(best("ㅅㄷㅎ", names)).toBe("새 대화");
  });

  it("finds a word while its last syllable is still being typed", () => {
    expect(best("서", names)).toBe("설정");
    expect(best("휴지토", names)).toBe("휴지통 열기");
    expect(score("선", "설정")).toBeNull();
  });

  it("prefers word starts and runs over scattered letters", () => {
    expect(best("fold", ["Find old words", "Open folder…"])).toBe("Open folder…");
    expect(best("nc", ["Previous conversation once", "New conversation"])).toBe("New conversation");
  });

  it("refuses what is not there, in order", () => {
    expect(score("정설", "설정")).toBeNull();
    expect(score("xyz", "Settings")).toBeNull();
  });
});

describe("contains", () => {
  it("finds words in one piece, by their beginnings where they are Latin", () => {
    expect(contains("redact", "Redact secrets")).toBe(true);
    expect(contains("act", "Redact secrets")).toBe(false);
    expect(contains("secrets in", "Redact secrets")).toBe(false);
    expect(contains("thiscomputer", "This computer only")).toBe(true);
  });

  it("finds Hangul inside words, by initials and while it is typed", () => {
    expect(contains("ㅊㅋㅍㅇㅌ", "자동 체크포인트")).toBe(true);
    expect(contains("포이", "자동 체크포인트")).toBe(true);
    expect(contains("체포", "자동 체크포인트")).toBe(false);
  });
});
