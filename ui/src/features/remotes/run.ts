// A push or pull: it goes on while its dialog is closed.
import { create } from "zustand";
import { call, stream, toFailure, type Carried, type CarryEvent, type CheckpointId, type ProjectId } from "@/ipc";

interface Run {
  id: string;
  way: "push" | "pull";
  event: CarryEvent;
}

interface Carrying {
  run: Run | null;
  /** What the last one came to. */
  carried: { way: Run["way"]; result: Carried } | null;
  failure: unknown;
}

export const useCarrying = create<Carrying>(() => ({ run: null, carried: null, failure: null }));

const { setState: set, getState: get } = useCarrying;

/** Sends what the remote lacks. */
export const push = (remote: string, project_id: ProjectId) =>
  follow("push", (carry_id, onEvent) => stream("checkpoint_push", { remote, project_id, carry_id }, onEvent));

/** Fetches these, or all where none is named. */
export const pull = (remote: string, project_id: ProjectId, ids: CheckpointId[]) =>
  follow("pull", (carry_id, onEvent) => stream("checkpoint_pull", { remote, project_id, ids, carry_id }, onEvent));

export function cancelCarrying(): void {
  const { run } = get();
  // One that has ended meanwhile is not there to be cancelled.
  if (run) call("remote_cancel", { carry_id: run.id }).catch(() => {});
}

async function follow(
  way: Run["way"],
  start: (id: string, onEvent: (event: CarryEvent) => void) => Promise<Carried>,
): Promise<void> {
  const id = crypto.randomUUID();
  set({ run: { id, way, event: { done: 0, total: 0, bytes: 0 } }, carried: null, failure: null });
  try {
    const result = await start(id, (event) => set({ run: { id, way, event } }));
    set({ run: null, carried: { way, result } });
  } catch (thrown) {
    // What went over stays; the next run takes the rest.
    set({ run: null, failure: toFailure(thrown).code === "cancelled" ? null : thrown });
  }
}
