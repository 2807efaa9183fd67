// A fold among the messages: a rule in the margin beside those it stands for. Closed by the person, it is one line in their
// place, one hairline a folded turn, with what the model gets instead of them.
import { ChevronRight } from "lucide-react";
import { useState, type ComponentProps, type ReactNode } from "react";
import { showSummaries } from "@/app/actions";
import { call } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, useAct } from "@/shared/kit";
import type { Summary } from "./cards";
import css from "./FoldLine.module.css";
import { Lines } from "./Lines";
import { Receipt } from "./Receipt";
import { UnfoldFailure } from "./UnfoldFailure";
import { isClosing, type Fold } from "./useFolding";
import { useSummaryWords } from "./words";

/** Most hairlines of one line. */
const STRATA = 16;

interface FoldProps {
  fold: Fold;
  onToggle: (fold: Fold, close: boolean) => void;
}

/** Beside one message of a fold. The first speaks for all of them. */
export function FoldRule({ fold, first, onToggle }: FoldProps & { first: boolean }) {
  const { t } = useTranslation("summaries");
  const label = useLabel(fold.summary);
  return (
    <MarginRule
      first={first}
      data-tours="fold"
      aria-expanded
      aria-label={label}
      title={t("line.close", { label })}
      onClick={() => onToggle(fold, true)}
    />
  );
}

/** Strata in the margin beside one message of several. The first speaks for all of them. */
export function MarginRule({ first, ...rest }: ComponentProps<"button"> & { first: boolean }) {
  return (
    <button
      type="button"
      className={css.rule}
      tabIndex={first ? 0 : -1}
      aria-hidden={!first || undefined}
      {...rest}
    />
  );
}

export function FoldLine({ fold, onToggle }: FoldProps) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const [rises] = useState(() => isClosing(fold));
  const { summary } = fold;
  const label = useLabel(summary);
  const { turns, coverage } = summary;
  const count = turns ? turns.last - turns.first + 1 : coverage.count;
  return (
    <div className={css.fold}>
      <FoldHead row={fold.key} count={count} open={false} onToggle={() => onToggle(fold, false)}>
        {label}
      </FoldHead>
      <div className={css.told} data-rises={rises || undefined} role="region" aria-label={t("line.label", { span: words.span(summary) })}>
        <Told summary={summary} />
      </div>
    </div>
  );
}

interface FoldHeadProps {
  row: string;
  /** How many turns, or messages, it stands for. */
  count: number;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** The one line of a fold: words between strata. */
export function FoldHead({ row, count, open, onToggle, children }: FoldHeadProps) {
  const strata = <span className={css.strata} style={{ blockSize: `${Math.min(STRATA, Math.max(1, count)) * 3 - 2}px` }} aria-hidden />;
  return (
    <button type="button" className={css.line} aria-expanded={open} data-row={row} onClick={onToggle}>
      {strata}
      <ChevronRight aria-hidden className={css.chevron} />
      <span data-numeric>{children}</span>
      {strata}
    </button>
  );
}

function useLabel(summary: Summary): string {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { version, original_chars, summary_chars } = summary;
  return t("line.folded", { span: words.span(summary), version, size: words.size(original_chars, summary_chars) });
}

function Told({ summary }: { summary: Summary }) {
  const { t } = useTranslation("summaries");
  const { running, failure, act } = useAct();
  const { id } = summary;
  return (
    <>
      <Lines summary={summary} />
      <Receipt summary={summary} acts />
      <div className={css.acts}>
        <Button onClick={() => showSummaries(id)}>{t("line.card")}</Button>
        <Button disabled={running} onClick={() => void act(() => call("summary_unfold", { id, unfolded: true }))}>
          {t("unfold")}
        </Button>
      </div>
      {failure !== null && <UnfoldFailure failure={failure} />}
    </>
  );
}
