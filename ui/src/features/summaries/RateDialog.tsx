// Another rate is tried: how long the summary would be, then a candidate beside the one in use. Nothing changes until it
// is adopted.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Slider } from "@/shared/kit";
import { targetOf, type Summary } from "./cards";
import css from "./summaries.module.css";
import { useAct } from "./useAct";
import { formatRate, RATES, useSummaryWords } from "./words";
import { Writing } from "./Writing";

export function RateDialog({ current, onClose }: { current: Summary; onClose: () => void }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const trying = useAct();
  const adopting = useAct();
  const [rate, setRate] = useState(current.compression_rate);
  const [candidate, setCandidate] = useState<Summary | null>(null);
  const { id, original_chars } = current;
  const [since, setSince] = useState("");
  const write = () => {
    setSince(new Date().toISOString());
    void trying.act(async () => setCandidate(await call("summary_try", { id, rate })));
  };
  const adopt = async () => {
    if (candidate && (await adopting.act(() => call("summary_adopt", { id: candidate.id })))) onClose();
  };
  const failure = trying.failure ?? adopting.failure;
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={t("try.title", { span: words.span(current) })}
      footer={
        <>
          <Button onClick={onClose}>{candidate ? t("try.discard") : t("close", { ns: "common" })}</Button>
          <Button
            variant="primary"
            disabled={candidate === null || trying.running || adopting.running}
            onClick={() => void adopt()}
          >
            {t("try.adopt")}
          </Button>
        </>
      }
    >
      <div className={css.trying}>
        <Slider
          {...RATES}
          label={t("rate")}
          value={rate}
          format={formatRate}
          disabled={trying.running}
          onChange={setRate}
          description={t("try.target", {
            original: formatNumber(original_chars),
            target: formatNumber(targetOf(original_chars, rate)),
          })}
        />
        <Button disabled={trying.running} onClick={write}>
          {t(candidate ? "try.again" : "try.write")}
        </Button>
      </div>
      {failure !== null && <ErrorNotice failure={failure} />}
      <div className={css.beside}>
        <Side title={t("try.current", { version: current.version })} summary={current} />
        {trying.running ? (
          <Writing what={t("try.writing")} since={since} />
        ) : candidate ? (
          <Side title={t("try.candidate")} summary={candidate} />
        ) : (
          <p className={css.muted}>{t("try.nothing")}</p>
        )}
      </div>
    </Dialog>
  );
}

function Side({ title, summary }: { title: string; summary: Summary }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <p className={css.muted} data-numeric>
        {t("atRate", { rate: formatRate(summary.compression_rate) })}
        {" · "}
        {words.size(summary.original_chars, summary.summary_chars)}
        {" · "}
        {words.saved(summary.original_chars, summary.summary_chars)}
      </p>
      <pre className={css.text} tabIndex={0} aria-label={t("text")} data-selectable>
        {summary.summary}
      </pre>
    </section>
  );
}
