// Calls that are under way, outside the conversation's rows: where each stands and what its command says, which
// conversations wait for the person, and which rows are open. follow.ts in the chat and waiting.ts tell it; rows, rail and
// title read.
import { create } from "zustand";
import type { ConversationId, MessageId, ToolProgress } from "@/ipc";

/** What of a running command's output is kept for sight; the result has all of it. */
const MOST_OUTPUT = 20_000;

interface Live {
  /** By conversation, then by call. */
  calls: Readonly<Record<ConversationId, Readonly<Record<string, ToolProgress>>>>;
  /** By conversation and call. */
  output: Readonly<Record<string, string>>;
  /** How many calls of each conversation wait for the person. */
  waiting: Readonly<Record<ConversationId, number>>;
  /** Rows that the person opened or closed, by their keys. */
  opened: Readonly<Record<string, boolean>>;
  /** A result that was looked for: its row is open. */
  revealed: MessageId | null;
}

export const useLive = create<Live>(() => ({ calls: {}, output: {}, waiting: {}, opened: {}, revealed: null }));

const NONE: Readonly<Record<string, ToolProgress>> = {};

/** Calls of a reply that is joined while it goes on: those that are not named any more are over. */
export function callsStarted(id: ConversationId, calls: readonly ToolProgress[]): void {
  useLive.setState((live) => ({ calls: { ...live.calls, [id]: Object.fromEntries(calls.map((call) => [call.call_id, call])) } }));
}

export function callProgressed(id: ConversationId, call: ToolProgress): void {
  useLive.setState((live) => ({ calls: { ...live.calls, [id]: { ...live.calls[id], [call.call_id]: call } } }));
}

export function callSaid(id: ConversationId, callId: string, text: string): void {
  const key = `${id} ${callId}`;
  useLive.setState(({ output }) => ({ output: { ...output, [key]: ((output[key] ?? "") + text).slice(-MOST_OUTPUT) } }));
}

/** The turn is over; what is written down holds. */
export function callsEnded(id: ConversationId): void {
  useLive.setState(({ calls, output }) => {
    const others = Object.entries(calls).filter(([key]) => key !== id);
    return { calls: Object.fromEntries(others), output: Object.fromEntries(Object.entries(output).filter(([key]) => !key.startsWith(`${id} `))) };
  });
}

export function useProgress(id: ConversationId | undefined): Readonly<Record<string, ToolProgress>> {
  return useLive(({ calls }) => (id === undefined ? NONE : (calls[id] ?? NONE)));
}

export function useOutput(id: ConversationId | undefined, callId: string): string {
  return useLive(({ output }) => output[`${id} ${callId}`] ?? "");
}

export function setWaiting(id: ConversationId, count: number): void {
  useLive.setState(({ waiting }) => ({ waiting: { ...waiting, [id]: count } }));
}

const waitsIn = (id: ConversationId) => ({ waiting }: Live) => (waiting[id] ?? 0) > 0;

/** Whether a conversation waits for the person's answer, at this moment. */
export function waits(id: ConversationId): boolean {
  return waitsIn(id)(useLive.getState());
}

/** The same, followed. */
export function useWaits(id: ConversationId): boolean {
  return useLive(waitsIn(id));
}

/** How many conversations wait, but for one. */
export function useWaitingElsewhere(here: ConversationId | null): number {
  return useLive(({ waiting }) => Object.entries(waiting).filter(([id, count]) => id !== here && count > 0).length);
}

export function setOpened(key: string, open: boolean): void {
  useLive.setState(({ opened }) => ({ opened: { ...opened, [key]: open } }));
}

export function revealResult(revealed: MessageId): void {
  useLive.setState({ revealed });
}
