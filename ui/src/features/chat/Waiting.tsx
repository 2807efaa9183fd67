// While a model has not begun: first that something goes on, then for how long, then what can be done about it. Where the
// provider answered that it cannot now, that it is asked again by itself, and when.
import { useEffect, useState } from "react";
import { openOverlay } from "@/app/actions";
import type { Waiting as Pause } from "@/ipc";
import { formatDuration, useTranslation } from "@/shared/i18n";
import { Button, Spinner } from "@/shared/kit";
import css from "./Turns.module.css";

/** From when on that is said, and from when on another model is offered; in milliseconds. */
const SAID = 5_000;
const LONG = 20_000;

/** `others`: another model can be asked in its place. */
export function Waiting({ pause, others = true }: { pause: Pause | null; others?: boolean }) {
  const { t } = useTranslation("chat");
  const [since] = useState(Date.now);
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const waited = Math.floor((now - since) / 1_000) * 1_000;
  const left = pause === null ? 0 : Date.parse(pause.until) - now;
  const time = formatDuration(left > 0 ? Math.ceil(left / 1_000) * 1_000 : waited);
  const limited = pause?.limited ? "limited" : "trouble";
  return (
    <p className={css.waiting}>
      <Spinner label={t("status.waiting")} />
      {left > 0 ? (
        <span data-numeric>{t(`status.${limited}`, { time })}</span>
      ) : (
        waited >= SAID && <span data-numeric>{waited >= LONG ? t("status.slow", { time }) : time}</span>
      )}
      {others && (left > 0 || waited >= LONG) && <OtherModel />}
    </p>
  );
}

/** Leads to the models that can be had: what was asked stays, and is asked again of the one that is chosen. */
export function OtherModel() {
  const { t } = useTranslation("chat");
  return <Button onClick={() => openOverlay({ kind: "palette", mode: "models" })}>{t("actions.otherModel")}</Button>;
}
