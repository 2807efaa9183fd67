// The next request as it would be sent, asked for again as the person types.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { create } from "zustand";
import { call, type ConversationId } from "@/ipc";

/** How long typing rests before the preview is asked for again. */
const REST = 120;

const useDrafts = create<Record<ConversationId, string>>(() => ({}));
let timer: ReturnType<typeof setTimeout> | undefined;

/** Tells what stands in the composer; `now` skips the rest, for a draft that was just loaded. */
export function previewDraft(id: ConversationId, text: string, now = false): void {
  clearTimeout(timer);
  if (now) useDrafts.setState({ [id]: text });
  else timer = setTimeout(() => useDrafts.setState({ [id]: text }), REST);
}

export function useRequestPreview(conversation_id: ConversationId) {
  const draft = useDrafts((drafts) => drafts[conversation_id] ?? "");
  return useQuery({
    queryKey: ["preview", conversation_id, draft],
    queryFn: () => call("request_preview", { conversation_id, draft }),
    placeholderData: keepPreviousData,
    // Every pause in typing makes one; none is worth keeping.
    gcTime: 1000,
  });
}
