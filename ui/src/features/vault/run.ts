// Keeping what is new, or reading everything that is kept: it goes on while the screen is closed, one at a time.
import { create } from "zustand";
import { goToVault } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, stream, toFailure, type VaultEvent, type VaultScanned, type VaultVerified } from "@/ipc";

type What = "scan" | "verify";

interface VaultRun {
  run: { id: string; what: What; event: VaultEvent } | null;
  /** What the last one came to, until it is put away. */
  told: { what: "scan"; result: VaultScanned } | { what: "verify"; result: VaultVerified } | { what: "stopped" } | null;
  failure: unknown;
}

export const useVaultRun = create<VaultRun>(() => ({ run: null, told: null, failure: null }));

const { setState: set, getState: get } = useVaultRun;

/** Keeps what is new in the folders that were agreed to. */
export const scan = () =>
  follow("scan", async (work_id, onEvent) => ({ what: "scan", result: await stream("vault_scan", { work_id, paths: [] }, onEvent) }));

/** Reads every byte that is kept. */
export const verify = () =>
  follow("verify", async (work_id, onEvent) => ({ what: "verify", result: await stream("vault_verify", { work_id }, onEvent) }));

/** Opens the screen and does it there, as far as the person said yes to anything. */
export async function runThere(what: What): Promise<void> {
  goToVault();
  try {
    const { kept } = await call("vault_status");
    const there = what === "scan" ? kept.some(({ agreed }) => agreed) : kept.some(({ files }) => files > 0);
    if (there) await (what === "scan" ? scan() : verify());
  } catch (thrown) {
    tellFailure(thrown);
  }
}

export function cancelRun(): void {
  const { run } = get();
  // One that has ended meanwhile is not there to be cancelled.
  if (run) call("vault_cancel", { work_id: run.id }).catch(() => {});
}

export function putAway(): void {
  set({ told: null, failure: null });
}

async function follow(
  what: What,
  start: (id: string, onEvent: (event: VaultEvent) => void) => Promise<NonNullable<VaultRun["told"]>>,
): Promise<void> {
  if (get().run !== null) return;
  const id = crypto.randomUUID();
  set({ run: { id, what, event: { files: 0, of: 0, bytes: 0 } }, told: null, failure: null });
  try {
    const told = await start(id, (event) => set({ run: { id, what, event } }));
    set({ run: null, told });
  } catch (thrown) {
    const stopped = toFailure(thrown).code === "cancelled";
    set({ run: null, told: stopped ? { what: "stopped" } : null, failure: stopped ? null : thrown });
  }
}
