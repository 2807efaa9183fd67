// The text of replies that are being written, outside React: a chunk re-renders the one reply that
// reads it and nothing else. The page appends what arrives and drops the reply when it is stored.
import { useSyncExternalStore } from "react";
import type { Waiting } from "@/ipc";
import type { Part } from "./rows";

export interface Stream {
  text: string;
  reasoning: string;
  /** Why nothing comes for a while; more of the reply ends it. */
  waiting: Waiting | null;
}

export const NOTHING_YET: Stream = { text: "", reasoning: "", waiting: null };

const streams = new Map<string, Stream>();
const listeners = new Map<string, Set<() => void>>();

function changed(id: string): void {
  listeners.get(id)?.forEach((listener) => listener());
}

export const replyStream = {
  append(id: string, kind: "text" | "reasoning", delta: string): void {
    const stream = streams.get(id) ?? NOTHING_YET;
    streams.set(id, { ...stream, waiting: null, [kind]: stream[kind] + delta });
    changed(id);
  },
  wait(id: string, waiting: Waiting): void {
    streams.set(id, { ...(streams.get(id) ?? NOTHING_YET), waiting });
    changed(id);
  },
  /** Replaces what there is, for joining an answer that already runs. */
  set(id: string, stream: Stream): void {
    streams.set(id, stream);
    changed(id);
  },
  get(id: string): Stream | undefined {
    return streams.get(id);
  },
  drop(id: string): void {
    if (streams.delete(id)) changed(id);
  },
};

export function useReplyStream(id: string): Stream | undefined {
  return useSyncExternalStore(
    (listener) => {
      const set = listeners.get(id) ?? new Set();
      listeners.set(id, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(id);
      };
    },
    () => streams.get(id),
  );
}

export function streamParts({ text, reasoning }: Stream): Part[] {
  return [
    ...(reasoning ? [{ type: "reasoning" as const, text: reasoning }] : []),
    ...(text ? [{ type: "text" as const, text }] : []),
  ];
}
