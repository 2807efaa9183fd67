// What the interface asks of its host: one command table, streams, and what the host says unasked.
// Implemented by tauri.ts (the window), dev.ts (a plain browser) and src/test/host (tests).
import type { Changed, Commands, PathOffered } from "./bindings";

export type Command = keyof Commands;
export type RequestOf<C extends Command> = Commands[C]["request"];
export type ReplyOf<C extends Command> = Commands[C]["reply"];
export type EventOf<C extends Command> = Commands[C]["event"];
export type StreamCommand = {
  [C in Command]: [EventOf<C>] extends [never] ? never : C;
}[Command];
export type PlainCommand = Exclude<Command, StreamCommand>;

/** Files or folders held over the window by the system's own drag. */
export type DragDrop =
  | { type: "enter"; paths: string[] }
  | { type: "over" }
  | { type: "drop"; paths: string[] }
  | { type: "leave" };

export type Unlisten = () => void;

export interface Transport {
  invoke<C extends PlainCommand>(command: C, request: RequestOf<C>): Promise<ReplyOf<C>>;
  /** Resolves when the command ends; `onEvent` is called in order until then. */
  stream<C extends StreamCommand>(
    command: C,
    request: RequestOf<C>,
    onEvent: (event: EventOf<C>) => void,
  ): Promise<ReplyOf<C>>;
  onChanged(listener: (changed: Changed) => void): Unlisten;
  onPathOffered(listener: (offered: PathOffered) => void): Unlisten;
  onDragDrop(listener: (event: DragDrop) => void): Unlisten;
}
