// How long a summary is for what it stands for, with three points that have names, and what each is for (the Segments design, the
// compression rate). Whoever has it says what a change does.
import { useTranslation } from "@/shared/i18n";
import { Slider, type SliderProps } from "@/shared/kit";
import css from "./summaries.module.css";
import { formatRate, RATES } from "./words";

const POINTS = [
  { name: "short", rate: 0.1 },
  { name: "balanced", rate: 0.3 },
  { name: "detailed", rate: 0.5 },
] as const;

type RateSliderProps = Pick<SliderProps, "value" | "onChange" | "onCommit" | "description" | "disabled">;

export function RateSlider(props: RateSliderProps) {
  const { t } = useTranslation("summaries");
  const { value, disabled, onChange, onCommit } = props;
  const nearest = POINTS.reduce((best, point) =>
    Math.abs(point.rate - value) < Math.abs(best.rate - value) ? point : best,
  );
  return (
    <div className={css.rate}>
      <Slider {...RATES} {...props} label={t("rate")} format={formatRate} />
      <div className={css.points} role="group" aria-label={t("rate")}>
        {POINTS.map(({ name, rate }) => (
          <button
            key={name}
            type="button"
            className={css.point}
            disabled={disabled}
            aria-pressed={value === rate}
            onClick={() => {
              onChange(rate);
              onCommit?.(rate);
            }}
          >
            {t(`points.${name}.name`)}
          </button>
        ))}
      </div>
      <p className={css.purpose}>{t(`points.${nearest.name}.for`)}</p>
    </div>
  );
}
