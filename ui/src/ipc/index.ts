// The one door to the host. Features call `call` and `stream`; failures arrive as `Failure`.
// In the built app the host is Tauri and nothing else is in the bundle; in `vite` without Tauri and
// in tests it is the program without its window.
import { tauri } from "./tauri";
import { toFailure } from "./failure";
import type {
  DragDrop,
  EventOf,
  PlainCommand,
  ReplyOf,
  RequestOf,
  StreamCommand,
  Transport,
  Unlisten,
} from "./transport";
import type { Changed, PathOffered } from "./bindings";

export type * from "./bindings";
export type * from "./transport";
export * from "./failure";

let host: Promise<Transport> | undefined;

/** The host that is spoken to. */
export function transport(): Promise<Transport> {
  return (host ??= connect());
}

async function connect(): Promise<Transport> {
  if (import.meta.hot && !("__TAURI_INTERNALS__" in window)) {
    return (await import("./dev")).dev(import.meta.hot);
  }
  return tauri;
}

/** Puts another host in place; for tests. */
export function setTransport(next: Transport): void {
  host = Promise.resolve(next);
}

const hearDamage = new Set<() => void>();

/** Hears whenever the host could not read something that it keeps. */
export function onDamage(listener: () => void): Unlisten {
  hearDamage.add(listener);
  return () => void hearDamage.delete(listener);
}

function failed(thrown: unknown) {
  const failure = toFailure(thrown);
  if (failure.code === "damaged") for (const listener of hearDamage) listener();
  return failure;
}

/** Runs a command. Rejects with a `Failure`. */
export async function call<C extends PlainCommand>(
  command: C,
  ...request: RequestOf<C> extends null ? [] : [RequestOf<C>]
): Promise<ReplyOf<C>> {
  const to = await transport();
  try {
    return await to.invoke(command, request[0] ?? null);
  } catch (thrown) {
    throw failed(thrown);
  }
}

/** Runs a command that reports on its way. Rejects with a `Failure`. */
export async function stream<C extends StreamCommand>(
  command: C,
  request: RequestOf<C>,
  onEvent: (event: EventOf<C>) => void,
): Promise<ReplyOf<C>> {
  const to = await transport();
  try {
    return await to.stream(command, request, onEvent);
  } catch (thrown) {
    throw failed(thrown);
  }
}

function listening(start: (to: Transport) => Unlisten): Unlisten {
  let stop: Unlisten | undefined;
  let stopped = false;
  void transport().then((to) => {
    if (!stopped) stop = start(to);
  });
  return () => {
    stopped = true;
    stop?.();
  };
}

export const onChanged = (listener: (changed: Changed) => void) =>
  listening((to) => to.onChanged(listener));
export const onPathOffered = (listener: (offered: PathOffered) => void) =>
  listening((to) => to.onPathOffered(listener));
export const onDragDrop = (listener: (event: DragDrop) => void) =>
  listening((to) => to.onDragDrop(listener));
