// The actions that need no conversation.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { closeOverlay, goToCopies, goToMemory, goToStart, goToToday, goToVault, leaveCopies, leaveMemory, leaveToday, leaveVault, openOverlay, showContext, toggleSide, useAction, usePlace } from "@/app/actions";
import { importConversation, startConversation, useHere } from "@/features/conversations";
import { pickFolder } from "@/features/drop";
import { tellFailure } from "@/features/errors";
import { runThere } from "@/features/vault/run";
import { originalOf } from "@/ipc/copies";
import { queries } from "@/ipc/queries";
import { writeSettings } from "@/ipc/settings";
import { useTranslation } from "@/shared/i18n";

const STEP = 10;

export function useAppActions(): void {
  const { t } = useTranslation(["actions", "rail"]);
  const client = useQueryClient();
  const { data: settings } = useQuery(queries.settings());
  const projectId = usePlace((place) => place.projectId);
  const here = useHere();
  const noConversation = here.conversationId === null ? t("unavailable") : null;

  useAction("palette", () => openOverlay({ kind: "palette", mode: "all" }));
  useAction("conversations", () => openOverlay({ kind: "palette", mode: "conversations" }));
  useAction("model", () => openOverlay({ kind: "palette", mode: "models" }), noConversation);
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
    noConversation,
  );
  useAction("import", () => void importConversation());
  const memory = usePlace((place) => place.memory);
  useAction("memory", () => (memory === null ? goToMemory(here) : leaveMemory()));
  useAction("skills", () => openOverlay({ kind: "skills", ...here }));
  const covered = usePlace((place) => place.memory !== null || place.checkpoints !== null || place.vault !== null);
  const today = usePlace((place) => place.today !== null) && !covered;
  useAction(
    "today",
    () => (today ? leaveToday() : goToToday(here.projectId!)),
    here.projectId === null ? t("projectFirst", { ns: "rail" }) : null,
  );
  const { data: projects = [] } = useQuery(queries.projects());
  const project = originalOf(projects, here.projectId);
  const copies = usePlace((place) => place.copies !== null) && !covered;
  const noProject = project === undefined ? t("projectFirst", { ns: "rail" }) : null;
  useAction("copies", () => (copies ? leaveCopies() : goToCopies(project!.id)), noProject);
  useAction(
    "startCopies",
    () => openOverlay({ kind: "startCopies", projectId: project!.id }),
    project?.trust === "untrusted" ? t("notTrusted") : noProject,
  );
  const vault = usePlace((place) => place.vault !== null);
  useAction("vault", () => (vault ? leaveVault() : goToVault()));
  useAction("vaultScan", () => void runThere("scan"));
  useAction("vaultVerify", () => void runThere("verify"));
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
