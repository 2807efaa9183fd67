// The draft brings the next fold nearer, and the length of the turns so far says where it lies on the bar.
import { expect, it } from "vitest";
import { tickOf } from "./tick";
import type { Piece } from "./view";

const piece = (kind: Piece["kind"], tokens: number): Piece => ({
  id: kind,
  kind,
  source: "",
  link: null,
  text: "",
  attached: [],
  tokens,
  exact: true,
  pinned: false,
  reason: { code: "recent" },
  turns: null, redacted: [],
  changed: false,
  messages: [],
});

it("the next fold is as far as what is not summarised yet, the draft included", () => {
  const turns = [piece("turn", 30), piece("turn", 170)];
  const empty = { pieces: [piece("memory", 50), ...turns], tokens: 250 };
  const written = { pieces: [...empty.pieces, piece("draft", 40)], tokens: 290 };
  const tokens = { unit: "tokens", left: 100 } as const;
  expect(tickOf(tokens, empty)).toEqual({ left: tokens, at: 350 });
  // What is typed moves the end of the request, not the place of the fold.
  expect(tickOf(tokens, written)).toEqual({ left: { unit: "tokens", left: 60 }, at: 350 });
  expect(tickOf({ unit: "tokens", left: 10 }, written).left.left).toBe(0);
  // Two more turns of 200 tokens.
  const two = { unit: "turns", left: 2 } as const;
  expect(tickOf(two, written)).toEqual({ left: two, at: 650 });
  expect(tickOf(two, { pieces: [piece("draft", 40)], tokens: 40 }).at).toBeNull();
});
