// A unified diff: what goes and what comes, a few lines around it, and gaps that say how much is left out.
import { useState } from "react";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import css from "./checkpoints.module.css";
import type { LineDiff } from "./lines";
import shared from "./rows.module.css";

/** Rows that are drawn at first. */
const DRAWN = 400;

const SIGNS = { same: " ", added: "+", removed: "-" };

export function Diff({ label, lines: { rows } }: { label: string; lines: LineDiff }) {
  const { t } = useTranslation("checkpoints");
  const [most, setMost] = useState(DRAWN);
  if (rows.every(({ kind }) => kind === "gap" || kind === "same")) {
    return <p className={shared.muted}>{t("same.text")}</p>;
  }
  return (
    <>
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
                {SIGNS[row.kind]} {row.text}
              </code>
            </span>
          ),
        )}
      </pre>
      {rows.length > most && (
        <Button onClick={() => setMost(most * 10)}>
          {t("moreLines", { n: formatNumber(rows.length - most) })}
        </Button>
      )}
    </>
  );
}
