// Markdown that nobody would write, put together by chance: the splitter and the parser take all of it, and a text that
// arrives in any pieces ends as the text that was there at once. The same numbers give the same texts.
import { describe, expect, it } from "vitest";
import { chance } from "@/test/chance";
import { EMPTY_SPLIT, splitBlocks } from "./blocks";
import { hostile } from "./hostile.fixture";
import { parse, type Node } from "./parse";

const TEXTS = 300;

/** Longer than a machine takes that is busy with other things. */
const PATIENCE = 300_000;

const PIECES = [
  "\n", "\n\n", "\r\n", "\r", " ", "    ", "\t", "word ", "한글", "🪨", "\u200b", "\u2028", "\0",
  "# ", "## x\n", "=== \n", "---\n", "***", "___", "- ", "* ", "+ x\n", "1. ", "12) y\n", "> ", ">",
  "```", "````rust\n", "~~~\n", "`", "``", "*", "**", "_", "~~", "[", "]", "](", "![", ")", "<", ">",
  "[a]: https://example.com/a\n", "[a]", "[a][]", "[^1]", "| a | b |\n", "|---|:-:|\n", "| 1 |\n",
  "<script>", "<!--", "-->", "<b>", "&amp;", "&#0;", "\\", "\\\n", "  \n", "https://example.com/가",
  "silt:file/a?line=1", "mailto:a@b.c", "javascript:alert(1)", "- [ ] ", "- [x] z\n", ":", "$", "{", "}",
  "$$", "$$\n", "$x$", "$$\ny\n$$\n", "\\(", "\\)", "\\[", "\\]\n", "\\frac12", "$5",
];

function made(below: (end: number) => number): string {
  let text = below(3) === 0 ? hostile[below(hostile.length)]! : "";
  for (let left = 1 + below(40); left > 0; left -= 1) {
    const piece = PIECES[below(PIECES.length)]!.repeat(below(12) === 0 ? 40 : 1);
    const at = below(4) === 0 ? below(text.length + 1) : text.length;
    text = text.slice(0, at) + piece + text.slice(at);
  }
  return text;
}

const outline = (nodes: Node[]): unknown[] =>
  nodes.map(({ token, children }) => [token.type, token.content, token.attrs, outline(children)]);

describe("texts of chance", () => {
  const texts = Array.from({ length: TEXTS }, (_, seed) => made(chance(seed)));

  it("end as they were, in whatever pieces they arrive", () => {
    for (const [seed, text] of texts.entries()) {
      const below = chance(seed + TEXTS);
      const final = splitBlocks(text);
      let split = EMPTY_SPLIT;
      for (let end = 0; end < text.length; ) {
        end = Math.min(text.length, end + 1 + below(9));
        const prefix = text.slice(0, end);
        split = splitBlocks(prefix, split);
        expect(split.blocks.join(""), `${seed}`).toBe(prefix.replace(/\r\n?/g, "\n"));
        // A lone \r at the end may become half of a line's end.
        if (!prefix.endsWith("\r")) {
          const closed = split.blocks.slice(0, -1);
          expect(final.blocks.slice(0, closed.length), `${seed}: ${JSON.stringify(prefix)}`).toEqual(closed);
        }
      }
      expect(split, `${seed}`).toEqual(final);
    }
  }, PATIENCE);

  it("read in blocks as they read whole", () => {
    for (const [seed, text] of texts.entries()) {
      const ended = `${text}\n\n# end\n`;
      const { blocks, references } = splitBlocks(ended);
      const pieces = blocks.flatMap((block) => outline(parse(block, references)));
      expect(pieces, `${seed}: ${JSON.stringify(text)}`).toEqual(outline(parse(ended, {})));
    }
  }, PATIENCE);
});
