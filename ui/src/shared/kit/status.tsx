// The one polite live region of the window, and announce() to speak through it.
import { create } from "zustand";

const useStatus = create<{ text: string; turn: number }>(() => ({ text: "", turn: 0 }));

/** Says `text` to a screen reader, once, without moving focus. */
export function announce(text: string): void {
  useStatus.setState(({ turn }) => ({ text, turn: turn + 1 }));
}

/** Mounted once by the shell. The same words twice are two announcements, hence the key. */
export function StatusRegion() {
  const { text, turn } = useStatus();
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      <span key={turn}>{text}</span>
    </div>
  );
}
