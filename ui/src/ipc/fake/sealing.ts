// Sealing of the fake's checkpoints: a key in the keyring or the encrypted file, what was taken before and since, and
// what of it waits while the key's place is closed. Progress comes in four steps.
import type { CheckpointSealing, Commands, Place } from "../bindings";
import * as keys from "./keys";
import { failure, type State } from "./state";

export interface SealingState {
  on: boolean;
  /** Bytes in the form in which they are not to be any more. */
  left: number;
  place: Place | null;
  /** Whether the key was fetched, or never had to be. */
  held: boolean;
  recovery: string | null;
  running: boolean;
  stopped: boolean;
}

export const fresh = (): SealingState => ({
  on: false,
  left: 0,
  place: null,
  held: true,
  recovery: null,
  running: false,
  stopped: false,
});

const STEPS = 4;

type Names =
  | "checkpoint_sealing"
  | "checkpoint_seal"
  | "checkpoint_unseal"
  | "checkpoint_seal_cancel"
  | "checkpoint_recovery_set"
  | "checkpoint_unlock";

type Handlers = {
  [C in Names]: (
    request: Commands[C]["request"],
    onEvent: (event: Commands[C]["event"]) => void,
  ) => Commands[C]["reply"] | Promise<Commands[C]["reply"]>;
};

/** Fails while the key's place is closed. */
export function unlocked(state: State): void {
  const { sealing } = state;
  if (sealing.held || sealing.place === null) return;
  try {
    keys.open(state, sealing.place);
  } catch {
    throw failure("checkpoints_locked", "checkpoints are sealed, and their key is not at hand");
  }
  sealing.held = true;
}

/** As after a new start: the key has to be fetched again. */
export function forget(state: State): void {
  state.sealing.held = state.sealing.place === null;
}

function shown(state: State): CheckpointSealing {
  const { on, left, held, place, recovery, running } = state.sealing;
  const total = state.checkpoints.stored.reduce((sum, { item }) => sum + item.bytes, 0);
  const done = total - left;
  return {
    on,
    locked: !held,
    working: running,
    sealed_bytes: on ? done : left,
    plain_bytes: on ? left : done,
    recovery: recovery !== null,
    place,
  };
}

export function handlers(state: State): Handlers {
  const { sealing } = state;
  const total = () => state.checkpoints.stored.reduce((sum, { item }) => sum + item.bytes, 0);
  const say = (on: boolean) => {
    if (sealing.on !== on) sealing.left = total() - sealing.left;
    sealing.on = on;
    state.settings = {
      ...state.settings,
      privacy: { ...state.settings.privacy, encrypt_checkpoints: on },
    };
    state.emit({ type: "checkpoints" }, { type: "settings" });
  };
  const rewrite = async (onEvent: (event: { done: number; total: number }) => void) => {
    if (sealing.running) throw failure("conflict", "this is being done already");
    Object.assign(sealing, { running: true, stopped: false });
    try {
      const step = Math.ceil(sealing.left / STEPS);
      do {
        await new Promise((resolve) => setTimeout(resolve, state.options.delayMs ?? 0));
        if (sealing.stopped) throw failure("cancelled", "cancelled");
        sealing.left = Math.max(0, sealing.left - step);
        onEvent({ done: total() - sealing.left, total: total() });
      } while (sealing.left > 0);
    } finally {
      sealing.running = false;
      state.emit({ type: "checkpoints" });
    }
    if (!sealing.on) Object.assign(sealing, { place: null, recovery: null, held: true });
    return shown(state);
  };
  return {
    checkpoint_sealing: () => {
      try {
        unlocked(state);
      } catch {
        // It says so itself.
      }
      return shown(state);
    },
    checkpoint_seal: ({ place }, onEvent) => {
      if (place === "session") throw failure("bad_request", "this key has to outlive the program");
      unlocked(state);
      const chosen = sealing.place ?? place ?? keys.where(state).place ?? "keyring";
      keys.open(state, chosen);
      sealing.place = chosen;
      say(true);
      return rewrite(onEvent);
    },
    checkpoint_unseal: (_, onEvent) => {
      unlocked(state);
      say(false);
      return rewrite(onEvent);
    },
    checkpoint_seal_cancel: () => {
      sealing.stopped = sealing.running;
      return null;
    },
    checkpoint_recovery_set: ({ passphrase }) => {
      unlocked(state);
      if (sealing.place === null) throw failure("conflict", "checkpoints are not sealed");
      if (passphrase !== null && [...passphrase].length < 12) {
        throw failure("bad_request", "a recovery passphrase has at least twelve characters");
      }
      sealing.recovery = passphrase ?? "7k3m-q9tx-04nz-hv8c-2wpd-y5ja";
      state.emit({ type: "checkpoints" });
      return { passphrase: sealing.recovery };
    },
    checkpoint_unlock: ({ passphrase }) => {
      if (passphrase === null) unlocked(state);
      else {
        if (sealing.recovery === null) throw failure("not_found", "no recovery passphrase was ever set");
        if (passphrase !== sealing.recovery) throw failure("wrong_passphrase", "wrong");
        sealing.held = true;
      }
      state.emit({ type: "checkpoints" });
      return shown(state);
    },
  };
}
