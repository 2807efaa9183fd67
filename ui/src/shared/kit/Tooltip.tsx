// A name or hint that appears on hover and on keyboard focus. There is one for the whole window, in Tips: what is hinted at
// only says what it would say, so that a hundred buttons cost a hundred buttons.
import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";
import { Kbd } from "./Kbd";
import css from "./kit.module.css";

interface Tip {
  text: string;
  shortcut?: string;
}

export interface TooltipProps extends Tip {
  /** The element that is hinted at; it must take a ref and props, as every kit control does. */
  children: ReactElement;
}

const tips = Base.createHandle<Tip>();

export function Tooltip({ text, shortcut, children }: TooltipProps) {
  return <Base.Trigger handle={tips} payload={{ text, shortcut }} render={children} />;
}

/** The one of the window: mounted once, beside what is hinted at. */
export function Tips() {
  return (
    <Base.Root handle={tips}>
      {({ payload }) => (
        <Base.Portal>
          <Base.Positioner sideOffset={6} className={css.positioner}>
            <Base.Popup className={css.tooltip}>
              {payload?.text}
              {payload?.shortcut && <Kbd keys={payload.shortcut} />}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      )}
    </Base.Root>
  );
}
