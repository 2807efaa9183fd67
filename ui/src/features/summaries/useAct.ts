// One act on a summary at a time: whether it runs, and what went wrong. What it changed comes by itself.
import { useCallback, useState } from "react";

export interface Act {
  running: boolean;
  failure: unknown;
  /** Resolves to whether it was done. */
  act: (run: () => Promise<unknown>) => Promise<boolean>;
}

export function useAct(): Act {
  const [running, setRunning] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const act = useCallback(async (run: () => Promise<unknown>) => {
    setRunning(true);
    setFailure(null);
    try {
      await run();
      return true;
    } catch (thrown) {
      setFailure(thrown);
      return false;
    } finally {
      setRunning(false);
    }
  }, []);
  return { running, failure, act };
}
