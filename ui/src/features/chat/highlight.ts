// Words in what is drawn, painted without touching what React has drawn.
import { fold, lower, placesIn } from "./occurrences";

/** What `::highlight()` of the style sheets calls the words that were gone to, and the same words elsewhere. */
const HERE = "found";
const ELSEWHERE = "foundToo";

/** Space and the signs of Markdown: drawn text has them elsewhere or not at all. */
const UNSEEN = /[\s*_`#>~-]/;

const BLOCKS = "p, h3, h4, h5, h6, li, pre, td, th, blockquote, div, [data-said]";
/** What can be pressed, what stands over code, and a formula, drawn or not, are not what was said. */
const UNSAID = "button, figcaption, math, [data-tex]";

interface Read {
  text: string;
  /** Where each letter of it stands. */
  places: [Node, number][];
}

/** The text below a node, with one blank wherever something parts words. */
function read(root: Node, skipped?: string): Read {
  const accept = (node: Node) =>
    skipped !== undefined && node instanceof Element && node.matches(skipped) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, accept);
  let text = "";
  const places: Read["places"] = [];
  let block: Element | null | undefined;
  let apart = false;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) {
      apart ||= node instanceof HTMLBRElement;
      continue;
    }
    const own = node.parentElement?.closest(BLOCKS);
    apart ||= own !== block;
    block = own;
    for (let at = 0; at < node.data.length; at += 1) {
      const letter = node.data[at]!;
      if (letter.trim() === "") {
        apart = true;
        continue;
      }
      if (apart && text !== "") {
        text += " ";
        places.push([node, at]);
      }
      apart = false;
      text += letter;
      places.push([node, at]);
    }
  }
  return { text, places };
}

function rangeAt(places: Read["places"], start: number, length: number): Range {
  const [[first, from], [last, to]] = [places[start]!, places[start + length - 1]!];
  const range = document.createRange();
  range.setStart(first, from);
  range.setEnd(last, to + 1);
  return range;
}

/** Where words of a text that was Markdown first stand below a node. */
export function rangeOf(root: Node, words: string): Range | null {
  const wanted = [...words].filter((char) => !UNSEEN.test(char)).join("");
  const all = read(root);
  const places = all.places.filter((_, index) => !UNSEEN.test(all.text[index]!));
  const text = [...all.text].filter((char) => !UNSEEN.test(char)).join("");
  const start = wanted === "" ? -1 : text.indexOf(wanted);
  return start < 0 ? null : rangeAt(places, start, wanted.length);
}

/** Where words stand in what is drawn of messages, by the message, in order: as occurrences.ts counts them. */
export function drawnIn(root: Element, words: string): Map<string, Range[]> {
  const wanted = fold(words);
  const found = new Map<string, Range[]>();
  for (const said of root.querySelectorAll<HTMLElement>("[data-said]")) {
    const { text, places } = read(said, UNSAID);
    const ranges = placesIn(lower(text), wanted).map((at) => rangeAt(places, at, wanted.length));
    found.set(said.dataset.said!, [...(found.get(said.dataset.said!) ?? []), ...ranges]);
  }
  return found;
}

/** Paints these words and no others. */
export function highlight(range: Range | null, elsewhere: readonly Range[] = []): void {
  // An old web view finds the row alone.
  if (!globalThis.CSS?.highlights) return;
  const paint = (name: string, ranges: readonly Range[]) => {
    // WebKit leaves on the screen what only goes from the registry: each range has to go.
    CSS.highlights.get(name)?.clear();
    if (ranges.length > 0) CSS.highlights.set(name, new Highlight(...ranges));
    else CSS.highlights.delete(name);
  };
  paint(HERE, range === null ? [] : [range]);
  paint(ELSEWHERE, elsewhere);
}

/** So near the edge of what scrolls words are not in sight yet, in pixels. */
const EDGE = 40;

/** Scrolls everything that words lie in, both ways, until they are in sight; whether that took anything. */
export function bring(range: Range): boolean {
  let moved = false;
  for (let box = range.startContainer.parentElement; box !== null; box = box.parentElement) {
    const words = range.getBoundingClientRect();
    // What is not laid out is nowhere.
    if (words.width === 0 && words.height === 0) return false;
    const { overflowX, overflowY } = getComputedStyle(box);
    const view = box.getBoundingClientRect();
    const { scrollTop, scrollLeft } = box;
    if (isScrolled(overflowY)) box.scrollTop += outside(words.top, words.bottom, view.top, view.bottom);
    if (isScrolled(overflowX)) box.scrollLeft += outside(words.left, words.right, view.left, view.right);
    moved ||= box.scrollTop !== scrollTop || box.scrollLeft !== scrollLeft;
  }
  return moved;
}

const isScrolled = (overflow: string) => overflow === "auto" || overflow === "scroll";

/** How far the middle of a stretch is from the middle of a view; nothing while it is well inside. */
function outside(from: number, to: number, start: number, end: number): number {
  const edge = Math.min(EDGE, (end - start) / 4);
  return from >= start + edge && to <= end - edge ? 0 : (from + to - start - end) / 2;
}
