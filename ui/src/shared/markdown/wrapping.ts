// Whether long lines of code are wrapped or scroll: one choice for all blocks, kept on this computer by the window alone.
import { create } from "zustand";
import { persist } from "zustand/middleware";

interface Wrapping {
  wrap: boolean;
}

export const useWrapping = create<Wrapping>()(persist((): Wrapping => ({ wrap: false }), { name: "siltstone.code" }));

export function wrapLines(wrap: boolean): void {
  useWrapping.setState({ wrap });
}
