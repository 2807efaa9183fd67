// A download of a newer version: it goes on while the settings are closed.
import { create } from "zustand";
import { call, stream, toFailure, type UpdateEvent } from "@/ipc";

interface Updating {
  run: { id: string; event: UpdateEvent } | null;
  failure: unknown;
}

export const useUpdating = create<Updating>(() => ({ run: null, failure: null }));

const { setState: set, getState: get } = useUpdating;

/** Fetches the package of the version that is shown. */
export async function fetchUpdate(version: string): Promise<void> {
  if (get().run) return;
  const id = crypto.randomUUID();
  set({ run: { id, event: { bytes: 0, of: null } }, failure: null });
  try {
    await stream("update_get", { version, work_id: id }, (event) => set({ run: { id, event } }));
    set({ run: null });
  } catch (thrown) {
    set({ run: null, failure: toFailure(thrown).code === "cancelled" ? null : thrown });
  }
}

export function cancelUpdate(): void {
  const { run } = get();
  // One that has ended meanwhile is not there to be cancelled.
  if (run) call("update_cancel", { work_id: run.id }).catch(() => {});
}

/** What went wrong before is of no matter any more. */
export function forgetFailure(): void {
  set({ failure: null });
}
