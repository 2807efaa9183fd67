// The settings are kept whole, and changed in parts. Changes go to the host one after the other, each put upon what is
// stored by then: of two that follow each other quickly, here or in another program, none takes the other back.
import { call, transport } from ".";
import type { Settings } from "./bindings";

/** The last change that each host was asked for. */
const writing = new WeakMap<ReturnType<typeof transport>, Promise<unknown>>();

/** Once no change is on its way any more. */
const written = async () => void (await writing.get(transport()));

/** The settings, once no change is on its way. */
export async function readSettings(): Promise<Settings> {
  await written();
  return call("settings_get");
}

/** Stores what somebody who had seen one state wants otherwise. */
export function writeSettings(seen: Settings, wanted: Settings): Promise<Settings> {
  const change = written().then(async () => call("settings_set", putUpon(await call("settings_get"), seen, wanted)));
  writing.set(
    transport(),
    change.catch(() => {}),
  );
  return change;
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
