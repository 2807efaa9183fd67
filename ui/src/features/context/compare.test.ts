import { expect, it } from "vitest";
import { compare } from "./compare";
import type { Piece } from "./view";

const piece = (id: string, text: string | null, how: Partial<Piece> = {}): Piece => ({
  id, kind: "memory", source: id, link: null, text, attached: [], tokens: 1, exact: true, pinned: false, reason: { code: "memory", layer: "project", why: { code: "always" } },
  turns: null, redacted: [], changed: false, messages: [], ...how,
});
const message = (id: string, kind: Piece["kind"] = "turn") =>
  piece(kind === "draft" ? "draft" : `turn:${id}`, id, { kind, messages: [id] });

const told = (before: readonly Piece[], after: readonly Piece[]) =>
  compare(before, after).map(({ mark, block }) => `${mark} ${block.pieces.map(({ text, id }) => text ?? id).join("+")}`);

it("tells what came, went, changed and stayed, each in its place", () => {
  const before = [piece("rules", "a"), piece("old", "b"), piece("gone", null), message("1"), message("2"), message("3", "draft")];
  const after = [piece("rules", "a2"), piece("gone", "c"), piece("new", "d"), message("2"), message("3"), message("4"), piece("draft", "5", { kind: "draft" })];
  expect(told(before, after)).toEqual([
    "changed a2", "removed b", "changed c", "added d", "removed 1", "same 2+3", "added 4", "added 5",
  ]);
});

it("is the same as itself, and loses nothing of either", () => {
  const all = [piece("rules", "a"), message("1"), message("2")];
  expect(told(all, all)).toEqual(["same a", "same 1+2"]);
  expect(told(all, [])).toEqual(["removed a", "removed 1+2"]);
  expect(told([], all)).toEqual(["added a", "added 1+2"]);
  // In another order nothing is told twice.
  expect(told(all, all.toReversed())).toEqual(["same 2+1", "same a"]);
});
