// TeX to MathML elements. Loaded on demand by Formula, so that KaTeX is no part of the first paint. KaTeX gives a tree of
// its own; what of it is known to do nothing but look like a formula becomes React elements, and a formula with anything
// else is shown as it was written. Absent: colours (a text must be readable in both themes, and none may hide), links,
// pictures, and definitions, with which a few letters become millions.
import katex from "katex";
import { createElement, Fragment, type ReactElement, type ReactNode } from "react";
import { styled } from "./letters";
import css from "./math.module.css";

const MAX_LENGTH = 4000;
const MAX_NODES = 4000;
const MAX_DEPTH = 120;
const MAX_CACHED = 400;

/** The colour of what KaTeX does not know or may not do: none that anybody writes. */
const REFUSED = "#0dd0dd";

const OPTIONS = {
  output: "mathml", throwOnError: true, errorColor: REFUSED, trust: false, strict: "ignore", maxSize: 10, maxExpand: 1000,
};

/** New meanings for commands, and tables whose width is only said: both cost more than their length tells. */
const DEFINES = /\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?![a-zA-Z])/;
const WIDTHS = /\{align(?:ed)?at\*?\}([^}]*)/g;
const MAX_DIGITS = 2;

/** "50%" is meant as it looks; any other one would hide what is behind it. */
const PERCENT = /(?<=\d\s?)%/g;
const COMMENT = /(?:^|[^\\])(?:\\\\)*%/;

/** What KaTeX's tree is made of, as far as it is read here. */
interface Virtual {
  type?: string;
  attributes?: Record<string, string>;
  classes?: string[];
  children?: Virtual[];
  text?: string;
  /** Of a space, in em. */
  width?: number;
}

// Not in its types, because it may change: the version is fixed, and the tests would tell.
const { __renderToDomTree: build } = katex as unknown as {
  __renderToDomTree: (tex: string, options: object) => Virtual;
};

class Refused extends Error {}

const cache = new Map<string, ReactElement | null>();

/** Null for what cannot be read, may not be shown or is too much. */
export function formula(tex: string, display: boolean): ReactElement | null {
  const key = `${display} ${tex}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = typeset(tex, display);
  const oldest = cache.keys().next();
  if (cache.size >= MAX_CACHED && !oldest.done) cache.delete(oldest.value);
  cache.set(key, made);
  return made;
}

function typeset(tex: string, display: boolean): ReactElement | null {
  const read = tex.replace(PERCENT, "\\%");
  const wide = [...tex.matchAll(WIDTHS)].some(([, width]) => width!.replace(/\D/g, "").length > MAX_DIGITS);
  if (tex.length > MAX_LENGTH || DEFINES.test(tex) || COMMENT.test(read) || wide) return null;
  try {
    const math = find(build(read, { ...OPTIONS, displayMode: display }), "math");
    const body = math && find(math, "semantics")?.children?.[0];
    if (!body) return null;
    const children = new Reader().element(body, { depth: 0, sized: false });
    return createElement("math", { display: display ? "block" : undefined, alttext: tex.trim() }, children);
  } catch {
    // What KaTeX cannot read, what is nested too deep for it, and what is refused below.
    return null;
  }
}

function find(node: Virtual, type: string): Virtual | undefined {
  return node.type === type ? node : node.children?.map((child) => find(child, type)).find((found) => found);
}

const EM = /^-?(?:\d+\.?\d*|\.\d+)(?:em|ex|px|pt)$/;
const ROOM = /^(?:\d+\.?\d*|\.\d+)(?:em|ex|px|pt)$/;
const YES_NO = /^(?:true|false)$/;

/** Elements, each with its attributes and what they may say. What is not here is no element, or loses its attribute. */
const KNOWN: Record<string, Record<string, RegExp>> = {
  mrow: {},
  mi: { mathvariant: /^normal$/ },
  mn: {},
  mo: {
    stretchy: YES_NO, fence: YES_NO, separator: YES_NO, largeop: YES_NO, movablelimits: YES_NO, lspace: EM, rspace: EM,
    minsize: ROOM, maxsize: ROOM,
  },
  mtext: {},
  // A rule is a space that is painted.
  mspace: { width: ROOM, height: ROOM, depth: ROOM },
  msup: {},
  msub: {},
  msubsup: {},
  mover: { accent: YES_NO },
  munder: { accentunder: YES_NO },
  munderover: { accent: YES_NO, accentunder: YES_NO },
  mfrac: { linethickness: ROOM },
  msqrt: {},
  mroot: {},
  mtable: {},
  mtr: {},
  mtd: {},
  // Heights and shifts would lay one line over another.
  mpadded: { width: ROOM, lspace: ROOM },
  mphantom: {},
  mstyle: { displaystyle: YES_NO, scriptlevel: /^[0-3]$/, mathsize: ROOM },
};

/** The arrow of a vector as a sign that is put over the letter before it: some browsers put it elsewhere. */
const VECTOR = "\u20d7";
const ARROW = { stretchy: "false", mathsize: "0.7em", lspace: "0em", rspace: "0em" };

/** What has letters and no parts. */
const LETTERS = ["mi", "mn", "mo", "mtext"];

/** Frames and strokes, which browsers do not draw by themselves. KaTeX turns the edges of a table by a quarter. */
const NOTATIONS: Record<string, string | undefined> = {
  box: css.box, updiagonalstrike: css.up, downdiagonalstrike: css.down, horizontalstrike: css.through,
  top: css.left, bottom: css.right, left: css.top, right: css.bottom,
};

interface Place {
  depth: number;
  /** A size is relative to the one around it: of several only the outer one counts. */
  sized: boolean;
}

class Reader {
  private nodes = 0;

  element(node: Virtual, place: Place, classes: readonly (string | undefined)[] = []): ReactNode {
    this.nodes += 1;
    if (this.nodes > MAX_NODES || place.depth > MAX_DEPTH) throw new Refused();
    if (node.text !== undefined) return node.text;
    const { type, attributes = {}, children = [] } = node;
    if (attributes.mathcolor === REFUSED) throw new Refused();
    const below = { depth: place.depth + 1, sized: place.sized || attributes.mathsize !== undefined };
    if (type === undefined) {
      if (node.width === undefined) return createElement(Fragment, null, ...children.map((child) => this.element(child, below)));
      return createElement("mspace", { width: `${Math.max(0, node.width)}em` });
    }
    if (type === "mtable") return this.table(node, below, classes);
    if (type === "menclose") return this.enclosed(node, below);
    if (LETTERS.includes(type) && children.some((child) => child.text === undefined && child.width === undefined)) {
      return this.element({ ...node, type: "mrow" }, place, classes);
    }
    if (type === "mtext") return createElement("mtext", { className: faceOf(attributes.mathvariant) }, lettersOf(node));
    if (type === "mo" && lettersOf(node) === VECTOR) return createElement("mo", ARROW, "→");
    const known = Object.hasOwn(KNOWN, type) ? KNOWN[type] : undefined;
    if (!known) throw new Refused();

    const names = [...classes];
    const kept: Record<string, string> = {};
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "mathsize" && place.sized) continue;
      if (known[name]?.test(value)) kept[name] = value;
    }
    // Room on both sides, said as more than there is; browsers know no more.
    if (type === "mpadded" && attributes.width?.startsWith("+")) {
      delete kept.lspace;
      names.push(css.room);
    }
    if (type === "mpadded" && attributes.style !== undefined) names.push(css.box);
    if (type === "mspace" && attributes.mathbackground !== undefined) names.push(css.rule);
    const inner = LETTERS.includes(type)
      ? [styled(lettersOf(node), attributes.mathvariant)]
      : children.map((child) => this.element(child, below));
    return createElement(type, { ...kept, className: joined(names) }, ...inner);
  }

  private enclosed({ attributes, children = [] }: Virtual, place: Place): ReactNode {
    const names = (attributes?.notation ?? "").split(" ");
    const classes = names.map((name) => (Object.hasOwn(NOTATIONS, name) ? NOTATIONS[name] : css.box));
    return createElement("mrow", { className: joined(classes) }, ...children.map((child) => this.element(child, place)));
  }

  /** What MathML says of a table, browsers read from the style sheet: each cell is told where it stands. */
  private table({ attributes = {}, children: rows = [] }: Virtual, place: Place, classes: readonly (string | undefined)[]): ReactNode {
    const list = (name: string) => attributes[name]?.split(" ").filter((word) => word !== "") ?? [];
    const [sides, gaps, between, below] = ["columnalign", "columnspacing", "columnlines", "rowlines"].map(list);
    const gap = (index: number) => gaps![Math.min(index, gaps!.length - 1)];
    const tagged = attributes.width === "100%";
    const whole = tagged || rows.some(({ children }) => children?.some(isGlue));
    const drawn = rows.map((row, line) => {
      const cells = row.children ?? [];
      // A number stands on the right, and something as wide on the left.
      const first = cells[0] && isGlue(cells[0]) ? 1 : 0;
      const made = cells.map((cell, index) => {
        const column = index - first;
        return this.element({ ...cell, attributes: {} }, { ...place, depth: place.depth + 2 }, [
          isGlue(cell) && css.glue,
          sides![column] === "right" && css.toRight,
          sides![column] === "left" && css.toLeft,
          column > 0 && gap(column - 1) === "0em" && css.joinedStart,
          gap(column) === "0em" && css.joinedEnd,
          isLine(between![column]) && css.right,
          isLine(below![line]) && css.bottom,
        ].map((name) => name || undefined));
      });
      return createElement("mtr", null, ...made);
    });
    // A formula with a number of its own is as large as without it.
    const displaystyle = tagged ? "true" : undefined;
    return createElement("mtable", { displaystyle, className: joined([...classes, whole ? css.whole : undefined]) }, ...drawn);
  }
}

const isGlue = ({ classes, attributes }: Virtual) => (classes?.includes("mtr-glue") ?? false) || attributes?.width === "50%";
const isLine = (word: string | undefined) => word === "solid" || word === "dashed";
const joined = (names: readonly (string | undefined)[]) => names.filter(Boolean).join(" ") || undefined;

function lettersOf({ children = [] }: Virtual): string {
  return children.map(({ text = "\u2009" }) => text).join("");
}

/** Words are set in the letters of the text around them, Hangul too. */
function faceOf(variant = ""): string | undefined {
  return joined([
    /bold/.test(variant) ? css.bold : undefined,
    /italic/.test(variant) ? css.italic : undefined,
    variant === "monospace" ? css.mono : undefined,
  ]);
}
