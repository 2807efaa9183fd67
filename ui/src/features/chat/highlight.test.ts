// Words are found in what is drawn of a message, whatever Markdown made of them, and are brought into sight.
import { expect, it, vi } from "vitest";
import { bring, drawnIn, rangeOf } from "./highlight";

function drawn(...parts: [tag: string, text: string][]): HTMLElement {
  const row = document.createElement("div");
  for (const [tag, text] of parts) row.appendChild(document.createElement(tag)).textContent = text;
  return row;
}

it("finds words over several elements, without the signs of Markdown", () => {
  const row = drawn(["p", "The handler is "], ["code", "src/api/session.rs"], ["p", ", on port\n  5433."]);
  expect(rangeOf(row, "`src/api/session.rs`, on **port** 5433")?.toString()).toBe("src/api/session.rs, on port\n  5433");
  expect(rangeOf(row, "port 5432")).toBeNull();
  expect(rangeOf(row, " \n")).toBeNull();
});

it("finds words of Korean", () => {
  expect(rangeOf(drawn(["p", "운영 서버에는 절대 직접 배포하지 마세요."]), "절대 직접 배포하지 마세요")?.toString()).toBe(
    "절대 직접 배포하지 마세요",
  );
});

it("numbers every place of a message as it is read, and none of what can be pressed", () => {
  const said = drawn(["p", "A table AT last"], ["figcaption", "at"], ["p", "t"], ["button", "at"], ["pre", "let at\n= cat;"]);
  said.dataset.said = "one";
  const row = document.createElement("div");
  row.append(said, drawn(["p", "at"]));
  const found = (words: string) => drawnIn(row, words).get("one")!.map(String);
  // Neither "a t" of two words, nor "a" of one paragraph and "t" of the next.
  expect(found("at")).toEqual(["AT", "at", "at"]);
  expect(found("at = c")).toEqual(["at\n= c"]);
  // A range goes over what it does not read.
  expect(found("last t")).toEqual(["lastatt"]);
  expect(found("  ")).toEqual([]);
});

it("scrolls all that words lie in until they are in sight, and no further", () => {
  const outer = document.body.appendChild(document.createElement("div"));
  const pre = outer.appendChild(document.createElement("pre"));
  pre.textContent = "far away";
  outer.style.overflowY = "auto";
  pre.style.overflowX = "auto";
  const box = (x: number, y: number, width: number, height: number) => () => new DOMRect(x, y, width, height);
  vi.spyOn(outer, "getBoundingClientRect").mockImplementation(box(0, 100, 600, 400));
  vi.spyOn(pre, "getBoundingClientRect").mockImplementation(() => new DOMRect(0, 100 - outer.scrollTop, 600, 2000));
  const range = document.createRange();
  range.selectNodeContents(pre.firstChild!);
  range.getBoundingClientRect = () => new DOMRect(900 - pre.scrollLeft, 1500 - outer.scrollTop, 40, 20);
  expect(bring(range)).toBe(true);
  expect([outer.scrollTop, pre.scrollLeft]).toEqual([1210, 620]);
  expect(bring(range)).toBe(false);
  // What is not laid out leads nowhere.
  range.getBoundingClientRect = () => new DOMRect();
  expect(bring(range)).toBe(false);
  outer.remove();
});
