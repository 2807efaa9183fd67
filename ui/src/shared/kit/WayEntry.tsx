// A way to a page, at the top of the rail: an icon, a name, what stands at its end, and a quiet line below.
import type { ComponentType, ReactNode, SVGAttributes } from "react";
import css from "./way.module.css";

export interface WayEntryProps {
  icon: ComponentType<SVGAttributes<SVGSVGElement>>;
  name: string;
  /** The page is the one that is shown. */
  shown: boolean;
  /** At the end of the line: a count, or keys. */
  end?: ReactNode;
  below?: ReactNode;
  onClick: () => void;
}

export function WayEntry({ icon: Icon, name, shown, end, below, onClick }: WayEntryProps) {
  return (
    <button type="button" className={css.entry} aria-current={shown ? "page" : undefined} onClick={onClick}>
      <Icon aria-hidden />
      <span className={css.name}>{name}</span>
      {end && <span className={css.end}>{end}</span>}
      {below && <span className={css.below}>{below}</span>}
    </button>
  );
}
