// Renders Markdown as React elements: tokens in, elements out, no HTML string in between. Used for
// every text that a model or a file wrote, streaming or not. Closed blocks are memoised by text.
import { Fragment, memo, useMemo, useState, type ReactNode } from "react";
import { Check } from "lucide-react";
import { useTranslation } from "../i18n";
import { proseLanguage } from "../language";
import { EMPTY_SPLIT, splitBlocks } from "./blocks";
import { CodeBlock } from "./CodeBlock";
import { Formula } from "./Formula";
import { ImageChip, Link } from "./links";
import css from "./markdown.module.css";
import { isAllowedLink, parse, taskMark, type Node, type References } from "./parse";
import { Table } from "./Table";

export interface MarkdownProps {
  text: string;
  /** The text still grows: its last block is open and stays without code colours. */
  streaming?: boolean;
  /** The message whose words these are, for whoever looks for some. */
  said?: string;
}

export function Markdown({ text, streaming = false, said }: MarkdownProps) {
  const [memory] = useState({ split: EMPTY_SPLIT });
  const { blocks, references } = (memory.split = splitBlocks(text, memory.split));
  return (
    <div className={css.prose} lang={proseLanguage(text)} data-selectable data-said={said}>
      {blocks.map((block, index) => (
        <Block
          key={index}
          text={block}
          references={references}
          closed={!streaming || index < blocks.length - 1}
        />
      ))}
    </div>
  );
}

interface BlockProps {
  text: string;
  references: References;
  closed: boolean;
}

const Block = memo(function Block({ text, references, closed }: BlockProps) {
  const nodes = useMemo(() => parse(text, references), [text, references]);
  return <Nodes nodes={nodes} closed={closed} />;
});

function Nodes({ nodes, closed }: { nodes: Node[]; closed: boolean }): ReactNode {
  return nodes.map((node, index) => (
    <Fragment key={index}>{element(node, closed)}</Fragment>
  ));
}

function element(node: Node, closed: boolean): ReactNode {
  const { token } = node;
  const inner = node.children.length > 0 ? <Nodes nodes={node.children} closed={closed} /> : null;
  switch (token.type) {
    case "inline":
      return inner;
    case "text":
      return token.content;
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "paragraph_open":
      return token.hidden ? inner : <p>{inner}</p>;
    case "heading_open":
      return <Heading level={Number(token.tag.slice(1))}>{inner}</Heading>;
    case "strong_open":
      return <strong>{inner}</strong>;
    case "em_open":
      return <em>{inner}</em>;
    case "s_open":
      return <s>{inner}</s>;
    case "code_inline":
      return <code className={css.inlineCode}>{token.content}</code>;
    case "blockquote_open":
      return <blockquote>{inner}</blockquote>;
    case "bullet_list_open":
      return <ul>{inner}</ul>;
    case "ordered_list_open":
      return <ol start={Number(attribute(token, "start") || 1)}>{inner}</ol>;
    case "list_item_open":
      return <ListItem node={node} closed={closed} />;
    case "fence":
    case "code_block":
      return (
        <CodeBlock
          code={token.content.replace(/\n$/, "")}
          language={/^[\w#+.-]{1,24}/.exec(token.info.trim())?.[0] ?? ""}
          closed={closed}
        />
      );
    case "math_inline":
    case "math_block":
      return <Formula tex={token.content} opening={token.markup} block={token.type === "math_block"} />;
    case "hr":
      return <hr />;
    case "table_open":
      return <Table node={node}>{inner}</Table>;
    case "thead_open":
      return <thead>{inner}</thead>;
    case "tbody_open":
      return <tbody>{inner}</tbody>;
    case "tr_open":
      return <tr>{inner}</tr>;
    case "th_open":
      return (
        <th scope="col" className={alignment(attribute(token, "style"))}>
          {inner}
        </th>
      );
    case "td_open":
      return <td className={alignment(attribute(token, "style"))}>{inner}</td>;
    case "link_open": {
      const url = attribute(token, "href");
      return isAllowedLink(url) ? <Link url={url}>{inner}</Link> : inner;
    }
    case "image": {
      const url = attribute(token, "src");
      return isAllowedLink(url) ? <ImageChip url={url} alt={token.content} /> : token.content;
    }
    default:
      return inner ?? token.content;
  }
}

/** Headings of a message lie below the page's own, and keep their looks by class. */
function Heading({ level, children }: { level: number; children: ReactNode }) {
  const Tag = (["h3", "h4", "h5", "h6"] as const)[Math.min(level, 4) - 1] ?? "h6";
  return <Tag className={css[`h${Math.min(level, 4)}`]}>{children}</Tag>;
}

/** GFM task items have a box in the place of their mark. */
function ListItem({ node, closed }: { node: Node; closed: boolean }) {
  const { t } = useTranslation("markdown");
  const mark = taskMark(node);
  if (!mark) {
    return (
      <li>
        <Nodes nodes={node.children} closed={closed} />
      </li>
    );
  }
  const done = mark[1] !== " ";
  return (
    <li className={css.task}>
      <span
        className={done ? css.taskDone : css.taskOpen}
        role="img"
        aria-label={done ? t("taskDone") : t("taskOpen")}
      >
        {done && <Check strokeWidth={3} aria-hidden />}
      </span>
      <div>
        <Nodes nodes={withoutMark(node.children, mark[0].length)} closed={closed} />
      </div>
    </li>
  );
}

/** The item's nodes with the first text shortened; the memoised tree itself stays as it is. */
function withoutMark([paragraph, ...rest]: Node[], length: number): Node[] {
  const [inline, ...others] = paragraph!.children;
  const [first, ...following] = inline!.children;
  const token = Object.assign(Object.create(Object.getPrototypeOf(first!.token)), first!.token, {
    content: first!.token.content.slice(length),
  });
  const shortened = { ...inline!, children: [{ token, children: [] }, ...following] };
  return [{ ...paragraph!, children: [shortened, ...others] }, ...rest];
}

function attribute(token: Node["token"], name: string): string {
  return String(token.attrGet(name) ?? "");
}

function alignment(style: string): string | undefined {
  const side = /text-align:(left|right|center)/.exec(style)?.[1];
  return side === "right" ? css.right : side === "center" ? css.center : undefined;
}
