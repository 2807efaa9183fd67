// How far the work in a copy is: by the conversation in which something was said last.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followReplies, pathQuery, textOf, toParts, useReplyStream } from "@/features/chat";
import type { ConversationDetail, ConversationItem, MessageItem, ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";

export type WorkState = "nothing" | "working" | "waits" | "done" | "stopped" | "failed";

const ENDED = { complete: "done", interrupted: "stopped", failed: "failed", streaming: "working" } as const;

export interface CopyWork {
  /** Undefined where nothing was begun in it. */
  talk: ConversationItem | undefined;
  detail: ConversationDetail | undefined;
  /** Undefined until it is known. */
  state: WorkState | undefined;
  /** What was said last, as it is written. */
  said: string;
  /** The last reply. */
  reply: MessageItem | undefined;
}

export function useCopyWork(id: ProjectId): CopyWork {
  const client = useQueryClient();
  const talks = useQuery(queries.conversations(id)).data;
  const talk = talks && newestOf(talks);
  const of = talk?.id ?? "";
  const enabled = talk !== undefined;
  const detail = useQuery({ ...queries.conversation(of), enabled }).data;
  const path = useQuery({ ...pathQuery(of), enabled }).data;
  const waiting = useQuery({ ...queries.approvals(of), enabled }).data ?? [];
  const reply = path?.messages.findLast(({ role }) => role === "assistant");
  const streamed = useReplyStream(reply?.id ?? "")?.text ?? "";
  // Either may be the newer one.
  const open = (detail?.open_turn ?? path?.open_turn ?? null) !== null;
  useEffect(() => {
    if (open) void followReplies(client, of);
  }, [client, of, open]);
  return { talk, detail, reply, state: state(), said: streamed.trim() === "" ? saidIn(path?.messages ?? [], reply) : streamed };

  function state(): WorkState | undefined {
    if (talks && !talk) return "nothing";
    if (!detail || !path) return undefined;
    if (open) return waiting.length > 0 ? "waits" : "working";
    const last = path.messages.at(-1);
    if (!last) return "nothing";
    return last.role === "assistant" ? ENDED[last.status] : "stopped";
  }
}

/** One that something was said in goes before one that waits for its first word. */
function newestOf(talks: readonly ConversationItem[]): ConversationItem | undefined {
  const said = talks.filter(({ message_count }) => message_count > 0);
  return (said.length > 0 ? said : talks).reduce<ConversationItem | undefined>(
    (best, one) => (best && best.updated_at >= one.updated_at ? best : one),
    undefined,
  );
}

/** The last words of a turn: a reply that goes on after its calls may say nothing any more. */
function saidIn(messages: readonly MessageItem[], reply: MessageItem | undefined): string {
  const texts = messages
    .filter(({ role, turn_id }) => role === "assistant" && turn_id === reply?.turn_id)
    .map((message) => textOf(toParts(message)));
  return texts.findLast((text) => text.trim() !== "") ?? "";
}
