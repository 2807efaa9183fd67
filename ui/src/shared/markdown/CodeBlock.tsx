// A code block: its language, a button to wrap its long lines and one to copy it, and colours once the block is closed.
import { WrapText } from "lucide-react";
import { useTranslation } from "../i18n";
import { CopyButton, IconButton } from "../kit";
import { lazily } from "./lazily";
import css from "./markdown.module.css";
import { useWrapping, wrapLines } from "./wrapping";

const useHighlight = lazily(() => import("./highlight").then(({ highlight }) => highlight));

export interface CodeBlockProps {
  code: string;
  language: string;
  closed: boolean;
}

export function CodeBlock({ code, language, closed }: CodeBlockProps) {
  const { t } = useTranslation("markdown");
  const { wrap } = useWrapping();
  const paint = useHighlight(closed && language !== "");
  const runs = closed ? paint?.(language.toLowerCase(), code) : null;
  const name = language ? t("codeIn", { language }) : t("code");
  return (
    <figure className={css.code} aria-label={name}>
      <figcaption className={css.codeHead}>
        <span className={css.language}>{language || t("code")}</span>
        <span className={css.codeActs}>
          <IconButton
            label={t("wrap")}
            icon={<WrapText aria-hidden />}
            aria-pressed={wrap}
            onClick={() => wrapLines(!wrap)}
          />
          <CopyButton text={code} label={t("copyCode")} />
        </span>
      </figcaption>
      {/* Focusable, because a wide block scrolls sideways. */}
      <pre tabIndex={wrap ? undefined : 0} dir="ltr" data-wrap={wrap || undefined}>
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
