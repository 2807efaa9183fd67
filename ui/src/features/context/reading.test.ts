// What a message brings of a file stays within what the host takes, in whole lines.
import { expect, it } from "vitest";
import { pickLines } from "./reading";

it("picked lines are whole, and as many as the host takes with their place", () => {
  expect(pickLines(["a", "b", "c"], 2, 3)).toEqual({ first: 2, last: 3, text: "b\nc" });
  expect(pickLines(["a", "b"], 2, 9)).toEqual({ first: 2, last: 2, text: "b" });
  const long = "가".repeat(10_000);
  // Three bytes a letter: two such lines fit, a third does not.
  expect(pickLines([long, long, long], 1, 3)).toMatchObject({ first: 1, last: 2 });
  expect(pickLines([long.repeat(3), "a"], 1, 2)).toBeNull();
});
