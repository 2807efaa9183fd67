// What waits for what stays true while steps are moved and removed.
import { describe, expect, it } from "vitest";
import { draftOf, moved, newStep, treeOf } from "./draft";

const tree = {
  title: "Tokens",
  steps: [
    { title: "Read", notes: "", acceptance: [], after: [] },
    { title: "Change", notes: "carefully", acceptance: ["tests pass", "no key is logged"], after: [0] },
    { title: "Tell", notes: "", acceptance: [], after: [0, 1] },
  ],
};

describe("a plan that is edited", () => {
  it("comes back as the model made it", () => {
    expect(treeOf(draftOf("rotate tokens", tree))).toEqual(tree);
  });

  it("waits for the same steps after they were moved, and for none that comes later", () => {
    const draft = draftOf("rotate tokens", tree);
    const { steps } = treeOf({ ...draft, steps: moved(draft.steps, 1, 0) });
    expect(steps.map(({ title, after }) => [title, after])).toEqual([
      ["Change", []],
      ["Read", []],
      ["Tell", [0, 1]],
    ]);
    // Moved back, it waits again.
    expect(treeOf({ ...draft, steps: moved(moved(draft.steps, 1, 0), 0, 1) })).toEqual(tree);
  });

  it("is heard without removed and empty steps", () => {
    const draft = draftOf("rotate tokens", tree);
    const [, change, tell] = draft.steps;
    const { steps } = treeOf({ ...draft, steps: [newStep(), change!, tell!, newStep()] });
    expect(steps.map(({ title, after }) => [title, after])).toEqual([
      ["Change", []],
      ["Tell", [0]],
    ]);
  });

  it("is called by its goal when it has no name", () => {
    expect(treeOf({ ...draftOf(" rotate tokens ", tree), title: " " }).title).toBe("rotate tokens");
  });

  it("hears nothing of a step that waits for itself or a later one", () => {
    const wrong = { title: "x", steps: [{ title: "a", notes: "", acceptance: [], after: [0, 1, 9] }, { title: "b", notes: "", acceptance: [], after: [0] }] };
    expect(treeOf(draftOf("x", wrong)).steps.map(({ after }) => after)).toEqual([[], [0]]);
  });
});
