// What features may know of the app: its actions, their keys, and the ways to go somewhere.
export { actionFor, chordFor, chordOf, isBindable, movesCaret, type Keys } from "./chords";
export * from "./navigation";
export { runAction, useAction, useRegistry } from "./registry";
export { useChords } from "./useChords";
export { ACTIONS, OVER_DIALOGS, type ActionId } from "./table";
