// A request that was sent beside the next one: what came, what went, what changed; what stayed is counted.
import { ChevronRight } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { Diff, lineDiff } from "@/shared/diff";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { quiet } from "@/shared/kit";
import { compare, type Difference, type Mark } from "./compare";
import css from "./ContextPane.module.css";
import { Fill } from "./Strata";
import type { View } from "./view";
import { useBlockWords } from "./words";

const MARKS: readonly Mark[] = ["added", "removed", "changed", "same"];

export function Comparison({ sent, next }: { sent: View; next: View }) {
  const { t } = useTranslation("context");
  const differences = useMemo(() => compare(sent.pieces, next.pieces), [sent, next]);
  const count = (mark: Mark) => differences.filter((it) => it.mark === mark).length;
  const counted = MARKS.filter((mark) => count(mark) > 0).map((mark) => t(`compare.${mark}`, { count: count(mark) }));
  return (
    <>
      <div className={css.part}>
        <p className={css.total} data-numeric>
          {t("compare.tokens", { sent: formatTokens(sent.tokens), next: formatTokens(next.tokens) })}
        </p>
        <p className={quiet.note} data-numeric>
          {counted.join(" · ")}
        </p>
      </div>
      <ul className={css.scroller} aria-label={t("compare.label")}>
        {differences.map((difference) => (
          <Row key={`${difference.mark} ${difference.block.id}`} difference={difference} />
        ))}
      </ul>
    </>
  );
}

function Row({ difference: { mark, block, before } }: { difference: Difference }) {
  const { t } = useTranslation("context");
  const { blockName } = useBlockWords();
  const [open, setOpen] = useState(false);
  const id = useId();
  const tokens = formatTokens(block.tokens);
  return (
    <li className={css.block} data-mark={mark}>
      <button type="button" className={css.row} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden className={css.chevron} />
        <span className={css.swatch}>
          <Fill kind={block.kind} />
        </span>
        <span className={css.name}>{blockName(block)}</span>
        <span className={css.tokens} data-numeric>
          {before ? `${formatTokens(before.tokens)} → ${tokens}` : tokens}
        </span>
        <span className={css.why}>{t(`compare.mark.${mark}`)}</span>
      </button>
      {open && (
        <div id={id} className={css.body}>
          {block.pieces.map((piece) => (
            <Texts key={piece.id} mark={mark} before={before?.text ?? null} text={piece.text} />
          ))}
        </div>
      )}
    </li>
  );
}

function Texts({ mark, before, text }: { mark: Mark; before: string | null; text: string | null }) {
  const { t } = useTranslation("context");
  if (text === null) return <p className={quiet.note}>{t("gone")}</p>;
  if (mark === "changed" && before !== null) return <Diff label={t("compare.text")} difference={lineDiff(before, text)} />;
  return (
    <>
      {mark === "changed" && <p className={quiet.note}>{t("compare.gone")}</p>}
      <pre className={css.text} tabIndex={0} data-selectable>
        {text}
      </pre>
    </>
  );
}
