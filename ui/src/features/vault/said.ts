// What was said in kept sessions of agents, with words that are looked for: in their list, and beside all that is searched.
import { useQuery } from "@tanstack/react-query";
import type { SearchVault, VaultFound } from "@/ipc";
import { queries } from "@/ipc/queries";

const NOTHING: VaultFound = { hits: [], total: 0, capped: false };

interface Said {
  found: VaultFound;
  /** Whether it is the answer to what is asked now. */
  settled: boolean;
  failure: unknown;
}

/** Null asks nothing. While the next answer is on its way, the last one stands. */
export function useSaid(asked: SearchVault | null): Said {
  const { data, error, isFetching } = useQuery({
    ...queries.vaultSearch(asked ?? { query: "", agent: null, folder: null, limit: 0 }),
    enabled: asked !== null,
  });
  if (asked === null) return { found: NOTHING, settled: true, failure: null };
  return { found: data ?? NOTHING, settled: !isFetching, failure: error };
}
