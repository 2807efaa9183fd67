// Words in a row that was jumped to, painted without touching what React has drawn.

/** What `::highlight()` of the style sheet calls them. */
const NAME = "found";

/** Space and the signs of Markdown: drawn text has them elsewhere or not at all. */
const UNSEEN = /[\s*_`#>~-]/;

/** Where the words stand in the text below a node. */
export function rangeOf(root: Node, words: string): Range | null {
  const wanted = [...words].filter((char) => !UNSEEN.test(char)).join("");
  let text = "";
  const places: [Node, number][] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { data } = node as Text;
    for (let at = 0; at < data.length; at += 1) {
      if (UNSEEN.test(data[at]!)) continue;
      text += data[at];
      places.push([node, at]);
    }
  }
  const start = wanted === "" ? -1 : text.indexOf(wanted);
  if (start < 0) return null;
  const [[first, from], [last, to]] = [places[start]!, places[start + wanted.length - 1]!];
  const range = document.createRange();
  range.setStart(first, from);
  range.setEnd(last, to + 1);
  return range;
}

/** Paints these words and no others, and brings them into view. */
export function highlight(range: Range | null): void {
  // An old web view finds the row alone.
  if (!globalThis.CSS?.highlights) return;
  CSS.highlights.delete(NAME);
  if (range === null) return;
  CSS.highlights.set(NAME, new Highlight(range));
  range.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
}
