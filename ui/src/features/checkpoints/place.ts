// Bringing checkpoints to another place: it goes on while its dialog is closed.
import { create } from "zustand";
import { call, stream, toFailure, type Kept, type MoveEvent, type ProjectId } from "@/ipc";

interface Run {
  /** The project whose checkpoints are on their way, and where to; null while nothing runs here. */
  moving: { projectId: ProjectId; to: Kept; event: MoveEvent } | null;
  failure: unknown;
}

export const usePlaceRun = create<Run>(() => ({ moving: null, failure: null }));

const { setState: set } = usePlaceRun;

export async function move(projectId: ProjectId, to: Kept): Promise<void> {
  set({ moving: { projectId, to, event: { done: 0, total: 0 } }, failure: null });
  try {
    await stream("checkpoint_place_move", { project_id: projectId, to }, (event) =>
      set({ moving: { projectId, to, event } }),
    );
    set({ moving: null });
  } catch (thrown) {
    // What was stopped is where it was, and the dialog shows it so.
    set({ moving: null, failure: toFailure(thrown).code === "cancelled" ? null : thrown });
  }
}

/** Also one that another window, or this one before it was opened again, began. */
export function cancelMove(id: ProjectId): void {
  // One that has ended meanwhile is not there to be stopped.
  call("checkpoint_place_cancel", { id }).catch(() => {});
}
