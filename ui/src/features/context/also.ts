// Models that the next message is asked of besides the conversation's own: chosen beside the composer, shown by the lines
// above it and by the pane, and sent with that one message. By conversation, for as long as the window is there.
import { create } from "zustand";
import type { ConversationDetail, ConversationId, DefaultModel } from "@/ipc";

/** Most of them; the host takes no more. */
export const MOST_ALSO = 3;

type Of = Pick<ConversationDetail, "item" | "provider" | "model">;

const NONE: readonly DefaultModel[] = [];

const useChosen = create<Readonly<Record<ConversationId, readonly DefaultModel[]>>>(() => ({}));

export const isSameModel = (one: DefaultModel, other: DefaultModel): boolean =>
  one.provider === other.provider && one.model === other.model;

/** The conversation's own is asked anyway. */
const besides = (chosen: readonly DefaultModel[], own: DefaultModel) => chosen.filter((one) => !isSameModel(one, own));

export function useAlso(conversation: Of | undefined): readonly DefaultModel[] {
  const chosen = useChosen((all) => (conversation && all[conversation.item.id]) ?? NONE);
  return conversation ? besides(chosen, conversation) : NONE;
}

export function chooseAlso(id: ConversationId, models: readonly DefaultModel[]): void {
  useChosen.setState({ [id]: models });
}

/** Takes them for the message that is sent now. */
export function takeAlso(conversation: Of | undefined): readonly DefaultModel[] {
  if (!conversation) return NONE;
  const { id } = conversation.item;
  const taken = besides(useChosen.getState()[id] ?? NONE, conversation);
  chooseAlso(id, NONE);
  return taken;
}

/** It was not sent: they wait again, unless others do. */
export function giveBackAlso(id: ConversationId, taken: readonly DefaultModel[]): void {
  if ((useChosen.getState()[id] ?? NONE).length === 0) chooseAlso(id, taken);
}

/** It was sent after all. */
export function dropAlso(id: ConversationId, taken: readonly DefaultModel[]): void {
  if (useChosen.getState()[id] === taken) chooseAlso(id, NONE);
}
