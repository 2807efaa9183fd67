// One listener for all chords, and F6 between the regions of the window.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { actionFor, chordOf, movesCaret, OVER_DIALOGS, runAction, toggleSide, usePlace } from "@/app/actions";
import { queries } from "@/ipc/queries";
import { hasDialog } from "@/shared/kit";

/** A layer that has the keys for itself. Toasts and popovers have not. */
function isLayered(): boolean {
  if (usePlace.getState().overlay !== null) return true;
  // The list of a select stays in the document, hidden, once it had the focus; a list of the page is no layer at all.
  return [...document.querySelectorAll("[role=menu],[role=listbox]")].some(
    (layer) => !layer.closest("[hidden],[data-in-page]"),
  );
}

export function useKeys(): void {
  const keys = useQuery(queries.settings()).data?.keys;
  useEffect(() => {
    const keyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const chord = chordOf(event);
      if (chord === null || movesCaret(chord, event.target)) return;
      // A key that belongs to a composition is the input method's, unless a chord is meant.
      if (event.isComposing && !/^(Mod|Alt)\+/.test(chord)) return;
      const layered = isLayered();
      if (chord === "F6" || chord === "Shift+F6") {
        if (!layered) toRegion(chord === "F6" ? 1 : -1);
        event.preventDefault();
        return;
      }
      const id = actionFor(chord, keys ?? {});
      // In a text the key takes back what was typed.
      if (id === "undo" && isText(event.composedPath()[0])) return;
      if (layered && !(id !== undefined && OVER_DIALOGS.includes(id))) return;
      const done = id !== undefined && runAction(id);
      if (!done && chord === "Escape") closePane();
      // Taken even when it cannot be done now: Ctrl+F must never open the web view's own search.
      if (done || (id !== undefined && chord.startsWith("Mod+"))) event.preventDefault();
    };
    window.addEventListener("keydown", keyDown);
    return () => window.removeEventListener("keydown", keyDown);
  }, [keys]);
}

/** What Escape does when there is nothing to stop. A popover that is open takes it first. */
function closePane(): void {
  if (hasDialog()) return;
  const pane = document.querySelector("aside[data-region]");
  if (!pane) return;
  const hadFocus = pane.contains(document.activeElement);
  toggleSide("pane", false);
  if (hadFocus) document.querySelector<HTMLElement>("main textarea")?.focus();
}

function isText(target: EventTarget | undefined): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "range";
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable);
}

const lastFocus = new WeakMap<Element, HTMLElement>();

function toRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")];
  if (regions.length === 0) return;
  const active = document.activeElement;
  const at = regions.findIndex((region) => region.contains(active));
  if (at >= 0 && active instanceof HTMLElement) lastFocus.set(regions[at]!, active);
  const next = regions[(at + step + regions.length) % regions.length]!;
  const before = lastFocus.get(next);
  const target = before && next.contains(before) ? before : (next.querySelector<HTMLElement>("textarea") ?? next);
  target.focus();
}
