// Markdown text to a tree of nodes. The one place that knows markdown-it; raw HTML is off, so
// `<script>` is text. Links keep only the schemes below, everything else stays as written.
import MarkdownIt, { type Env, type StateCore, type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import { mathRules } from "./math";

export type References = NonNullable<Env["references"]>;
export interface Node {
  token: Token;
  children: Node[];
}

/** http(s), mailto, or one of the app's own addresses: silt:message/<id>, silt:file/<path>. */
export function isAllowedLink(url: string): boolean {
  return /^(https?:\/\/[^\s/]|mailto:[^\s]|silt:message\/[\w-]+$|silt:file\/[^\s?#]+(\?line=\d+)?$)/i.test(
    url,
  );
}

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true }).use(cjkFriendly).use(mathRules);
markdown.validateLink = isAllowedLink;
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.linkify.add("ftp:", null).add("//", null);

// "https://example.com/a를 보세요": a Korean particle right behind the Latin end of an address is
// not part of it. An address with Hangul of its own ("/wiki/한국어") is left alone.
const PARTICLE = /[\w/#=&-](\p{Script=Hangul}+)$/u;
markdown.core.ruler.after("linkify", "korean-particle", (state: StateCore) => {
  for (const { children } of state.tokens) {
    children?.forEach((open, index) => {
      const [text, close, after] = children.slice(index + 1, index + 4);
      if (open.type !== "link_open" || open.markup !== "linkify" || !text || !close) return;
      const particle = PARTICLE.exec(text.content)?.[1];
      const isOnlyHangul = particle && !/\p{Script=Hangul}/u.test(text.content.slice(0, -particle.length));
      if (!isOnlyHangul || text.content.at(-particle.length - 1) === "/") return;
      text.content = text.content.slice(0, -particle.length);
      open.attrSet("href", markdown.normalizeLink(text.content));
      if (after?.type === "text") after.content = particle + after.content;
      else {
        const rest = new state.Token("text", "", 0);
        rest.content = particle;
        children.splice(index + 3, 0, rest);
      }
    });
  }
});

/** What the parser itself does to a whole text before it reads blocks; lengths and lines stay. */
const readable = (text: string) => text.replace(/\0/g, "\ufffd");

/** Line numbers at which the top-level blocks of `text` begin. */
export function blockStarts(text: string): number[] {
  const tokens: Token[] = [];
  markdown.block.parse(readable(text), markdown, {}, tokens);
  return tokens.filter((t) => t.level === 0 && t.nesting >= 0 && t.map).map((t) => t.map![0]);
}

/** The link definitions (`[a]: https://...`) that `text` makes. */
export function definitions(text: string): References {
  const env: Env = {};
  markdown.block.parse(readable(text), markdown, env, []);
  return env.references ?? {};
}

/** The line that opens a block of code which `text` leaves open; null where it leaves none. */
export function openFence(text: string): string | null {
  const source = text.replace(/\r\n?/g, "\n");
  const tokens: Token[] = [];
  markdown.block.parse(readable(source), markdown, {}, tokens);
  const last = tokens.findLast(({ type }) => type === "fence");
  const lines = source.replace(/\n$/, "").split("\n");
  if (!last?.map || last.map[1] < lines.length) return null;
  const end = last.map[1] - 1 > last.map[0] ? lines[last.map[1] - 1]! : "";
  const closing = /^[\s>]*(`+|~+)\s*$/.exec(end)?.[1];
  return closing?.startsWith(last.markup) ? null : last.markup + last.info;
}

/** A text that goes on where another one left a block of code open: in such a block, which it may close, or open again. */
export function goingOn(fence: string, text: string): string {
  const [, first = "", info = ""] = /^\s*(`{3,}|~{3,})(.*)/.exec(text) ?? [];
  if (first === "") return `${fence}\n${text}`;
  return info.trim() === "" ? text.slice(text.indexOf(first) + first.length) : text;
}

export function parse(text: string, references: References): Node[] {
  return tree(markdown.parse(text, { references: { ...references } }));
}

/** The mark of a GFM task item, "[ ] " or "[x] ", before its first words. */
export function taskMark(item: Node): RegExpExecArray | null {
  const first = item.children[0]?.children[0]?.children[0]?.token;
  return first?.type === "text" ? /^\[([ xX])\](?: |$)/.exec(first.content) : null;
}

/** markdown-it's flat list of opening and closing tokens as a tree. */
function tree(tokens: Token[]): Node[] {
  const root: Node[] = [];
  const stack: Node[][] = [root];
  for (const token of tokens) {
    if (token.nesting < 0) {
      if (stack.length > 1) stack.pop();
      continue;
    }
    const node: Node = { token, children: token.children ? tree(token.children) : [] };
    stack.at(-1)!.push(node);
    if (token.nesting > 0) stack.push(node.children);
  }
  return root;
}
