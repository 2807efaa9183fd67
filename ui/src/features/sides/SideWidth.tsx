// The line at the edge of a side pane, which makes it wider or narrower; the pane itself holds it.
import { usePlace, widen, type Side } from "@/app/actions";
import { useTranslation } from "@/shared/i18n";
import { Splitter } from "@/shared/kit";
import css from "./sides.module.css";

/** The usual width of each, as the app's sheet has it, with its ends. */
const WIDTHS = { rail: { usual: 248, min: 200, max: 420 }, pane: { usual: 320, min: 280, max: 560 } } as const;

export function SideWidth({ side }: { side: Side }) {
  const { t } = useTranslation("shell");
  const { usual, min, max } = WIDTHS[side];
  const width = usePlace((place) => place.widths[side] ?? usual);
  return (
    <Splitter
      label={t(`width.${side}`)}
      className={css[side]}
      width={width}
      min={min}
      max={max}
      after={side === "pane"}
      onChange={(next) => widen(side, next)}
    />
  );
}
