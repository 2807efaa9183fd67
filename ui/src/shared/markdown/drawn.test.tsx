// The words that are counted are the words that are drawn.
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { drawnText, Markdown } from ".";
import { hostile } from "./hostile.fixture";

const PLAIN = [
  "# Title **bold** `code`\n\nfirst line\nsecond *line*, \\*not\\* and **컨텍스트(context)**는 &amp; done",
  "- one\n- [ ] two **three**\n- [x] four\n  1. five\n\n     six",
  "> quoted\n> > deeper\n\n---\n\n| a | b |\n|---|:-:|\n| c d | `e` |",
  "```rust\nlet a = 1;\n\nlet b = a;\n```\n\n    indented\n\nSee [the docs][d], <https://example.com/x> and https://example.com/를.\n\n[d]: https://example.com",
  "![picture](https://example.com/a.png) and ![other](data:x) ~~gone~~",
];

function words(text: string): string {
  const { container, unmount } = render(<Markdown text={text} />);
  // What can be pressed, the language over code and formulas are no words of the text.
  container.querySelectorAll("button, figcaption, math, [data-tex]").forEach((element) => element.remove());
  const drawn = container.textContent;
  unmount();
  return drawn;
}

const close = (text: string) => text.replace(/\s+/g, "");

it.each([...PLAIN, ...hostile])("%s", (text) => {
  expect(close(drawnText(text))).toBe(close(words(text)));
});

it("parts what is drawn apart", () => {
  expect(drawnText("one\ntwo\n\n- three\n- four\n\n| five | six |\n|---|---|").split(/\s+/).filter(Boolean)).toEqual(
    ["one", "two", "three", "four", "five", "six"],
  );
});
