// Writing the first copy, or deleting it: that goes on while its dialog is closed.
import { create } from "zustand";
import { call, stream, toFailure, type Kept, type CopyEvent, type ProjectId } from "@/ipc";

interface Run {
  /** The project whose copy is worked on, and what is to be; null while nothing runs here. */
  placing: { projectId: ProjectId; to: Kept; event: CopyEvent } | null;
  failure: unknown;
}

export const usePlaceRun = create<Run>(() => ({ placing: null, failure: null }));

const { setState: set } = usePlaceRun;

export async function setPlace(projectId: ProjectId, to: Kept): Promise<void> {
  set({ placing: { projectId, to, event: { done: 0, total: 0 } }, failure: null });
  try {
    await stream("checkpoint_place_set", { project_id: projectId, to }, (event) =>
      set({ placing: { projectId, to, event } }),
    );
    set({ placing: null });
  } catch (thrown) {
    // What was stopped leaves no copy, and the dialog shows it so.
    set({ placing: null, failure: toFailure(thrown).code === "cancelled" ? null : thrown });
  }
}

/** Also one that another window, or this one before it was opened again, began. */
export function cancelPlacing(id: ProjectId): void {
  // One that has ended meanwhile is not there to be stopped.
  call("checkpoint_place_cancel", { id }).catch(() => {});
}
