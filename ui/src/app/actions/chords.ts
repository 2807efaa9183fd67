// Chords such as "Mod+Shift+K": read from key events, compared, resolved from the settings.
// Letters are read by their place when the layout gives none (Hangul: the key beside G is ㅗ).
import { ACTIONS, type ActionId } from "./table";

const IS_MAC = navigator.platform.startsWith("Mac");

const PUNCTUATION: Record<string, string> = {
  Comma: ",",
  Period: ".",
  Slash: "/",
  Backslash: "\\",
  Semicolon: ";",
  Quote: "'",
  BracketLeft: "[",
  BracketRight: "]",
  Minus: "-",
  Equal: "=",
  Backquote: "`",
};

function keyOf({ key, code }: KeyboardEvent): string | null {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  if (code.startsWith("Key")) return code.slice(3);
  if (/^Digit\d$/.test(code) || /^Numpad\d$/.test(code)) return code.slice(-1);
  if (code === "NumpadAdd") return "=";
  if (code === "NumpadSubtract") return "-";
  const punctuation = PUNCTUATION[code];
  if (punctuation) return punctuation;
  if (key.startsWith("Arrow")) return key.slice("Arrow".length);
  if (/^(F\d{1,2}|Escape|Enter|Tab|Backspace|Delete|Home|End|PageUp|PageDown)$/.test(key)) return key;
  return code === "Space" ? "Space" : null;
}

/** The chord of a key press, or null for a press that is none (a modifier alone). */
export function chordOf(event: KeyboardEvent): string | null {
  const key = keyOf(event);
  if (key === null) return null;
  const mod = IS_MAC ? event.metaKey : event.ctrlKey;
  // "+" is Shift and "=" on most layouts; both mean "larger".
  const shift = event.shiftKey && event.key !== "+";
  const parts = [mod && "Mod", IS_MAC && event.ctrlKey && "Ctrl", event.altKey && "Alt", shift && "Shift"];
  return [...parts.filter(Boolean), key].join("+");
}

/** Whether a chord can be bound: something that typing text never makes. */
export function isBindable(chord: string): boolean {
  return /^(Mod|Ctrl|Alt)\+/.test(chord) || /^(Shift\+)?(F\d{1,2}|Escape)$/.test(chord);
}

/** Keys that move the caret by words in a text on macOS, and must not be taken there. */
export function movesCaret(chord: string, target: EventTarget | null): boolean {
  const inText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return IS_MAC && inText && /^Alt\+(Shift\+)?(Left|Right)$/.test(chord);
}

export type Keys = Partial<Record<string, string>>;

export function chordFor(id: ActionId, keys: Keys): string {
  return keys[id] ?? ACTIONS.find((action) => action.id === id)!.chord;
}

export function actionFor(chord: string, keys: Keys): ActionId | undefined {
  return ACTIONS.find(({ id }) => chordFor(id, keys) === chord)?.id;
}
