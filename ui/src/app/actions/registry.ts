// Who does what at the moment. A mounted screen registers the actions it can do; keys, palette and
// help look here.
import { useEffect, useLayoutEffect, useRef } from "react";
import { create } from "zustand";
import type { ActionId } from "./table";

interface Registered {
  run: () => void;
  /** Why it cannot be done now, in words. */
  disabled: string | null;
}

export const useRegistry = create<Partial<Record<ActionId, Registered>>>(() => ({}));

/** While mounted, `run` is what the action does; `disabled` is the reason why it cannot. */
export function useAction(id: ActionId, run: () => void, disabled: string | null = null): void {
  const current = useRef(run);
  useLayoutEffect(() => {
    current.current = run;
  });
  useEffect(() => {
    const mine: Registered = { run: () => current.current(), disabled };
    useRegistry.setState({ [id]: mine });
    return () => {
      if (useRegistry.getState()[id] === mine) useRegistry.setState({ [id]: undefined });
    };
  }, [id, disabled]);
}

/** Does it, if anybody can. */
export function runAction(id: ActionId): boolean {
  const registered = useRegistry.getState()[id];
  if (!registered || registered.disabled !== null) return false;
  registered.run();
  return true;
}
