// A key combination such as "Mod+Shift+K", written as the system writes it.
import css from "./kit.module.css";

const isMac = navigator.platform.startsWith("Mac");
const NAMES: Record<string, string> = isMac
  ? { Mod: "⌘", Alt: "⌥", Shift: "⇧", Ctrl: "⌃", Enter: "↩", Escape: "Esc" }
  : { Mod: "Ctrl", Escape: "Esc" };
const ARROWS: Record<string, string> = { Left: "←", Right: "→", Up: "↑", Down: "↓" };

export function keyNames(keys: string): string {
  const names = keys.split("+").map((key) => NAMES[key] ?? ARROWS[key] ?? key);
  return names.join(isMac ? "" : "+");
}

export function Kbd({ keys }: { keys: string }) {
  return <kbd className={css.kbd}>{keyNames(keys)}</kbd>;
}
