// While a model has not begun: first that something goes on, then for how long, then what can be done about it. It is counted
// from when it is first seen here: when a request was repeated, and what a server asked to wait, reach no host.
import { useEffect, useState } from "react";
import { openOverlay } from "@/app/actions";
import { formatDuration, useTranslation } from "@/shared/i18n";
import { Button, Spinner } from "@/shared/kit";
import css from "./Turns.module.css";

/** From when on that is said, and from when on another model is offered; in milliseconds. */
const SAID = 5_000;
const LONG = 20_000;

export function Waiting() {
  const { t } = useTranslation("chat");
  const [since] = useState(Date.now);
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const waited = Math.floor((now - since) / 1_000) * 1_000;
  return (
    <p className={css.waiting}>
      <Spinner label={t("status.waiting")} />
      {waited >= SAID && (
        <span data-numeric>{waited >= LONG ? t("status.slow", { time: formatDuration(waited) }) : formatDuration(waited)}</span>
      )}
      {waited >= LONG && <OtherModel />}
    </p>
  );
}

/** Leads to the models that can be had: what was asked stays, and is asked again of the one that is chosen. */
export function OtherModel() {
  const { t } = useTranslation("chat");
  return <Button onClick={() => openOverlay({ kind: "palette", mode: "models" })}>{t("actions.otherModel")}</Button>;
}
