// What is a formula and what only has its signs; what of a formula reaches the page, and that nothing else does.
import { act, render, screen } from "@testing-library/react";
import axe from "axe-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Markdown } from ".";
import { hostile } from "./hostile.fixture";
import { sourceOf } from "./math";
import { parse, type Node } from "./parse";

const found = (nodes: Node[]): string[] =>
  nodes.flatMap(({ token, children }) => [
    ...(token.type.startsWith("math_") ? [`${token.type} ${sourceOf(token.markup, token.content)}`] : []),
    ...found(children),
  ]);
const formulas = (text: string) => found(parse(text, {}));

async function show(text: string): Promise<HTMLElement> {
  const { container } = render(<Markdown text={text} />);
  await act(() => import("./tex").then(() => {}));
  return container;
}

describe("formulas in a text", () => {
  it.each<[string, string[]]>([
    ["$x$ and $a_1 + b_1$, 그리고 $n$번째, the $n$th", ["$x$", "$a_1 + b_1$", "$n$", "$n$"]],
    ["\\(x\\) and \\[y = 1\\] and $$z$$.", ["\\(x\\)", "\\[y = 1\\]", "$$z$$"]],
    ["**$x$**, ($y$), “$z$”, [$l$](https://e.x)", ["$x$", "$y$", "$z$", "$l$"]],
    ["a\\\\$x$ with $\\$5$ and $5$ and $2x$ and $10\\,000$", ["$x$", "$\\$5$", "$5$", "$2x$", "$10\\,000$"]],
    ["| $x$ | \\(y\\) |\n|---|---|\n| $$z$$ | w |", ["$x$", "\\(y\\)", "$$z$$"]],
    ["\\(\\text{if } a\n= b\\)", ["\\(\\text{if } a\n= b\\)"]],
  ])("are found in a line: %s", (text, expected) => {
    expect(formulas(text)).toEqual(expected.map((it) => `math_inline ${it}`));
  });

  it.each<[string, string[]]>([
    ["$$\na\n= b\n$$", ["$$\na\n= b\n$$"]],
    ["text\n$$x$$\nmore\n\\[\n- y\n\\]\nend", ["$$x$$", "\\[\n- y\n\\]"]],
    ["- item\n  $$\n  x\n  $$\n\n> \\[y = z\\]", ["$$\nx\n$$", "\\[y = z\\]"]],
    ["$$x\n+ y$$", ["$$x\n+ y$$"]],
  ])("are found in lines of their own: %j", (text, expected) => {
    expect(formulas(text)).toEqual(expected.map((it) => `math_block ${it}`));
  });

  it.each([
    "It costs $5 and $10.", "$5–$10 or $5-$10 or $5/$10", "between US$5 and US$6", "5$ and 6$", "5$에서 6$까지", "$5이고 $6이에요",
    "a plan for $20/month or 15$ and more", "$5 is more than 3$ ", "$HOME/$USER and $PATH", "`$x$` and ``\\(y\\)``",
    "costs $5 `and$` more", "    $x$\n", "```\n$$\nx\n$$\n```", "\\$x\\$", "\\\\(x\\\\)", "\\[a note\\] and \\(nothing more\\)",
    "\\[a note\\](https://e.x)", "$$ is the process\nand $$", "$$$ or $$ or $", "$ x $", "https://e.x/?a=$b$&c", "$x\ny$", "$$\nx\n\ny\n$$",
  ])("are not seen where none is: %j", (text) => {
    expect(formulas(text)).toEqual([]);
  });

  it("cost no more than a look where many are opened", () => {
    const opened = ["$a ", "\\(a ", "\\[a ", "$$a ", "$5 and ", "\\(\\[", "$`"].map((it) => it.repeat(20_000)).join("\n\n");
    expect(formulas(opened).length).toBeLessThan(60_000);
  });
});

describe("a formula", () => {
  afterEach(() => vi.restoreAllMocks());

  it("becomes MathML", async () => {
    const root = await show("$x^2$\n\n$$\\frac{a}{\\sqrt b}$$");
    const [line, own] = [...root.querySelectorAll("math")];
    expect(line?.querySelector("msup")?.textContent).toBe("x2");
    expect(line?.hasAttribute("display")).toBe(false);
    expect(own?.getAttribute("display")).toBe("block");
    expect(own?.querySelector("mfrac > msqrt")?.textContent).toBe("b");
    expect(own?.namespaceURI).toBe("http://www.w3.org/1998/Math/MathML");
    expect(own?.getAttribute("alttext")).toBe("\\frac{a}{\\sqrt b}");
    expect(screen.getByRole("group", { name: "Formula" }).tabIndex).toBe(0);
  });

  it("has letters, tables and frames that browsers know only so", async () => {
    const root = await show(
      "$\\mathbb{R} \\mathcal{L} \\mathbf{x1} \\mathfrak{H} \\boldsymbol\\alpha \\mathrm{d}$ $50%$ $\\vec v$ $\\boxed{x}$ $\\text{if \\textbf{그러면}}$\n\n" +
        "$$\\begin{aligned} a &= b \\\\ &= c \\end{aligned} \\begin{array}{|l|r|} \\hline p & q \\\\ \\hline \\end{array} \\tag{7}$$",
    );
    expect(root.querySelector("math")?.textContent).toBe("ℝℒ𝐱𝟏ℌ𝜶d");
    expect(root.querySelectorAll("math")[1]?.textContent).toBe("50%");
    expect(root.querySelector("mover > mo")?.textContent).toBe("→");
    expect(root.querySelector("mi[mathvariant]")?.textContent).toBe("d");
    expect(root.querySelector(".box")?.textContent).toBe("x");
    expect(root.querySelector("mtext.bold")?.textContent).toBe("그러면");
    expect([...root.querySelectorAll("mtd")].filter((it) => it.querySelector("mtd") === null).map((it) => [it.textContent, it.className])).toEqual([
      ["", "glue"],
      ["a", "toRight joinedEnd"], ["=b", "toLeft joinedStart joinedEnd"], ["", "toRight joinedEnd"], ["=c", "toLeft joinedStart joinedEnd"],
      ["p", "toLeft right"], ["q", "toRight"],
      ["", "glue"], ["(7)", ""],
    ]);
    expect(root.querySelector(".left.right.top.bottom > mtable")?.textContent).toBe("pq");
  });

  it.each([
    "\\frac{a}", "\\nothing{x}", "x & y", "a % b", "\\href{https://e.x}{x}", "\\url{https://e.x}", "\\includegraphics{https://e.x/a.png}",
    "\\htmlClass{a}{x}", "\\htmlStyle{color:red}{x}", "\\def\\a{x}\\a", "\\gdef\\a{x}\\a", "\\newcommand\\a{x}\\a", "\\let\\a=x\\a",
    "\\begin{alignedat}{1 0 0 0}a\\end{alignedat}", `${"\\sqrt{".repeat(400)}x${"}".repeat(400)}`, "x".repeat(4001),
  ])("that cannot be read, or may not be, is what was written: %s", async (tex) => {
    const quiet = vi.spyOn(console, "warn");
    const root = await show(`before \\(1 + ${tex}\\) after\n\n$$\n1 + ${tex}\n$$\n\n$y$`);
    expect([...root.querySelectorAll("math")].map((it) => it.textContent)).toEqual(["y"]);
    expect([...root.querySelectorAll("p")].slice(0, 2).map((it) => it.textContent)).toEqual([
      `before \\(1 + ${tex}\\) after`,
      `$$\n1 + ${tex}\n$$`,
    ]);
    expect(root.querySelector("[class*=error], [title], [style], [mathcolor]")).toBeNull();
    expect(quiet).not.toHaveBeenCalled();
  });

  it("has neither colours nor styles nor sizes that grow", async () => {
    const root = await show(
      "$$\\color{red}a \\colorbox{yellow}{b} \\fcolorbox{red}{blue}{c} \\pmb{d} {\\Huge {\\Huge {\\Huge e}}} \\hspace{9999em} \\raisebox{-9em}{f} \\rule{9999em}{1em} \\smash{g}$$",
    );
    expect(root.querySelector("math")?.textContent).toBe("abcdefg");
    const attributes = [...root.querySelectorAll("math *")].flatMap(({ attributes }) => [...attributes].map(({ name, value }) => `${name}=${value}`));
    expect(attributes.filter((it) => /color|background|^style|voffset|height=0|depth/.test(it))).toEqual([]);
    expect(attributes.filter((it) => it.startsWith("mathsize"))).toEqual(["mathsize=2.488em"]);
    expect(attributes.flatMap((it) => /^width=(\d+)/.exec(it)?.[1] ?? []).map(Number).filter((it) => it > 10)).toEqual([]);
  });

  it("is accessible", async () => {
    const root = await show(`${hostile.filter((it) => it.includes("$")).join("\n\n")}\n\n$x$ $$y$$`);
    const { violations } = await axe.run(root, { rules: { "color-contrast": { enabled: false } } });
    expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html)])).toEqual([]);
  });
});
