// Chords are read by what a key means, and by its place when the layout is not Latin.
import { describe, expect, it } from "vitest";
import { actionFor, chordFor, chordOf, isBindable } from "./chords";
import { ACTIONS } from "./table";

const press = (init: KeyboardEventInit) => chordOf(new KeyboardEvent("keydown", init));

describe("chords", () => {
  it("name letters on Latin, Dvorak and Hangul layouts", () => {
    expect(press({ key: "k", code: "KeyK", ctrlKey: true })).toBe("Mod+K");
    expect(press({ key: "k", code: "KeyV", ctrlKey: true })).toBe("Mod+K");
    expect(press({ key: "ㅏ", code: "KeyK", ctrlKey: true })).toBe("Mod+K");
    expect(press({ key: "Process", code: "KeyF", ctrlKey: true, shiftKey: true })).toBe("Mod+Shift+F");
  });

  it("name the rest", () => {
    expect(press({ key: ",", code: "Comma", ctrlKey: true })).toBe("Mod+,");
    expect(press({ key: "ArrowLeft", code: "ArrowLeft", altKey: true })).toBe("Alt+Left");
    expect(press({ key: "F6", code: "F6", shiftKey: true })).toBe("Shift+F6");
    expect(press({ key: "+", code: "Equal", ctrlKey: true, shiftKey: true })).toBe("Mod+=");
    expect(press({ key: "Control", code: "ControlLeft", ctrlKey: true })).toBeNull();
  });

  it("belong to one action each, built in and rebound", () => {
    const chords = ACTIONS.map(({ chord }) => chord).filter((chord) => chord !== "");
    expect(new Set(chords).size).toBe(chords.length);
    const keys = { palette: "Mod+J", search: "" };
    expect(actionFor("Mod+J", keys)).toBe("palette");
    expect(actionFor("Mod+K", keys)).toBeUndefined();
    expect(chordFor("search", keys)).toBe("");
  });

  it("refuse what typing makes", () => {
    expect(["Mod+J", "Alt+Left", "F8", "Shift+F8"].every(isBindable)).toBe(true);
    expect(["J", "Shift+J", "Enter", "Shift+Enter", "Up"].some(isBindable)).toBe(false);
  });
});
