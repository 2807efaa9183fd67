// The window's title says how many conversations wait for an answer that the person does not see.
import { useEffect, useSyncExternalStore } from "react";
import type { ConversationId } from "@/ipc";
import { useWaitingElsewhere } from "./live";

const NAME = "Siltstone";

export function useWaitingTitle(open: ConversationId | null): void {
  const count = useWaitingElsewhere(useFocused() ? open : null);
  useEffect(() => {
    document.title = count > 0 ? `(${count}) ${NAME}` : NAME;
  }, [count]);
}

function useFocused(): boolean {
  return useSyncExternalStore(
    (changed) => {
      window.addEventListener("focus", changed);
      window.addEventListener("blur", changed);
      return () => {
        window.removeEventListener("focus", changed);
        window.removeEventListener("blur", changed);
      };
    },
    () => document.hasFocus(),
  );
}
