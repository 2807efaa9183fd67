// When does Enter send? One press must commit the composed Hangul syllable and send, once. The
// engines tell it in different orders, so this machine takes their events and says what to do;
// Composer feeds it and owns the timers. Japanese and Chinese candidates are only committed.
//
//   Chrome      keydown Enter (composing) -> compositionend -> [keydown Enter again] -> keyup
//   WebKit      compositionend -> keydown Enter (229, no longer composing) -> keyup
//   WebKitGTK   input (text already changed) [-> compositionend] -> keydown Enter (229) -> keyup;
//               2.50 with ibus-hangul: compositionend, input, compositionend, keydown Enter (13)

export interface EnterState {
  composing: boolean;
  /** Last text the input method gave since the previous ordinary key, "" when there was none. */
  composed: string;
  /** Enter was pressed during composition: send when the composition has ended. */
  sendOnCommit: boolean;
  /** A send waits for the next macrotask, when the committed text is in the field. */
  scheduled: boolean;
  /** This press has been used up: whatever else it still causes is dropped until keyup. */
  spent: boolean;
}

export type EnterEvent =
  | { type: "compositionstart" | "compositionupdate" | "compositionend"; data: string }
  | { type: "input"; data: string | null }
  | { type: "keydown"; key: string; keyCode: number; isComposing: boolean; modified: boolean }
  | { type: "keyup"; key: string }
  | { type: "linebreak" | "blur" | "timer" };

export interface Verdict {
  state: EnterState;
  /** Call preventDefault. */
  prevent?: boolean;
  /** Send now. */
  send?: boolean;
  /** Feed a "timer" event in the next macrotask. */
  schedule?: boolean;
}

export const IDLE: EnterState = {
  composing: false,
  composed: "",
  sendOnCommit: false,
  scheduled: false,
  spent: false,
};

/** What the input method took is told as this key code by every engine. */
const BY_INPUT_METHOD = 229;

function isHangul(text: string): boolean {
  return /\p{Script=Hangul}$/u.test(text);
}

export function step(state: EnterState, event: EnterEvent): Verdict {
  switch (event.type) {
    case "compositionstart":
      // A new syllable has begun before the timer: sending now would tear it.
      return { state: { ...IDLE, composing: true } };
    case "compositionupdate":
      return { state: { ...state, composed: event.data || state.composed } };
    case "compositionend": {
      const ended = { ...state, composing: false, composed: event.data || state.composed };
      if (!state.sendOnCommit) return { state: ended };
      return { state: { ...ended, sendOnCommit: false, scheduled: true }, schedule: true };
    }
    case "input":
      return { state: { ...state, composed: event.data || state.composed } };
    case "keydown":
      return event.key === "Enter" && !event.modified ? enter(state, event) : otherKey(state, event);
    case "keyup":
      return { state: event.key === "Enter" ? { ...state, spent: false } : state };
    case "linebreak":
      // The newline that the same press would still insert.
      return { state, prevent: state.scheduled || state.spent };
    case "blur":
      return { state: IDLE };
    case "timer":
      if (!state.scheduled) return { state };
      return { state: { ...IDLE, spent: true }, send: true };
  }
}

function enter(state: EnterState, event: { keyCode: number; isComposing: boolean }): Verdict {
  if (state.composing || event.isComposing) {
    return { state: { ...state, sendOnCommit: isHangul(state.composed) } };
  }
  if (state.scheduled || state.spent) return { state, prevent: true };
  if (event.keyCode === BY_INPUT_METHOD && state.composed !== "") {
    if (!isHangul(state.composed)) return { state: { ...state, composed: "" } };
    return { state: { ...state, scheduled: true }, schedule: true };
  }
  return { state: { ...IDLE, spent: true }, prevent: true, send: true };
}

function otherKey(state: EnterState, event: { key: string; keyCode: number }): Verdict {
  if (event.key === "Escape") return { state: { ...state, sendOnCommit: false, scheduled: false } };
  if (event.keyCode === BY_INPUT_METHOD) return { state };
  return { state: { ...state, composed: "", spent: false } };
}
