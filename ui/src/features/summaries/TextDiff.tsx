// How one text becomes another, word by word.
import { useMemo } from "react";
import { wordDiff } from "./diff";
import css from "./summaries.module.css";

interface TextDiffProps {
  label: string;
  before: string;
  after: string;
}

export function TextDiff({ label, before, after }: TextDiffProps) {
  const changes = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <pre className={css.text} tabIndex={0} aria-label={label} data-selectable>
      {changes.map(({ kind, text }, index) =>
        kind === "added" ? (
          <ins key={index}>{text}</ins>
        ) : kind === "removed" ? (
          <del key={index}>{text}</del>
        ) : (
          <span key={index}>{text}</span>
        ),
      )}
    </pre>
  );
}
