// What few messages need is loaded with the first that does.
import { useEffect, useState } from "react";

/** A hook that gives what is loaded, and null until it is there. It is loaded once, when it is first wanted. */
export function lazily<T>(load: () => Promise<T>): (wanted?: boolean) => T | null {
  let loaded: T | null = null;
  return function useLoaded(wanted = true) {
    const [ready, setReady] = useState(() => loaded);
    useEffect(() => {
      if (!wanted || ready) return;
      let live = true;
      void load().then((found) => {
        loaded = found;
        if (live) setReady(() => found);
      });
      return () => {
        live = false;
      };
    }, [wanted, ready]);
    return ready;
  };
}
