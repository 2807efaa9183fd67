// What was searched for and led somewhere, the last one first. Kept on this computer by the window alone.
import { create } from "zustand";
import { persist } from "zustand/middleware";

const MOST = 8;

export const useRecent = create<{ searches: readonly string[] }>()(
  persist(() => ({ searches: [] as readonly string[] }), { name: "siltstone.searches" }),
);

export function rememberSearch(query: string): void {
  useRecent.setState(({ searches }) => ({
    searches: [query, ...searches.filter((other) => other !== query)].slice(0, MOST),
  }));
}

export function forgetSearches(): void {
  useRecent.setState({ searches: [] });
}
