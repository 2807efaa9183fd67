// Three steps through the sample: what a reply saw, a fold, the line of the next request. It stands above the composer, takes
// nothing over, and goes for good with one press. What a step is about is marked while it is shown.
import { X } from "lucide-react";
import { useEffect, useState, type RefObject } from "react";
import { usePlace } from "@/app/actions";
import { useTranslation } from "@/shared/i18n";
import { Button, IconButton } from "@/shared/kit";
import css from "./SampleTour.module.css";

const STEPS = ["receipt", "fold", "line"] as const;

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
    if (marked) marked.dataset.tour = step;
    return () => void delete marked?.dataset.tour;
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
