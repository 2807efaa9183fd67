// Replays of what the engines send for one press of Enter.
import { describe, expect, it } from "vitest";
import { IDLE, step, type EnterEvent, type EnterState } from "./hangulEnter";

const TASK = "next macrotask" as const;
type Replay = (EnterEvent | typeof TASK)[];

const start: EnterEvent = { type: "compositionstart", data: "" };
const update = (data: string): EnterEvent => ({ type: "compositionupdate", data });
const end = (data: string): EnterEvent => ({ type: "compositionend", data });
const input = (data: string | null): EnterEvent => ({ type: "input", data });
const keyup: EnterEvent = { type: "keyup", key: "Enter" };
const linebreak: EnterEvent = { type: "linebreak" };
const key = (name: string, keyCode: number, isComposing = false, modified = false): EnterEvent => ({
  type: "keydown", key: name, keyCode, isComposing, modified,
});
const enter = key("Enter", 13);

/** How often the replay sends, and whether a newline got through behind the first Enter. */
function play(replay: Replay): { sends: number; newline: boolean } {
  let state: EnterState = IDLE;
  let pending = false;
  let sends = 0;
  let newline = false;
  const feed = (event: EnterEvent) => {
    const verdict = step(state, event);
    state = verdict.state;
    if (verdict.send) sends += 1;
    if (verdict.schedule) pending = true;
    if (event.type === "linebreak" && !verdict.prevent) newline = true;
  };
  for (const item of [...replay, TASK]) {
    if (item !== TASK) feed(item);
    else if (pending) {
      pending = false;
      feed({ type: "timer" });
    }
  }
  return { sends, newline };
}

const typed: Replay = [key("Process", 229), start, update("ㅎ"), update("하"), update("한")];

const once: Record<string, Replay> = {
  "plain Enter": [key("a", 65), input("a"), enter, keyup],
  "held Enter": [enter, enter, enter, keyup],
  "Chrome, one keydown": [...typed, key("Enter", 229, true), end("한"), TASK, keyup],
  "Chrome, newline behind the commit": [...typed, key("Enter", 229, true), end("한"), linebreak, TASK, keyup],
  "Chrome, second keydown at once": [...typed, key("Enter", 229, true), end("한"), enter, linebreak, TASK, keyup],
  "Chrome, second keydown later": [...typed, key("Enter", 229, true), end("한"), TASK, enter, linebreak, keyup],
  "WebKit, keydown 229 after compositionend": [...typed, end("한"), key("Enter", 229), TASK, keyup],
  "WebKit, a task between the two": [...typed, end("한"), TASK, key("Enter", 229), linebreak, TASK, keyup],
  "WebKit, real keydown behind 229": [...typed, end("한"), key("Enter", 229), TASK, enter, keyup],
  "WebKit, end without data": [...typed, end(""), key("Enter", 229), TASK, keyup],
  "WebKitGTK, text first, then 229": [...typed, input("한"), end("한"), key("Enter", 229), TASK, keyup],
  "WebKitGTK, 229 before compositionend": [...typed, input("한"), key("Enter", 229, true), end("한"), TASK, enter, keyup],
  "WebKitGTK 2.50 with ibus-hangul, as recorded": [
    ...typed, key("Unidentified", 229, true), end(""), key("Unidentified", 229), input("한"), end("한"), enter, keyup, TASK,
  ],
  "WebKitGTK without preedit": [key("Process", 229), input("한"), key("Enter", 229), TASK, keyup],
  "WebKitGTK without preedit, both keydowns": [input("한"), key("Enter", 229), enter, linebreak, TASK, keyup],
  "229 with nothing composed": [key("a", 65), input("a"), key("b", 66), key("Enter", 229), keyup],
};

const never: Record<string, Replay> = {
  "Shift+Enter while composing": [...typed, key("Enter", 229, true, true), end("한"), TASK, keyup],
  "Japanese candidate, Chrome": [start, update("漢字"), key("Enter", 229, true), end("漢字"), TASK, keyup],
  "Japanese candidate, WebKit": [start, update("かな"), end("かな"), key("Enter", 229), TASK, keyup],
  "Chinese candidate, WebKitGTK without preedit": [input("你好"), key("Enter", 229), TASK, keyup],
  "Escape before the commit": [...typed, key("Enter", 229, true), key("Escape", 229), end("한"), TASK, keyup],
  "focus lost before the commit": [...typed, key("Enter", 229, true), { type: "blur" }, end("한"), TASK],
  "focus lost behind the commit": [...typed, key("Enter", 229, true), end("한"), { type: "blur" }, TASK],
  "next syllable already begun": [...typed, key("Enter", 229, true), end("한"), start, TASK],
  "composition that ends by itself": [...typed, end("한"), TASK, key(" ", 32), input(" ")],
};

describe("Enter", () => {
  it.each(Object.entries(once))("sends once: %s", (_, replay) => {
    expect(play(replay)).toEqual({ sends: 1, newline: false });
  });

  it.each(Object.entries(never))("does not send: %s", (_, replay) => {
    expect(play(replay).sends).toBe(0);
  });

  it("sends again at the next press, and Japanese at the second", () => {
    expect(play([...once["Chrome, second keydown later"]!, ...typed, key("Enter", 229, true), end("한"), TASK, keyup]).sends).toBe(2);
    expect(play([...never["Japanese candidate, WebKit"]!, enter, keyup]).sends).toBe(1);
    expect(play([...never["Japanese candidate, WebKit"]!, key("Enter", 229), keyup]).sends).toBe(1);
  });
});
