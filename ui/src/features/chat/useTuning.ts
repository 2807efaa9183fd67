// How the conversation's model is asked: shown as it is typed, kept by the host shortly after typing rests and at once
// when the settings close.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { tellFailure } from "@/features/errors";
import { call, type ConversationDetail, type Tuning } from "@/ipc";
import { queries } from "@/ipc/queries";

const REST = 300;

export function useTuning({ item: { id }, tuning: kept }: ConversationDetail): {
  tuning: Tuning;
  change: (part: Partial<Tuning>) => void;
} {
  const client = useQueryClient();
  const [tuning, setTuning] = useState(kept);
  const pending = useRef<{ tuning: Tuning; timer: ReturnType<typeof setTimeout> } | null>(null);

  const save = useCallback(() => {
    if (!pending.current) return;
    const { tuning, timer } = pending.current;
    clearTimeout(timer);
    pending.current = null;
    const { queryKey } = queries.conversation(id);
    client.setQueryData<ConversationDetail>(queryKey, (detail) => detail && { ...detail, tuning });
    call("conversation_tune", { id, tuning })
      .catch(tellFailure)
      .finally(() => {
        void client.invalidateQueries({ queryKey });
        // The instructions are part of the request.
        void client.invalidateQueries({ queryKey: ["preview", id] });
      });
  }, [client, id]);

  useEffect(() => {
    window.addEventListener("pagehide", save);
    return () => {
      window.removeEventListener("pagehide", save);
      save();
    };
  }, [save]);

  const change = useCallback(
    (part: Partial<Tuning>) => {
      const next = { ...(pending.current?.tuning ?? tuning), ...part };
      clearTimeout(pending.current?.timer);
      pending.current = { tuning: next, timer: setTimeout(save, REST) };
      setTuning(next);
    },
    [tuning, save],
  );
  return { tuning, change };
}
