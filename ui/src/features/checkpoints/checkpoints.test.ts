// The pure parts: lines of work beside the list, and marks of a merge.
import { describe, expect, it } from "vitest";
import type { CheckpointItem } from "@/ipc";
import { contradictions, resolved } from "./marks";
import { byDay } from "./moments";

function item(id: string, parent: string | null, created_at = "2026-05-20T10:00:00Z"): CheckpointItem {
  return {
    id,
    parent,
    created_at,
    tag: null,
    pinned: false,
    reason: { code: "manual" },
    conversation_id: null,
    message_id: null,
    messages: 0,
    files: 1,
    changed: 0,
    bytes: 0,
    not_captured: 0,
    known: true,
  };
}

/** Each checkpoint as one letter a lane: o stands on it, < joins it, | passes, . is empty. */
function drawn(items: CheckpointItem[]): string[] {
  return byDay(items).flatMap(({ moments }) =>
    moments.map(({ lanes }) =>
      lanes.map(({ here, joins, above, below }) => (here ? "o" : joins ? "<" : above && below ? "|" : ".")).join(""),
    ),
  );
}

describe("the gutter", () => {
  it("draws a straight line, and a branch that joins where it began", () => {
    expect(drawn([item("c", "b"), item("b", "a"), item("a", null)])).toEqual(["o", "o", "o"]);
    const branched = [item("d", "b"), item("c", "b"), item("b", "a"), item("a", null)];
    expect(drawn(branched)).toEqual(["o", "|o", "o<", "o"]);
  });

  it("gives a lane back, and ends where the parent is not listed", () => {
    const items = [item("e", "c"), item("d", "gone"), item("c", "a"), item("b", "a"), item("a", null)];
    expect(drawn(items)).toEqual(["o", "|o", "o", "|o", "o<"]);
  });

  it("parts days where they begin on this computer", () => {
    const night = new Date(2026, 4, 20, 0, 1).toISOString();
    const before = new Date(2026, 4, 19, 23, 59).toISOString();
    expect(byDay([item("b", "a", night), item("a", null, before)]).map(({ moments }) => moments.length)).toEqual([1, 1]);
  });
});

describe("marks", () => {
  const text = ["one", "<<<<<<< ours", "mine", "||||||| original", "was", "=======", "theirs", ">>>>>>> theirs", "two"].join("\n");

  it("are found with both sides, and without what both began with", () => {
    expect(contradictions(text)).toEqual([{ start: 1, end: 8, now: ["mine"], then: ["theirs"] }]);
    // A heading of Markdown, and marks that are not whole, are text.
    expect(contradictions("Title\n=======\n<<<<<<< ours\nx")).toEqual([]);
  });

  it("give way to the side that is taken", () => {
    const [found] = contradictions(text);
    const taken = (side: "now" | "then" | "both") => resolved(text, found!, side).split("\n");
    expect(taken("now")).toEqual(["one", "mine", "two"]);
    expect(taken("then")).toEqual(["one", "theirs", "two"]);
    expect(taken("both")).toEqual(["one", "mine", "theirs", "two"]);
  });
});
