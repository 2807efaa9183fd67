// A unified diff: what goes and what comes, a few lines around it, and gaps that say how much is left out.
import { useCallback, useMemo, useState } from "react";
import { formatNumber, useTranslation } from "../i18n";
import { Button, Notice, quiet } from "../kit";
import { Revealed } from "../Revealed";
import css from "./diff.module.css";
import type { LineDiff } from "./lines";

/** Rows that are drawn at first. */
const DRAWN = 400;

const SIGNS = { same: " ", added: "+", removed: "-" };

/** How much of a difference is drawn. */
export interface Drawn {
  most: number;
  /** Rows that are not. */
  left: number;
  more: () => void;
}

/** For whoever has to know whether all of it is seen. */
export function useDrawn(lines: LineDiff | null): Drawn {
  const [most, setMost] = useState(DRAWN);
  const left = Math.max(0, (lines?.rows.length ?? 0) - most);
  const more = useCallback(() => setMost((most) => most * 10), []);
  return useMemo(() => ({ most, left, more }), [most, left, more]);
}

interface DiffProps {
  label: string;
  lines: LineDiff;
  /** Where somebody else has to know, too. */
  drawn?: Drawn;
}

export function Diff({ label, lines, drawn }: DiffProps) {
  const { t } = useTranslation("diff");
  const own = useDrawn(lines);
  const { most, left, more } = drawn ?? own;
  const { rows, smallest } = lines;
  if (rows.every(({ kind }) => kind === "gap" || kind === "same")) {
    return <p className={quiet.note}>{t("same")}</p>;
  }
  return (
    <>
      {!smallest && <Notice>{t("notSmallest", { ns: "common" })}</Notice>}
      <pre className={css.diff} tabIndex={0} aria-label={label} data-selectable>
        {rows.slice(0, most).map((row, at) =>
          row.kind === "gap" ? (
            <span key={at} className={css.gap}>
              {t("gap", { count: row.count })}
            </span>
          ) : (
            <span key={at} className={css.diffLine} data-kind={row.kind}>
              <span className={css.number} aria-hidden>
                {row.after ?? row.before}
              </span>
              <code>
                {SIGNS[row.kind]} <Revealed text={row.text} />
              </code>
            </span>
          ),
        )}
      </pre>
      {left > 0 && <Button onClick={more}>{t("moreLines", { n: formatNumber(left) })}</Button>}
    </>
  );
}
