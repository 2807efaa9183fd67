// A name or hint that appears on hover and on keyboard focus.
import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";
import { Kbd } from "./Kbd";
import css from "./kit.module.css";

export interface TooltipProps {
  text: string;
  shortcut?: string;
  /** The element that is hinted at; it must take a ref and props, as every kit control does. */
  children: ReactElement;
}

export function Tooltip({ text, shortcut, children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className={css.positioner}>
          <Base.Popup className={css.tooltip}>
            {text}
            {shortcut && <Kbd keys={shortcut} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
