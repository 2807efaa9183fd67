// One act of a place at a time: a dialog, a form or a row hands what it submits to this, so that nothing is submitted
// twice, however often it is pressed. Says whether it runs, and what went wrong.
import { useCallback, useRef, useState } from "react";

export interface Act {
  running: boolean;
  failure: unknown;
  /** Resolves to whether it was done; to false at once while another one is on its way, which is not asked again. */
  act: (run: () => Promise<unknown>) => Promise<boolean>;
}

export function useAct(): Act {
  const [running, setRunning] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // A second press may come before the first is drawn.
  const busy = useRef(false);
  const act = useCallback(async (run: () => Promise<unknown>) => {
    if (busy.current) return false;
    busy.current = true;
    setRunning(true);
    setFailure(null);
    try {
      await run();
      return true;
    } catch (thrown) {
      setFailure(thrown);
      return false;
    } finally {
      busy.current = false;
      setRunning(false);
    }
  }, []);
  return { running, failure, act };
}
