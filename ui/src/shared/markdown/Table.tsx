// A table in a message: as wide as its words, in a box of its own that scrolls, with a button that copies it for a
// spreadsheet. The message's own copy has the Markdown.
import type { ReactNode } from "react";
import { useTranslation } from "../i18n";
import { CopyButton } from "../kit";
import css from "./markdown.module.css";
import { sourceOf } from "./math";
import type { Node } from "./parse";

export function Table({ node, children }: { node: Node; children: ReactNode }) {
  const { t } = useTranslation("markdown");
  return (
    <div className={css.table}>
      {/* Focusable, because a wide table scrolls sideways. */}
      <div className={css.tableFrame} role="group" aria-label={t("table")} tabIndex={0}>
        <table>{children}</table>
      </div>
      <div className={css.tableFoot}>
        <CopyButton text={() => tabSeparated(node)} label={t("copyTable")} />
      </div>
    </div>
  );
}

/** Rows as lines, cells between tabs, each as it is read: without the signs of Markdown. */
export function tabSeparated(table: Node): string {
  const rows = table.children.flatMap(({ children }) => children);
  return rows.map((row) => row.children.map((cell) => words(cell).replace(/\s+/g, " ").trim()).join("\t")).join("\n");
}

function words({ token, children }: Node): string {
  switch (token.type) {
    case "softbreak":
    case "hardbreak":
      return " ";
    case "math_inline":
      return sourceOf(token.markup, token.content);
    case "inline":
      return children.map(words).join("");
    default:
      // A picture's children are its description.
      return token.content || children.map(words).join("");
  }
}
