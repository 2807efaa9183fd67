// The line between two panes: dragged, or moved by the arrows; a double click or Enter puts it back.
import { useRef, type KeyboardEvent, type PointerEvent } from "react";
import css from "./kit.module.css";

/** How far a key moves it, in pixels. */
const STEP = 16;

export interface SplitterProps {
  label: string;
  /** How wide the pane is now that it belongs to, and between what; in pixels. */
  width: number;
  min: number;
  max: number;
  /** The pane is after it in the line, so that it grows the other way. */
  after?: boolean;
  className?: string;
  /** Null is the usual width. */
  onChange: (width: number | null) => void;
}

export function Splitter({ label, width, min, max, after = false, className, onChange }: SplitterProps) {
  const from = useRef<{ x: number; width: number } | null>(null);
  const within = (wanted: number) => onChange(Math.round(Math.min(max, Math.max(min, wanted))));
  const way = after ? -1 : 1;
  const pointer = {
    onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      from.current = { x: event.clientX, width };
    },
    onPointerMove: ({ clientX }: PointerEvent) => {
      if (from.current) within(from.current.width + way * (clientX - from.current.x));
    },
    onPointerUp: () => void (from.current = null),
    onPointerCancel: () => void (from.current = null),
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => within(width - way * STEP),
      ArrowRight: () => within(width + way * STEP),
      Home: () => within(min),
      End: () => within(max),
      Enter: () => onChange(null),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  return (
    // A separator that can be moved is a control: https://www.w3.org/TR/wai-aria-1.2/#separator
    <div
      role="separator"
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      className={[css.splitter, className].filter(Boolean).join(" ")}
      onKeyDown={keyDown}
      onDoubleClick={() => onChange(null)}
      {...pointer}
    />
  );
}
