// How one text becomes another, word by word.
import { useMemo } from "react";
import { useTranslation } from "@/shared/i18n";
import { Notice } from "@/shared/kit";
import { wordDiff } from "./diff";
import css from "./summaries.module.css";

interface TextDiffProps {
  label: string;
  before: string;
  after: string;
}

export function TextDiff({ label, before, after }: TextDiffProps) {
  const { t } = useTranslation("common");
  const { parts, smallest } = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <>
      {!smallest && <Notice>{t("notSmallest")}</Notice>}
      <pre className={css.text} tabIndex={0} aria-label={label} data-selectable>
        {parts.map(({ kind, text }, index) =>
          kind === "added" ? (
            <ins key={index}>{text}</ins>
          ) : kind === "removed" ? (
            <del key={index}>{text}</del>
          ) : (
            <span key={index}>{text}</span>
          ),
        )}
      </pre>
    </>
  );
}
