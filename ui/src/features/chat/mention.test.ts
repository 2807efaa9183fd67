import { expect, it } from "vitest";
import { mentionAt, written } from "./mention";

/** `|` is the caret; told as what a pick would replace, and what is looked for. */
const at = (marked: string) => {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const found = mentionAt(text, caret);
  return found && [text.slice(found.from, found.to), found.query];
};

it("finds the mention at the caret", () => {
  expect(at("@|")).toEqual(["@", ""]);
  expect(at("see (@src/ma|in.rs), please")).toEqual(["@src/main.rs", "src/ma"]);
  expect(at('@"my no|tes.md" says')).toEqual(['@"my notes.md"', "my no"]);
  expect(at('@"my no|')).toEqual(['@"my no', "my no"]);
  expect(at("이거 @운영|")).toEqual(["@운영", "운영"]);
});

it("takes no address, no finished mention, and nothing of another line", () => {
  for (const text of ["ada@exa|mple.com", "@src/main.rs |", '@"a b" |', '@"a\nb|', "|@a", "no"]) expect(at(text)).toBeNull();
});

it("quotes only what needs it", () => {
  expect(["src/a-b_c.rs", "my notes.md", "운영.md", "a@b.md"].map(written)).toEqual([
    "@src/a-b_c.rs", '@"my notes.md"', "@운영.md", '@"a@b.md"',
  ]);
});
