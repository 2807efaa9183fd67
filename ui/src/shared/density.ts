// How close things stand. It is of this window's eyes and not of the data, so it is kept here and not with the settings;
// the tokens do all of it (styles/tokens.css).
import { create } from "zustand";
import { persist } from "zustand/middleware";

export type Density = "comfortable" | "compact";

export const useDensity = create<{ density: Density }>()(
  persist((): { density: Density } => ({ density: "comfortable" }), { name: "siltstone.density" }),
);

export function setDensity(density: Density): void {
  useDensity.setState({ density });
}
