// Nothing that one side alone changed is lost.
import { describe, expect, it } from "vitest";
import { merge } from "./merge";

const lines = (...all: string[]) => all.join("\n");

describe("merge", () => {
  const base = lines("# Rules", "", "- two spaces", "- strict", "");
  it("takes what either side alone changed, added or removed", () => {
    const mine = lines("# Rules", "", "- four spaces", "- strict", "");
    const theirs = lines("# House rules", "", "- two spaces", "- strict", "- tests first", "");
    expect(merge(base, mine, theirs)).toEqual({
      text: lines("# House rules", "", "- four spaces", "- strict", "- tests first", ""),
      clashes: 0,
    });
    expect(merge(base, lines("# Rules", "", "- strict", ""), theirs).text).toBe(
      lines("# House rules", "", "- strict", "- tests first", ""),
    );
  });

  it("counts the same change once, and lets mine stand where both differ", () => {
    const four = lines("# Rules", "", "- four spaces", "- strict", "");
    expect(merge(base, four, four)).toEqual({ text: four, clashes: 0 });
    expect(merge(base, four, lines("# Rules", "", "- tabs", "- strict", ""))).toEqual({ text: four, clashes: 1 });
  });

  it("keeps everything of both where there was nothing before or all was taken away", () => {
    expect(merge("", lines("a", ""), "")).toEqual({ text: lines("a", ""), clashes: 0 });
    expect(merge(base, base, "")).toEqual({ text: "", clashes: 0 });
    const rewritten = base.replace("two", "four");
    expect(merge(base, rewritten, "")).toMatchObject({ clashes: 1, text: expect.stringContaining("- four spaces") });
  });
});
