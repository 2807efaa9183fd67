// The page's end of the development server's program (vite.program.ts), for `vite` in a plain browser. What only a window
// has is refused by the program, but for the folder, which the person writes.
import type { Changed } from "./bindings";
import type { Transport } from "./transport";

interface Line {
  id?: number;
  reply?: unknown;
  failure?: unknown;
  event?: unknown;
  changed?: Changed;
}

export function dev(hot: NonNullable<ImportMeta["hot"]>): Transport {
  // Every page hears every line, so no two may ask by the same number.
  let last = Math.floor(Math.random() * 2 ** 32) * 2 ** 20;
  const waiting = new Map<number, (line: Line) => void>();
  const listeners = new Set<(changed: Changed) => void>();
  hot.on("siltstone:line", (line: Line) => {
    if (line.changed) listeners.forEach((listener) => listener(line.changed!));
    else waiting.get(line.id ?? 0)?.(line);
  });
  const call = (command: string, request: unknown, onEvent: (event: never) => void = () => {}) =>
    new Promise<never>((done, failed) => {
      const id = (last += 1);
      waiting.set(id, ({ reply, failure, event }) => {
        if (event !== undefined) return onEvent(event as never);
        waiting.delete(id);
        if (failure === undefined) done(reply as never);
        else failed(failure);
      });
      hot.send("siltstone:line", { id, command, request });
    });
  return {
    invoke: async (command, request) => (command === "pick_folder" ? window.prompt("/") : call(command, request)),
    stream: call,
    onChanged: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onPathOffered: () => () => {},
    onDragDrop: () => () => {},
  };
}
