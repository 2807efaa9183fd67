// A number between two ends, chosen by steps. What it holds is shown beside its name, in the words of the owner.
import { useEffect, useId, useRef, type ReactNode } from "react";
import css from "./slider.module.css";

export interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  format: (value: number) => string;
  /** While it moves. */
  onChange: (value: number) => void;
  /** Once it rests: the pointer let go, or a key moved it. */
  onCommit?: (value: number) => void;
  description?: ReactNode;
  disabled?: boolean;
}

export function Slider({ label, value, min, max, step, format, onChange, onCommit, description, disabled }: SliderProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const commit = useRef(onCommit);
  useEffect(() => {
    commit.current = onCommit;
  });
  // React calls every move a change; the native event is the one that comes at rest.
  useEffect(() => {
    const element = input.current!;
    const rested = () => commit.current?.(element.valueAsNumber);
    element.addEventListener("change", rested);
    return () => element.removeEventListener("change", rested);
  }, []);
  return (
    <div className={css.slider}>
      <label htmlFor={id}>{label}</label>
      <span data-numeric aria-hidden>
        {format(value)}
      </span>
      <input
        ref={input}
        id={id}
        type="range"
        {...{ min, max, step, value, disabled }}
        aria-valuetext={format(value)}
        aria-describedby={description ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
      {description && <p id={`${id}-hint`}>{description}</p>}
    </div>
  );
}
