// Of two changes of the settings that follow each other quickly none takes the other back, wherever they are made.
import { expect, it } from "vitest";
import { setTransport, type Settings, type Transport } from ".";
import { putUpon, readSettings, writeSettings } from "./settings";

it("puts what is wanted otherwise upon what it is now", () => {
  const seen = { theme: "system", summary: { threshold: 1, keep: 2 }, keys: { a: "A", b: "B" }, files: ["x"] };
  const now = { theme: "dark", summary: { threshold: 1, keep: 9 }, keys: { a: "A", b: "B", c: "C" }, files: ["x", "y"] };
  const wanted = { ...seen, summary: { threshold: 5, keep: 2 }, keys: { a: "A" }, files: ["z"] };
  expect(putUpon<unknown>(now, seen, wanted)).toEqual({
    theme: "dark", summary: { threshold: 5, keep: 9 }, keys: { a: "A", c: "C" }, files: ["z"],
  });
  expect(putUpon<unknown>({ limit: 7 }, { limit: 7 }, { limit: null })).toEqual({ limit: null });
});

it("keeps two changes that were made of one state, and reads after both", async () => {
  let stored = { zoom: 100, notify: false } as Settings;
  const invoke = async (command: string, next: Settings) => {
    await Promise.resolve();
    if (command === "settings_set") stored = next;
    return stored;
  };
  setTransport({ invoke } as unknown as Transport);
  const seen = stored;
  const both = Promise.all([writeSettings(seen, { ...seen, zoom: 150 }), writeSettings(seen, { ...seen, notify: true })]);
  expect(await readSettings()).toEqual({ zoom: 150, notify: true });
  await both;
});
