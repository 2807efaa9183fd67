// Three steps through the sample: what a reply saw, a fold, the line of the next request. It stands above the composer, takes
// nothing over, and goes for good with one press. What a step is about is brought into sight and marked while it is shown.
import { X } from "lucide-react";
import { useEffect, useState, type RefObject } from "react";
import { usePlace } from "@/app/actions";
import { useTranslation } from "@/shared/i18n";
import { Button, IconButton } from "@/shared/kit";
import css from "./SampleTour.module.css";

const STEPS = ["receipt", "fold", "line"] as const;

/** For so many frames what a step is about is kept in sight, unless the person does something; and waited for at most. */
const SETTLES = 90;
const PATIENCE = 600;
const ACTS = ["wheel", "pointerdown", "keydown"] as const;

interface SampleTourProps {
  /** In which what a step is about is marked. */
  within: RefObject<HTMLElement | null>;
  onLeave: () => void;
}

export function SampleTour({ within, onLeave }: SampleTourProps) {
  const { t } = useTranslation("talk");
  const [at, setAt] = useState(0);
  const step = STEPS[at]!;
  const of = STEPS.length;
  useEffect(() => {
    const marked = within.current;
    if (!marked) return;
    marked.dataset.tour = step;
    let frame = 0;
    let left = SETTLES;
    let patience = PATIENCE;
    // What was opened just now is drawn later, and moves until it has come to its place.
    const show = () => {
      const first = marked.querySelector(`[data-tours="${step}"]`);
      first?.scrollIntoView({ block: "nearest" });
      if (first) left -= 1;
      patience -= 1;
      if (left > 0 && patience > 0) frame = requestAnimationFrame(show);
    };
    // From there on it is the person who scrolls.
    const leaveIt = () => cancelAnimationFrame(frame);
    ACTS.forEach((act) => marked.addEventListener(act, leaveIt, { capture: true, passive: true }));
    show();
    return () => {
      leaveIt();
      ACTS.forEach((act) => marked.removeEventListener(act, leaveIt, { capture: true }));
      delete marked.dataset.tour;
    };
  }, [within, step]);
  const leave = () => {
    usePlace.setState({ touring: null });
    onLeave();
  };
  return (
    <section
      className={css.tour}
      aria-label={t("tour.label")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        leave();
      }}
    >
      <p className={css.words} aria-live="polite">
        <span className={css.count} data-numeric>
          {t("tour.step", { n: at + 1, of })}
        </span>
        {t(`tour.${step}`)}
      </p>
      {at > 0 && (
        <Button variant="quiet" onClick={() => setAt(at - 1)}>
          {t("tour.back")}
        </Button>
      )}
      {at < of - 1 ? <Button onClick={() => setAt(at + 1)}>{t("tour.next")}</Button> : <Button onClick={leave}>{t("tour.done")}</Button>}
      <IconButton label={t("tour.close")} icon={<X aria-hidden />} onClick={leave} />
    </section>
  );
}
