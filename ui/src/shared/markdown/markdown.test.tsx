// One renderer for every path: what streams in pieces ends as what is rendered at once, and no
// prefix of a hostile text makes anything that runs, loads or navigates.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EMPTY_SPLIT, splitBlocks } from "./blocks";
import { hostile } from "./hostile.fixture";
import { LinkProvider, Markdown } from ".";
import { goingOn, openFence, parse, type Node } from "./parse";
import { useWrapping } from "./wrapping";

function show(text: string, streaming = false) {
  return render(<Markdown text={text} streaming={streaming} />).container;
}

const settled = () => act(() => Promise.all([import("./highlight"), import("./tex")]).then(() => {}));

/** Generated ids differ between any two renders. */
function withoutIds(root: Element): Element {
  root.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id"));
  return root;
}

function dangers(root: Element): string[] {
  const found: string[] = [];
  for (const element of root.querySelectorAll("*")) {
    const tag = element.tagName.toLowerCase();
    if (!/^(div|p|h[3-6]|strong|em|s|code|pre|figure|figcaption|blockquote|[uo]l|li|br|hr|table|t(head|body|r|h|d)|a|button|span|svg|path|line|rect|polyline|circle|math|m[inos]|mtext|mrow|mspace|msu[bp]|msubsup|mover|munder|munderover|mfrac|msqrt|mroot|mtable|mt[rd]|mpadded|mphantom|mstyle)$/.test(tag)) {
      found.push(tag);
    }
    for (const { name } of element.attributes) {
      if (/^on|^(href|src|srcset|srcdoc|style|action|formaction|data|xlink:href|target)$/i.test(name)) {
        found.push(`${tag}[${name}]`);
      }
    }
  }
  return found;
}

describe("hostile text", () => {
  it("has at least sixty samples", () => expect(hostile.length).toBeGreaterThanOrEqual(60));

  it.each(hostile)("stays text at every prefix: %j", async (text) => {
    const view = render(<Markdown text="" streaming />);
    for (let end = 1; end <= text.length; end += 1) {
      view.rerender(<Markdown text={text.slice(0, end)} streaming />);
      expect(dangers(view.container), text.slice(0, end)).toEqual([]);
    }
    view.rerender(<Markdown text={text} />);
    const once = show(text);
    await settled();
    expect(withoutIds(view.container).isEqualNode(withoutIds(once))).toBe(true);
    expect(once.textContent?.length).toBeGreaterThan(0);
  });

  it("is told apart from harmless elements by this test", () => {
    const image = document.createElement("div");
    image.append(document.createElement("img"), document.createElement("script"));
    image.setAttribute("style", "color:red");
    const parent = document.createElement("div");
    parent.append(image);
    expect(dangers(parent)).toEqual(["div[style]", "img", "script"]);
  });
});

const ordinary = [
  "# Title\nText **bold**\nnext line\n\n- a\n- b\n\n  more\n\n1. x\n2. y\n\n> quote\n\n```rust\nfn main() {\n\n}\n```\nend\n",
  "para\n| a | b |\n|---|--:|\n| 1 | 2 |\n\nSetext\n===\n\n- [ ] todo\n- [x] done\n\n---\n\n    code\n\n    more\n",
  "See [docs] and [site][s].\n\n[docs]: https://example.com/d\n[s]: https://example.com/s\n\nLater [docs].\n",
];

describe("splitBlocks", () => {
  it.each([...ordinary, ...hostile])("never changes a closed block: %j", (text) => {
    let split = EMPTY_SPLIT;
    const final = splitBlocks(text);
    for (let end = 0; end <= text.length; end += 1) {
      const prefix = text.slice(0, end);
      split = splitBlocks(prefix, split);
      expect(split).toEqual(splitBlocks(prefix));
      expect(split.blocks.join("")).toBe(prefix.replace(/\r\n?/g, "\n"));
      const closed = split.blocks.slice(0, -1);
      expect(final.blocks.slice(0, closed.length)).toEqual(closed);
    }
  });

  it.each([...ordinary, ...hostile])("reads as the whole text does: %j", (text) => {
    const outline = (nodes: Node[]): unknown[] =>
      nodes.map(({ token, children }) => [token.type, token.content, token.attrs, outline(children)]);
    const { blocks, references } = splitBlocks(`${text}\n\n# end\n`);
    const pieces = blocks.flatMap((block) => outline(parse(block, references)));
    expect(pieces).toEqual(outline(parse(`${text}\n\n# end\n`, {})));
  });

  it("starts anew when the text is another one", () => {
    const before = splitBlocks("one\n\n[a]: https://example.com\n\n# two\n\nthree");
    expect(splitBlocks("other\n\ntext\n", before)).toEqual(splitBlocks("other\n\ntext\n"));
  });
});

describe("a text that was cut inside a block of code", () => {
  const open = "Look:\n\n```rust\nfn main() {\n";

  it("is told by the line that began it", () => {
    for (const [text, fence] of [
      [open, "```rust"],
      [open.trimEnd(), "```rust"],
      [`${open}\n\n\n`, "```rust"],
      ["~~~~\n```\n~~~", "~~~~"],
      ["- a list\n\n  ```\n  within", "```"],
      ["```", "```"],
      [`${open}}\n\`\`\``, null],
      [`${open}}\n\`\`\`\n\nThat is all.`, null],
      ["```rust\r\nfn main() {}\r\n```\r\n", null],
      ["> ```\n> quoted\n\nNot any more.", null],
      ["No code, and ``` in between.", null],
      ["", null],
    ] as const) {
      expect(openFence(text), JSON.stringify(text)).toBe(fence);
    }
  });

  it("goes on in one, closes it, or opens it again by itself", () => {
    expect(goingOn("```rust", "    1 + 1\n}")).toBe("```rust\n    1 + 1\n}");
    expect(goingOn("```rust", "```\n\nThat is all.")).toBe("\n\nThat is all.");
    expect(goingOn("```rust", "\n```rust\n}")).toBe("\n```rust\n}");
  });
});

describe("Markdown", () => {
  it("makes Korean bold beside brackets and particles", () => {
    const root = show("**컨텍스트(context)**는 **‘값’**을 씁니다.");
    expect([...root.querySelectorAll("strong")].map((e) => e.textContent)).toEqual([
      "컨텍스트(context)", "‘값’",
    ]);
    expect(root.firstElementChild?.getAttribute("lang")).toBe("ko");
  });

  it("hands links and images to onLink and never has an address to follow", () => {
    const onLink = vi.fn();
    render(
      <LinkProvider value={onLink}>
        <Markdown
          text={
            "[d](https://example.com/d) [m](mailto:a@b.c) [q](silt:message/01H-x) " +
            "[f](silt:file/src%2Fa%20b.rs?line=12) ![pic](https://example.com/p.png) https://example.com/a를"
          }
        />
      </LinkProvider>,
    );
    const links = screen.getAllByRole("link");
    links.forEach((link) => fireEvent.click(link));
    fireEvent.keyDown(links[0]!, { key: "Enter" });
    fireEvent.click(screen.getByRole("button", { name: /pic.*example\.com\/p\.png/ }));
    expect(onLink.mock.calls.map(([url]) => url)).toEqual([
      "https://example.com/d", "mailto:a@b.c", "silt:message/01H-x",
      "silt:file/src%2Fa%20b.rs?line=12", "https://example.com/a",
      "https://example.com/d", "https://example.com/p.png",
    ]);
    expect(links[3]!.title).toBe("src/a b.rs:12");
    expect(document.querySelector("[href], [src]")).toBeNull();
  });

  it("keeps Hangul that belongs to an address", () => {
    show("https://ko.wikipedia.org/wiki/한국어 와 https://example.com/?q=1은 https://example.com/가나");
    expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual([
      "https://ko.wikipedia.org/wiki/한국어", "https://example.com/?q=1", "https://example.com/가나",
    ]);
  });

  it("colours code only when its block is closed", async () => {
    const text = "```ts\nconst a = 1;\n";
    const view = render(<Markdown text={text} streaming />);
    await settled();
    expect(view.container.querySelectorAll("code span")).toHaveLength(0);
    view.rerender(<Markdown text={`${text}\`\`\`\n\nafter\n`} streaming />);
    await settled();
    expect([...view.container.querySelectorAll("code span")].map((e) => e.className)).toEqual([
      "keyword", "number",
    ]);
    expect(view.container.querySelector("code")?.textContent).toBe("const a = 1;");
  });

  it("wraps the long lines of all code, or lets them scroll, as it was left", async () => {
    show("```sh\na\n```\n\n    b\n");
    const [first, second] = [...document.querySelectorAll("pre")];
    const [press] = screen.getAllByRole("button", { name: "Wrap long lines" });
    expect([press!.getAttribute("aria-pressed"), first!.tabIndex, first!.dataset.wrap]).toEqual(["false", 0, undefined]);
    fireEvent.click(press!);
    expect([press!.getAttribute("aria-pressed"), first!.tabIndex, second!.dataset.wrap]).toEqual(["true", -1, "true"]);
    expect(JSON.parse(localStorage.getItem("siltstone.code")!)).toMatchObject({ state: { wrap: true } });
    // As in the next window, which finds what was kept.
    useWrapping.setState({ wrap: false });
    localStorage.setItem("siltstone.code", JSON.stringify({ state: { wrap: true }, version: 0 }));
    await act(async () => useWrapping.persist.rehydrate());
    expect(press!.getAttribute("aria-pressed")).toBe("true");
    fireEvent.click(press!);
    expect(second!.dataset.wrap).toBeUndefined();
  });

  it("copies a table for a spreadsheet", async () => {
    const copied = vi.fn(async () => {});
    vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { clipboard: { writeText: copied } }));
    onTestFinished(() => void vi.unstubAllGlobals());
    show(
      "| a **b** | 값 `x\\|y` |\n|---|--:|\n| [l](https://e.x) ![p](https://e.x/p.png) | $\\frac12$\t&amp; |\n| only |\n\n" +
        "> | second |\n> |---|\n",
    );
    const [frame] = screen.getAllByRole("group", { name: "Table" });
    expect(frame!.tabIndex).toBe(0);
    const [first, second] = screen.getAllByRole("button", { name: "Copy table" });
    fireEvent.click(first!);
    await screen.findByRole("button", { name: "Copied" });
    fireEvent.click(second!);
    await waitFor(() => expect(copied.mock.calls).toEqual([["a b\t값 x|y\nl p\t$\\frac12$ &\nonly\t"], ["second"]]));
  });

  it("resolves link definitions that arrive after their use", () => {
    const view = render(<Markdown text={"See [docs].\n\nMore\n\n"} streaming />);
    expect(screen.queryByRole("link")).toBeNull();
    view.rerender(<Markdown text={"See [docs].\n\nMore\n\n[docs]: https://example.com\n\nEnd\n\n# x\n"} />);
    expect(screen.getByRole("link", { name: "docs" })).toBeTruthy();
  });

  it("shows tasks, tables and code without accessibility faults", async () => {
    const root = show(`${ordinary[0]}${ordinary[1]}\n![p](https://e.x/p.png) [l](https://e.x)`);
    await settled();
    expect(screen.getByRole("img", { name: "Done" })).toBeTruthy();
    const { violations } = await axe.run(root, { rules: { "color-contrast": { enabled: false } } });
    expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html)])).toEqual([]);
  });
});
