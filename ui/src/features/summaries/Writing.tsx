// A summary on its way.
import { useEffect, useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, quiet, Spinner, useAct } from "@/shared/kit";
import css from "./summaries.module.css";

/** Characters of what came that are shown. */
const NEWEST = 120;

interface WritingProps {
  what: string;
  /** Stops it. */
  onCancel: () => Promise<unknown>;
  /** Since when; not told of one that is made elsewhere. */
  since?: string;
  /** What came so far. */
  text?: string;
}

/** How long already, its newest words, and the way to stop it. */
export function Writing({ what, onCancel, since, text = "" }: WritingProps) {
  const { t } = useTranslation("summaries");
  const { running, failure, act } = useAct();
  return (
    <div className={css.strip}>
      <Spinner label={t("making")} />
      <span className={css.grow}>{what}</span>
      {since !== undefined && <Elapsed since={since} />}
      <Button variant="quiet" disabled={running} onClick={() => void act(onCancel)}>
        {t("cancel", { ns: "common" })}
      </Button>
      {text !== "" && <p className={css.newest}>{text.slice(-NEWEST)}</p>}
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}

function Elapsed({ since }: { since: string }) {
  const { t } = useTranslation("summaries");
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return (
    <span className={quiet.note} role="timer" data-numeric>
      {t("seconds", { n: formatNumber(seconds) })}
    </span>
  );
}
