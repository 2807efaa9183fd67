// The import of an export of another service: it goes on while its dialog is closed, and says at the end what came in.
import { create } from "zustand";
import { closeOverlay, goToConversation, openOverlay, usePlace } from "@/app/actions";
import { call, stream, type ImportedAll, type ImportEvent } from "@/ipc";
import { formatNumber, i18n } from "@/shared/i18n";
import { toast } from "@/shared/kit";

interface Importing {
  id: string | null;
  event: ImportEvent;
}

const NOTHING: ImportEvent = { done: 0, total: 0 };

export const useImporting = create<Importing>(() => ({ id: null, event: NOTHING }));

const { setState: set, getState: get } = useImporting;

/** Whether one is on its way; its dialog is shown then. */
export function showImport(): boolean {
  if (get().id === null) return false;
  openOverlay({ kind: "import" });
  return true;
}

/** Imports everything of an opened file. A failure is thrown; what came in before it stays. */
export async function importAll(import_id: string): Promise<void> {
  set({ id: import_id, event: NOTHING });
  openOverlay({ kind: "import" });
  try {
    tellImported(await stream("conversation_import_all", { import_id }, (event) => set({ event })));
  } finally {
    set({ id: null });
    if (usePlace.getState().overlay?.kind === "import") closeOverlay();
  }
}

export function cancelImport(): void {
  const { id } = get();
  // One that has ended meanwhile is not there to be cancelled.
  if (id !== null) call("conversation_import_cancel", { import_id: id }).catch(() => {});
}

function tellImported(done: ImportedAll): void {
  const said = (key: "done" | "already" | "empty" | "unreadable" | "left_out", count: number) =>
    i18n.t(`importing.${key}`, { ns: "rail", count, n: formatNumber(count) });
  const text = [
    done.cancelled && i18n.t("importing.cancelled", { ns: "rail" }),
    said("done", done.conversations),
    done.already > 0 && said("already", done.already),
    done.empty > 0 && said("empty", done.empty),
    done.unreadable > 0 && said("unreadable", done.unreadable),
    done.left_out > 0 && said("left_out", done.left_out),
  ];
  const { latest } = done;
  toast({
    text: text.filter(Boolean).join(" "),
    tone: done.unreadable > 0 ? "warn" : "info",
    timeout: 0,
    ...(latest && { action: { label: i18n.t("importing.open", { ns: "rail" }), run: () => goToConversation(latest) } }),
  });
}
