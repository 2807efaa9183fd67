// Sealing what exists, or the other way round: it goes on while its page is closed.
import { create } from "zustand";
import { stream, toFailure, type Place, type SealEvent } from "@/ipc";

interface Run {
  /** How far it is; null while nothing runs here. */
  event: SealEvent | null;
  /** Whether it seals: the state says so only a moment later. */
  seals: boolean;
  failure: unknown;
}

export const useSealRun = create<Run>(() => ({ event: null, seals: true, failure: null }));

const { setState: set } = useSealRun;

/** True when it came to its end. */
async function follow(
  seals: boolean,
  run: (onEvent: (event: SealEvent) => void) => Promise<unknown>,
): Promise<boolean> {
  set({ event: { done: 0, total: 0 }, seals, failure: null });
  try {
    await run((event) => set({ event }));
    set({ event: null });
    return true;
  } catch (thrown) {
    // What was stopped can go on later, and its page says so.
    set({ event: null, failure: toFailure(thrown).code === "cancelled" ? null : thrown });
    return false;
  }
}

export const seal = (place: Place | null) => follow(true, (onEvent) => stream("checkpoint_seal", { place }, onEvent));

export const unseal = () => follow(false, (onEvent) => stream("checkpoint_unseal", null, onEvent));
