// A formula in a message: MathML, which browsers draw and screen readers read. Until KaTeX is there, and where it cannot
// read the formula, what was written.
import { useTranslation } from "../i18n";
import { lazily } from "./lazily";
import { isDisplayed, sourceOf } from "./math";
import css from "./math.module.css";

const useTex = lazily(() => import("./tex").then(({ formula }) => formula));

export interface FormulaProps {
  tex: string;
  /** How it began: `$`, `$$`, `\(` or `\[`. */
  opening: string;
  /** It is no part of a paragraph. */
  block: boolean;
}

/** Letters of a formula that may be wider than its line, where a browser breaks none. */
const LONG = 40;

export function Formula({ tex, opening, block }: FormulaProps) {
  const { t } = useTranslation("markdown");
  const display = isDisplayed(opening);
  const drawn = useTex()?.(tex, display);
  if (!drawn) {
    const source = sourceOf(opening, tex);
    return block ? <p className={css.source} data-tex>{source}</p> : <span data-tex>{source}</span>;
  }
  if (!display && tex.length < LONG) return drawn;
  return (
    // Focusable, because a wide one scrolls sideways.
    <span className={display ? css.display : css.long} role="group" aria-label={t("formula")} tabIndex={0}>
      {drawn}
    </span>
  );
}
