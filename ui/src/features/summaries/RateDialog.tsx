// Another rate is tried: how long the summary would be, then a candidate beside the one in use. Nothing changes until it
// is adopted.
import { useState } from "react";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, toFailure } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, useAct } from "@/shared/kit";
import { targetOf, type Summary } from "./cards";
import { RateSlider } from "./RateSlider";
import { NotWhole } from "./Receipt";
import css from "./summaries.module.css";
import { formatRate, useSummaryWords } from "./words";
import { Writing } from "./Writing";

export function RateDialog({ current, onClose }: { current: Summary; onClose: () => void }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const trying = useAct();
  const adopting = useAct();
  const [rate, setRate] = useState(current.compression_rate);
  const [candidate, setCandidate] = useState<Summary | null>(null);
  const { id, conversation_id, original_chars } = current;
  const [since, setSince] = useState("");
  const write = () => {
    setSince(new Date().toISOString());
    void trying.act(async () => setCandidate(await call("summary_try", { id, rate })));
  };
  const cancel = () => call("summary_try_cancel", { id: conversation_id });
  const adopt = async () => {
    if (candidate && (await adopting.act(() => call("summary_adopt", { id: candidate.id })))) onClose();
  };
  const stopped = trying.failure !== null && toFailure(trying.failure).code === "cancelled";
  const failure = (stopped ? null : trying.failure) ?? adopting.failure;
  // Nobody waits for it any more.
  const close = () => {
    if (trying.running) void cancel().catch(tellFailure);
    onClose();
  };
  return (
    <Dialog
      open
      size="l"
      onClose={close}
      title={t("try.title", { span: words.span(current) })}
      footer={
        <>
          <Button onClick={close}>{candidate ? t("try.discard") : t("close", { ns: "common" })}</Button>
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
        <RateSlider
          value={rate}
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
          <Writing what={t("try.writing")} since={since} onCancel={cancel} />
        ) : candidate ? (
          <Side title={t("try.candidate")} summary={candidate} />
        ) : (
          <p className={quiet.note}>{t("try.nothing")}</p>
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
      <p className={quiet.note} data-numeric>
        {t("atRate", { rate: formatRate(summary.compression_rate) })}
        {" · "}
        {words.size(summary.original_chars, summary.summary_chars)}
        {" · "}
        {words.saved(summary.original_chars, summary.summary_chars)}
      </p>
      <pre className={css.text} tabIndex={0} aria-label={t("text")} data-selectable>
        {summary.summary}
      </pre>
      <NotWhole summary={summary} />
    </section>
  );
}
