// The words of a Markdown text as Markdown.tsx draws them, without drawing them: who looks for something in a long
// conversation counts it in texts that are not in the document. Pure.
import { splitBlocks } from "./blocks";
import { isAllowedLink, parse, taskMark, type Node } from "./parse";

export function drawnText(text: string): string {
  const { blocks, references } = splitBlocks(text);
  return blocks.map((block) => wordsIn(parse(block, references))).join("\n");
}

const wordsIn = (nodes: readonly Node[]): string => nodes.map(wordsOf).join("");

function wordsOf(node: Node): string {
  const { token, children } = node;
  const inner = wordsIn(children);
  switch (token.type) {
    case "inline":
    case "strong_open":
    case "em_open":
    case "s_open":
    case "link_open":
      return inner;
    case "softbreak":
    case "hardbreak":
      return "\n";
    case "fence":
    case "code_block":
      return `\n${token.content}\n`;
    case "math_inline":
    case "math_block":
      // Drawn with other letters than it was written with.
      return "";
    case "image":
      // A button, which says where it leads.
      return isAllowedLink(String(token.attrGet("src") ?? "")) ? "" : token.content;
    case "list_item_open":
      return `\n${inner.trimStart().slice(taskMark(node)?.[0].length ?? 0)}\n`;
    default:
      return token.nesting > 0 ? `\n${inner}\n` : token.content;
  }
}
