// What is typed where nothing takes text goes into the message: the focus is nowhere once the button that had it is gone,
// or in the conversation of somebody who read.
import { useEffect, type RefObject } from "react";
import { hasDialog } from "@/shared/kit";
import type { ComposerHandle } from "./Composer";

export function useTypedAnywhere(composer: RefObject<ComposerHandle | null>): void {
  useEffect(() => {
    const keyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // An input method says "Process"; the space bar scrolls.
      const types = event.key === "Process" || ([...event.key].length === 1 && event.key !== " ");
      if (types && isNowhere(event.target) && !hasDialog()) composer.current?.focus();
    };
    window.addEventListener("keydown", keyDown);
    return () => window.removeEventListener("keydown", keyDown);
  }, [composer]);
}

function isNowhere(target: EventTarget | null): boolean {
  if (target === document.body) return true;
  return target instanceof HTMLElement && target.closest("[role=log]") !== null && !target.matches("input,textarea,select");
}
