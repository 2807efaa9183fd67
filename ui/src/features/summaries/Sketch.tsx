// The next fold before anybody is asked for it: how long it would be at the chosen rate, in sentences chosen without a model,
// and what they would leave behind. Looked at when it is opened and whenever the rate moves; a newer wish stops an older one.
// Absent: adopting it. PreviewDialog has the fold itself written.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ConversationId, FoldSketch } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useFailureWords } from "@/features/errors";
import { useTranslation } from "@/shared/i18n";
import { quiet, Spinner } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { Facts, toMessage } from "./Facts";
import { Findings } from "./Receipt";
import css from "./summaries.module.css";
import { formatRate, useSummaryWords } from "./words";

interface SketchProps {
  conversationId: ConversationId;
  rate: number;
  open: boolean;
  onOpen: (open: boolean) => void;
}

export function Sketch({ conversationId, rate, open, onOpen }: SketchProps) {
  const { t } = useTranslation("summaries");
  const failureWords = useFailureWords();
  const { data, error, isPlaceholderData } = useQuery({
    ...queries.foldSketch(conversationId, rate),
    enabled: open,
    // What was there stays until the next is: nothing jumps while the slider moves.
    placeholderData: keepPreviousData,
  });
  // One that was stopped is not wanted any more, and another is on its way.
  const failed = error !== null && error.code !== "cancelled";
  return (
    <details className={css.sketch} open={open} onToggle={(event) => onOpen(event.currentTarget.open)}>
      <summary>{t("sketch.title")}</summary>
      <div className={css.receipt} aria-busy={isPlaceholderData || data === undefined}>
        {!open ? null : failed ? (
          <p className={quiet.note}>{failureWords(error.code).title}</p>
        ) : data === undefined ? (
          <Spinner />
        ) : data === null ? (
          <p className={quiet.note}>{t("sketch.nothing")}</p>
        ) : (
          <Sketched sketch={data} />
        )}
      </div>
    </details>
  );
}

function Sketched({ sketch: { summary, check } }: { sketch: FoldSketch }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { original_chars, summary_chars, receipt } = summary;
  const left = check.left_behind;
  return (
    <>
      <p role="status" data-numeric>
        <strong>{words.span(summary)}</strong> {words.size(original_chars, summary_chars)}
        {" · "}
        {t("cameTo", { rate: formatRate(summary_chars / original_chars) })}
      </p>
      <pre
        className={css.text}
        lang={proseLanguage(summary.summary)}
        tabIndex={0}
        aria-label={t("sketch.text")}
        data-selectable
      >
        {summary.summary}
      </pre>
      <Findings check={check} />
      {receipt.kept.length > 0 && <p className={quiet.note}>{t("receipt.kept", { count: receipt.kept.length })}</p>}
      {left.length > 0 && (
        <details open>
          <summary>{t("receipt.left", { count: left.length })}</summary>
          <p className={quiet.note}>{t("receipt.leftHint")}</p>
          <Facts facts={left} onSource={toMessage(summary.conversation_id)} act={() => null} />
        </details>
      )}
      <p className={quiet.note}>{t("sketch.hint")}</p>
    </>
  );
}
