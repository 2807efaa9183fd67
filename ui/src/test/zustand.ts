// Zustand for tests, which share their process: every store is known, so that a test begins with none that the one before
// it left as it was.
import type { StateCreator } from "zustand/vanilla";
import { create as make } from "zustand/react";

export * from "zustand/react";
export * from "zustand/vanilla";

interface Store {
  getInitialState: () => unknown;
  setState: (state: unknown, replace: true) => void;
}

const stores: Store[] = [];

function known<S extends Store>(store: S): S {
  stores.push(store);
  return store;
}

/** As the real one, with the type of the store named in a call of its own or not. */
export const create = ((initial?: StateCreator<unknown>) =>
  initial ? known(make(initial)) : (later: StateCreator<unknown>) => known(make(later))) as typeof make;

/** All stores are again as they were when the window opened. */
export function emptyStores(): void {
  for (const store of stores) store.setState(store.getInitialState(), true);
}
