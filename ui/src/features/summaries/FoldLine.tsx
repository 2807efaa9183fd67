// A fold is one line in the place of its messages: one hairline a folded turn. Opened, it tells the summary, and the
// messages have their place below it again.
import { ChevronRight } from "lucide-react";
import { useId } from "react";
import { showSummaries } from "@/app/actions";
import { call } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import type { Summary } from "./cards";
import css from "./FoldLine.module.css";
import { Lines } from "./Lines";
import { Receipt } from "./Receipt";
import { UnfoldFailure } from "./UnfoldFailure";
import { useAct } from "./useAct";
import type { Fold } from "./useFolding";
import { useSummaryWords } from "./words";

/** Most hairlines of one line. */
const STRATA = 16;

interface FoldLineProps {
  fold: Fold;
  /** Its messages draw together into it right now. */
  forming: boolean;
  onToggle: (fold: Fold) => void;
}

export function FoldLine({ fold, forming, onToggle }: FoldLineProps) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const id = useId();
  const { summary, open } = fold;
  const { turns, coverage, unfolded_at } = summary;
  const count = Math.min(STRATA, turns ? turns.last - turns.first + 1 : coverage.count);
  const strata = <span className={css.strata} style={{ blockSize: `${count * 3 - 2}px` }} aria-hidden />;
  const values = {
    span: words.span(summary),
    version: summary.version,
    size: words.size(summary.original_chars, summary.summary_chars),
  };
  return (
    <div className={css.fold} data-unfolded={unfolded_at !== null || undefined} data-forming={forming || undefined}>
      <button
        type="button"
        className={css.line}
        aria-expanded={open}
        aria-controls={id}
        data-row={fold.key}
        onClick={() => onToggle(fold)}
      >
        {strata}
        <ChevronRight size={14} aria-hidden className={css.chevron} />
        <span data-numeric>{t(unfolded_at === null ? "line.folded" : "line.unfolded", values)}</span>
        {strata}
      </button>
      {open && (
        <div id={id} className={css.opened} role="region" aria-label={t("line.label", { span: values.span })}>
          <Opened summary={summary} />
        </div>
      )}
    </div>
  );
}

function Opened({ summary }: { summary: Summary }) {
  const { t } = useTranslation("summaries");
  const { running, failure, act } = useAct();
  const { id, unfolded_at } = summary;
  return (
    <>
      <Lines summary={summary} />
      <Receipt summary={summary} acts />
      <div className={css.acts}>
        <Button onClick={() => showSummaries(id)}>{t("line.card")}</Button>
        <Button
          disabled={running}
          onClick={() => void act(() => call("summary_unfold", { id, unfolded: unfolded_at === null }))}
        >
          {t(unfolded_at === null ? "unfold" : "foldAgain")}
        </Button>
      </div>
      {failure !== null && <UnfoldFailure failure={failure} />}
    </>
  );
}
