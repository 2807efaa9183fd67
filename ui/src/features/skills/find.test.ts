// Which skill is meant by what a person types.
import { describe, expect, it } from "vitest";
import type { SkillItem } from "@/ipc";
import { callable, calledIn, filtered, isOwn } from "./find";

const item = (id: string, part: Partial<SkillItem> = {}): SkillItem => ({
  id,
  name: id.split("/").at(-1)!,
  description: "",
  needs: null,
  tokens: 1,
  told_tokens: 1,
  hash: id,
  files: [],
  also_in: [],
  offered: false,
  chosen: null,
  fault: null,
  ...part,
});

const OURS = item(".claude/skills/pdf", { description: "Fills forms" });
const OWN = item("~/.claude/skills/pdf");
const BROKEN = item(".agents/skills/note", { fault: { code: "empty" } });
const KOREAN = item("~/.agents/skills/보고서");
const ALL = [BROKEN, OURS, OWN, KOREAN];

describe("a skill that is called", () => {
  it("is the first of its name, or the one that lies there", () => {
    expect(calledIn(ALL, "PDF")).toBe(OURS);
    expect(calledIn(ALL, OWN.id)).toBe(OWN);
    expect(calledIn(ALL, "보고서".normalize("NFD"))).toBe(KOREAN);
    expect(calledIn(ALL, "pd")).toBeUndefined();
  });

  it("is one that can be used before one that cannot", () => {
    const broken = item(".agents/skills/pdf", { fault: { code: "no_front" } });
    expect(calledIn([broken, OWN], "pdf")).toBe(OWN);
    expect(calledIn([broken], "pdf")).toBe(broken);
  });

  it("is called by its folder where another has its name before it", () => {
    expect(callable(ALL).map(({ by }) => by)).toEqual(["pdf", OWN.id, "보고서"]);
  });

  it("is found by its name, its folder and what it is for", () => {
    expect(filtered(ALL, "forms")).toEqual([OURS]);
    expect(filtered(ALL, "claude")).toEqual([OURS, OWN]);
    expect(filtered(ALL, "ㅂㄱㅅ")).toEqual([KOREAN]);
    expect(filtered(ALL, "")).toEqual(ALL);
    expect(ALL.filter(isOwn)).toEqual([OWN, KOREAN]);
  });
});
