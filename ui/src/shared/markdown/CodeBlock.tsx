// A code block: its language, a Copy button, and colours once the block is closed.
import { useEffect, useState } from "react";
import { useTranslation } from "../i18n";
import { CopyButton } from "../kit";
import type { highlight } from "./highlight";
import css from "./markdown.module.css";

let loaded: typeof highlight | null = null;

function useHighlight(wanted: boolean): typeof highlight | null {
  const [ready, setReady] = useState(() => loaded);
  useEffect(() => {
    if (!wanted || ready) return;
    let live = true;
    void import("./highlight").then((module) => {
      loaded = module.highlight;
      if (live) setReady(() => loaded);
    });
    return () => {
      live = false;
    };
  }, [wanted, ready]);
  return ready;
}

export interface CodeBlockProps {
  code: string;
  language: string;
  closed: boolean;
}

export function CodeBlock({ code, language, closed }: CodeBlockProps) {
  const { t } = useTranslation("markdown");
  const paint = useHighlight(closed && language !== "");
  const runs = closed ? paint?.(language.toLowerCase(), code) : null;
  const name = language ? t("codeIn", { language }) : t("code");
  return (
    <figure className={css.code} aria-label={name}>
      <figcaption className={css.codeHead}>
        <span className={css.language}>{language || t("code")}</span>
        <CopyButton text={code} label={t("copyCode")} />
      </figcaption>
      {/* Focusable, because a wide block scrolls sideways. */}
      <pre tabIndex={0} dir="ltr">
        <code>
          {runs
            ? runs.map(({ text, tone }, index) =>
                tone ? (
                  <span key={index} className={css[tone]}>
                    {text}
                  </span>
                ) : (
                  text
                ),
              )
            : code}
        </code>
      </pre>
    </figure>
  );
}
