// The lint that keeps HTML and code sinks out (safety.md, G4), tried: each kind of sink is refused, and so is every way
// to write it that somebody might think of first.
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";

const SINKS = [
  "document.body.innerHTML = text;",
  "document.body.outerHTML = text;",
  'document.body["innerHTML"] = text;',
  'document.body.insertAdjacentHTML("beforeend", text);',
  "document.createRange().createContextualFragment(text);",
  "document.write(text);",
  "document.writeln(text);",
  "frame.srcdoc = text;",
  'frame.setAttribute("srcdoc", text);',
  'frame.setAttribute("onclick", text);',
  'new DOMParser().parseFromString(text, "text/html");',
  "eval(text);",
  "new Function(text)();",
  "export const shown = <div dangerouslySetInnerHTML={{ __html: text }} />;",
  "export const framed = <iframe srcDoc={text} />;",
  "export const spread = { dangerouslySetInnerHTML: { __html: text } };",
];

const RULES = ["no-restricted-syntax", "no-eval", "no-implied-eval", "no-new-func"];

// What is tried is in no file, so there are no types of it.
const lint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });

async function refused(code: string): Promise<boolean> {
  const [result] = await lint.lintText(`declare const text: string;\ndeclare const frame: HTMLIFrameElement;\n${code}`, {
    filePath: "src/app/sink.tsx",
  });
  const messages = result?.messages ?? [];
  expect(messages.filter((it) => it.fatal), code).toEqual([]);
  return messages.some((it) => RULES.includes(it.ruleId ?? ""));
}

describe("the lint against sinks", () => {
  it.each(SINKS)("refuses %s", async (code) => {
    expect(await refused(code)).toBe(true);
  });

  it("lets text become elements", async () => {
    expect(await refused("export const shown = <p>{text}</p>;")).toBe(false);
  });
});
