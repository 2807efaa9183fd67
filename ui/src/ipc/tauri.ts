// The real host: Tauri's commands, channels and events. The only file that imports @tauri-apps.
import { Channel, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import type { Changed, PathOffered } from "./bindings";
import type { DragDrop, EventOf, Transport, Unlisten } from "./transport";

/** Tauri gives the way to stop listening later than we may want to use it. */
function later(listening: Promise<Unlisten>): Unlisten {
  return () => void listening.then((stop) => stop());
}

export const tauri: Transport = {
  invoke: (command, request) => invoke(command, { request }),
  stream: (command, request, onEvent) => {
    const channel = new Channel<EventOf<typeof command>>();
    channel.onmessage = onEvent;
    return invoke(command, { request, channel });
  },
  onChanged: (listener) => later(listen<Changed>("changed", ({ payload }) => listener(payload))),
  onPathOffered: (listener) =>
    later(listen<PathOffered>("path_offered", ({ payload }) => listener(payload))),
  onDragDrop: (listener) =>
    later(getCurrentWebview().onDragDropEvent(({ payload }) => listener(plain(payload)))),
};

function plain(event: { type: DragDrop["type"]; paths?: string[] }): DragDrop {
  if (event.type === "enter" || event.type === "drop") {
    return { type: event.type, paths: event.paths ?? [] };
  }
  return { type: event.type };
}
