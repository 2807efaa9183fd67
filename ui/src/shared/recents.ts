// What was used last of something, the last one first. Kept on this computer by the window alone.
import { create } from "zustand";
import { persist } from "zustand/middleware";

export interface Recents {
  use: () => readonly string[];
  remember: (one: string) => void;
  forget: () => void;
}

/** `most` of them are kept under a name. */
export function recents(name: string, most: number): Recents {
  const kept = create<{ last: readonly string[] }>()(persist(() => ({ last: [] as readonly string[] }), { name }));
  return {
    use: () => kept(({ last }) => last),
    remember: (one) => kept.setState(({ last }) => ({ last: [one, ...last.filter((other) => other !== one)].slice(0, most) })),
    forget: () => kept.setState({ last: [] }),
  };
}
