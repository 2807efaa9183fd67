// Laying out changes no character but the spaces between tokens, whatever is in the body.
import { describe, expect, it } from "vitest";
import { bodyLines } from "./lines";

const shown = (body: string) => bodyLines(body).map(({ depth, text }) => "  ".repeat(depth) + text);
const joined = (body: string) => bodyLines(body).map(({ text }) => text).join("");

describe("the lines of a body", () => {
  it("are laid out as JSON is read, with numbers, escapes and repeated names as they were sent", () => {
    const body = '{"n":1.0,"big":12345678901234567890,"e":"\\uac00\\"{[,:","a":[],"o":{ },"list":[1,{"x":null}],"n":2}';
    expect(shown(body)).toEqual([
      "{",
      '  "n": 1.0,',
      '  "big": 12345678901234567890,',
      '  "e": "\\uac00\\"{[,:",',
      '  "a": [],',
      '  "o": { },',
      '  "list": [',
      "    1,",
      "    {",
      '      "x": null',
      "    }",
      "  ],",
      '  "n": 2',
      "}",
    ]);
  });

  it("break a long text where it does itself", () => {
    const text = `First line of a prompt.\\n${"second ".repeat(12)}\\n끝`;
    expect(shown(`{"text":"${text}"}`).slice(1, -1)).toEqual([
      '  "text": "First line of a prompt.\\n',
      `    ${"second ".repeat(12)}\\n`,
      '    끝"',
    ]);
  });

  it("lose nothing of a large one, and split no character", () => {
    const picture = "iVBOR😀".repeat(300_000);
    const body = JSON.stringify({ data: picture, tail: "end" });
    const lines = bodyLines(body);
    expect(Math.max(...lines.map(({ text }) => text.length))).toBeLessThanOrEqual(2000);
    expect(lines.some(({ text }) => /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/.test(text))).toBe(false);
    expect(joined(body).replaceAll(": ", ":")).toBe(body);
  });

  it("take what is broken or no JSON as it is", () => {
    expect(joined('{"a":"cut of')).toBe('{"a": "cut of');
    expect(shown("[1]}{")).toEqual(["[", "  1", "]", "}{"]);
    expect(shown("a=1\nb=2")).toEqual(["a=1", "b=2"]);
    expect(bodyLines("")).toEqual([]);
  });
});
