// The keys of actions as the person has them, for whoever shows them.
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/ipc/queries";
import { chordFor } from "./chords";
import type { ActionId } from "./table";

export function useChords(): (id: ActionId) => string {
  const keys = useQuery(queries.settings()).data?.keys ?? {};
  return (id) => chordFor(id, keys);
}
