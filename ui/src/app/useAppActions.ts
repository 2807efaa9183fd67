// The actions that need no conversation.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { closeOverlay, goToMemory, goToStart, goToVault, goToWork, leaveMemory, leaveVault, openOverlay, showContext, toggleSide, useAction, usePlace } from "@/app/actions";
import { importConversation, startConversation } from "@/features/conversations";
import { pickFolder } from "@/features/drop";
import { tellFailure } from "@/features/errors";
import { runThere } from "@/features/vault/run";
import { queries } from "@/ipc/queries";
import { writeSettings } from "@/ipc/settings";
import { useTranslation } from "@/shared/i18n";

const STEP = 10;

export function useAppActions(): void {
  const { t } = useTranslation(["actions", "rail"]);
  const client = useQueryClient();
  const { data: settings } = useQuery(queries.settings());
  const projectId = usePlace((place) => place.projectId);
  const conversationId = usePlace((place) => place.conversationId);

  useAction("palette", () => openOverlay({ kind: "palette", mode: "all" }));
  useAction("conversations", () => openOverlay({ kind: "palette", mode: "conversations" }));
  useAction("model", () => openOverlay({ kind: "palette", mode: "models" }), conversationId === null ? t("unavailable") : null);
  useAction("new", () => void startConversation(client, projectId));
  useAction("talk", () => void startConversation(client, null));
  useAction("openFolder", () => {
    closeOverlay();
    void pickFolder(client);
  });
  useAction("search", () => openOverlay({ kind: "search" }));
  useAction("rail", () => toggleSide("rail"));
  useAction(
    "context",
    () => (usePlace.getState().contextOf === "next" ? toggleSide("pane") : showContext("next")),
    conversationId === null ? t("unavailable") : null,
  );
  useAction("import", () => void importConversation());
  const memory = usePlace((place) => place.memory);
  const { data: conversations } = useQuery(queries.conversations(null));
  const conversation = conversations?.find(({ id }) => id === conversationId);
  const here = conversation ? conversation.project_id : projectId;
  useAction("memory", () => {
    if (memory !== null) return leaveMemory();
    goToMemory({ projectId: here, conversationId });
  });
  const vault = usePlace((place) => place.vault !== null);
  useAction("vault", () => (vault ? leaveVault() : goToVault()));
  useAction("vaultScan", () => void runThere("scan"));
  useAction("vaultVerify", () => void runThere("verify"));
  useAction("work", () => goToWork(here!), here === null ? t("projectFirst", { ns: "rail" }) : null);
  useAction("trash", () => openOverlay({ kind: "trash" }));
  useAction("start", goToStart);
  useAction("settings", () => openOverlay({ kind: "settings", tab: "general" }));
  useAction("keys", () => openOverlay({ kind: "keys" }));

  const zoom = (to: (now: number) => number) => () => {
    if (!settings) return;
    const next = Math.min(200, Math.max(50, to(settings.zoom)));
    if (next !== settings.zoom) writeSettings(settings, { ...settings, zoom: next }).catch(tellFailure);
  };
  useAction("zoomIn", zoom((now) => now + STEP));
  useAction("zoomOut", zoom((now) => now - STEP));
  useAction("zoomReset", zoom(() => 100));
}
