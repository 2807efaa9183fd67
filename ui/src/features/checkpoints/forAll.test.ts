import { describe, expect, it } from "vitest";
import type { PlannedFile } from "@/ipc";
import { answerAll } from "./forAll";

const file = (index: number, path: string, can_merge = true): PlannedFile => ({
  index,
  path,
  action: "conflict",
  why: "changed_outside",
  now: 1,
  then: 1,
  can_merge,
});

const files = [file(0, "fits"), file(1, "contradicts"), file(2, "binary", false)];
const merge = ({ path }: PlannedFile) =>
  Promise.resolve({ base: "", now: "", then: "", merged: `merged ${path}`, conflicts: path === "contradicts" });

describe("one answer for every file that was changed since", () => {
  it("makes all of them what they were, or lets them be", async () => {
    const was = await answerAll(files, "overwrite", merge);
    expect([...was.choices]).toEqual(files.map(({ path }) => [path, { is: "overwrite" }]));
    const mine = await answerAll(files, "keep", merge);
    expect([...mine.choices.values()]).toEqual([null, null, null]);
    expect([was.left, mine.left]).toEqual([0, 0]);
  });

  it("merges what fits together, and lets the rest be", async () => {
    const both = await answerAll(files, "merge", merge);
    expect(both.choices.get("fits")).toEqual({ is: "merge", text: "merged fits" });
    expect([both.choices.get("contradicts"), both.choices.get("binary"), both.left]).toEqual([null, null, 2]);
  });
});
