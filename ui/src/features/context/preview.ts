// The next request as it would be sent, asked for again as the person types.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { create } from "zustand";
import { call, type ConversationId, type ConversationItem, type DefaultModel } from "@/ipc";
import { broughtOf, useReading } from "./reading";

/** How long typing rests before the preview is asked for again. */
const REST = 120;

const useDrafts = create<Record<ConversationId, string>>(() => ({}));
let timer: ReturnType<typeof setTimeout> | undefined;

/** Tells what stands in the composer and would be sent of it; `now` skips the rest, for a draft that was just loaded. */
export function previewDraft(id: ConversationId, text: string, now = false): void {
  clearTimeout(timer);
  // What is sent has no space around it.
  const tell = () => useDrafts.setState({ [id]: text.trim() });
  if (now) tell();
  else timer = setTimeout(tell, REST);
}

/** `model` is another than the conversation's. */
export function useRequestPreview({ id, project_id }: Pick<ConversationItem, "id" | "project_id">, model?: DefaultModel) {
  const draft = useDrafts((drafts) => drafts[id] ?? "");
  const reading = useReading(project_id);
  const context = reading && broughtOf(reading);
  return useQuery({
    queryKey: ["preview", id, draft, context, model],
    queryFn: () => call("request_preview", { conversation_id: id, draft, context, model }),
    placeholderData: keepPreviousData,
    // Every pause in typing makes one; none is worth keeping.
    gcTime: 1000,
  });
}
