// The keys of a field that looks for something in a dialog: "find" goes to it, and Escape empties it before it closes
// anything. What they do is heard by nobody around: a dialog may lie over another one that has such a field.
import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent, RefObject } from "react";
import { actionFor, chordOf } from "@/app/actions";
import { queries } from "@/ipc/queries";

export function useSearchKeys(field: RefObject<HTMLInputElement | null>, empty: () => void) {
  const keys = useQuery(queries.settings()).data?.keys;
  return (event: KeyboardEvent) => {
    const chord = chordOf(event.nativeEvent);
    if (chord !== null && actionFor(chord, keys ?? {}) === "find") {
      field.current?.focus();
      field.current?.select();
    } else if (chord === "Escape" && event.target === field.current && field.current?.value !== "") empty();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
