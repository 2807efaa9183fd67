// A plain sign of our own making, beside the name of what it stands for: strokes on a grid of 16, in one hue.
import css from "./kit.module.css";

export interface MarkProps {
  /** The strokes, as a path. */
  shape: string;
  hue?: "plum" | "moss" | "clay" | "slate" | "teal";
}

export function Mark({ shape, hue }: MarkProps) {
  return (
    <svg
      className={css.mark}
      style={hue && { color: `var(--hue-${hue})` }}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d={shape} />
    </svg>
  );
}
