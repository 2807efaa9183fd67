// The settings are kept whole, and changed in parts. Changes go to the host one after the other, each put upon what is
// stored by then: of two that follow each other quickly, here or in another program, none takes the other back.
import { call } from ".";
import type { Settings } from "./bindings";

let writing: Promise<unknown> = Promise.resolve();

/** The settings, once no change is on its way. */
export async function readSettings(): Promise<Settings> {
  await writing;
  return call("settings_get");
}

/** Stores what somebody who had seen one state wants otherwise. */
export function writeSettings(seen: Settings, wanted: Settings): Promise<Settings> {
  const written = writing.then(async () => call("settings_set", putUpon(await call("settings_get"), seen, wanted)));
  writing = written.catch(() => {});
  return written;
}

/** What is wanted otherwise than it was seen, upon what it is now. Lists are one value. */
export function putUpon<T>(now: T, seen: T, wanted: T): T {
  if (!isRecord(now) || !isRecord(seen) || !isRecord(wanted)) {
    return JSON.stringify(seen) === JSON.stringify(wanted) ? now : wanted;
  }
  const keys = new Set([...Object.keys(now), ...Object.keys(wanted)]);
  const put = [...keys].map((key) => [key, putUpon(now[key], seen[key], wanted[key])] as const);
  return Object.fromEntries(put.filter(([, value]) => value !== undefined)) as T;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
