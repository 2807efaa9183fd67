// What stands in the composer, kept by the host: shortly after typing rests, and at once when the
// conversation is left or the window goes away. Restored when the conversation is opened again.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { previewDraft } from "@/features/context";
import { call, type ConversationDetail, type ConversationId } from "@/ipc";
import { queries } from "@/ipc/queries";

const REST = 300;

/** `sent` says what of it a model is sent, which the preview shows. */
export function useDraft(id: ConversationId, initial: string, sent: (text: string) => string): (text: string) => void {
  const client = useQueryClient();
  const pending = useRef<{ text: string; timer: ReturnType<typeof setTimeout> } | null>(null);

  const save = useCallback(() => {
    if (!pending.current) return;
    const { text, timer } = pending.current;
    clearTimeout(timer);
    pending.current = null;
    client.setQueryData<ConversationDetail>(queries.conversation(id).queryKey, (detail) =>
      detail ? { ...detail, draft: text } : detail,
    );
    // A draft that could not be kept is still in the field; sending will tell what is wrong.
    call("conversation_draft", { id, text }).catch(() => {});
  }, [client, id]);

  // Only what the conversation opened with: later drafts are what the person types.
  const first = useRef(initial);
  useEffect(() => previewDraft(id, sent(first.current), true), [id, sent]);

  useEffect(() => {
    const hidden = () => document.hidden && save();
    document.addEventListener("visibilitychange", hidden);
    window.addEventListener("pagehide", save);
    return () => {
      document.removeEventListener("visibilitychange", hidden);
      window.removeEventListener("pagehide", save);
      save();
    };
  }, [save]);

  return useCallback(
    (text: string) => {
      if (pending.current) clearTimeout(pending.current.timer);
      pending.current = { text, timer: setTimeout(save, REST) };
      previewDraft(id, sent(text));
    },
    [id, save, sent],
  );
}
