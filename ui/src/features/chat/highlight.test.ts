// Words are found in what is drawn of a message, whatever Markdown made of them.
import { expect, it } from "vitest";
import { rangeOf } from "./highlight";

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
