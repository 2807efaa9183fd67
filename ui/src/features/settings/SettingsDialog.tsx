// The dialog and its pages. Every change applies at once; there is nothing to save.
import { closeOverlay, openOverlay, type SettingsTab } from "@/app/actions";
import { RemotesPage } from "@/features/remotes";
import { ServersPage } from "@/features/tools";
import type { AppInfo } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Dialog, Tabs } from "@/shared/kit";
import { AboutPage, DataPage } from "./DataPage";
import { CheckpointsPage } from "./CheckpointsPage";
import { GeneralPage } from "./GeneralPage";
import { MemoryPage } from "./MemoryPage";
import { ModelsPage } from "./ModelsPage";
import { NetworkPage } from "./NetworkPage";
import { PrivacyPage } from "./PrivacyPage";
import { ProjectsPage } from "./ProjectsPage";
import { RecallPage } from "./RecallPage";
import css from "./settings.module.css";
import { ShortcutsPage } from "./ShortcutsPage";
import { SpendingPage } from "./SpendingPage";
import { SummariesPage } from "./SummariesPage";
import { ToolsPage } from "./ToolsPage";

interface SettingsDialogProps {
  tab: SettingsTab;
  /** On the page of models: whose key is to be entered. */
  provider?: string;
  info: AppInfo;
}

export function SettingsDialog({ tab, provider, info }: SettingsDialogProps) {
  const { t } = useTranslation("settings");
  return (
    <Dialog open size="l" onClose={closeOverlay} title={t("title")}>
      <div className={css.dialog}>
        <Tabs<SettingsTab>
          label={t("title")}
          value={tab}
          onChange={(next) => openOverlay({ kind: "settings", tab: next })}
          tabs={[
            { value: "general", label: t("tabs.general"), content: <GeneralPage /> },
            { value: "models", label: t("tabs.models"), content: <ModelsPage provider={provider} /> },
            { value: "summaries", label: t("tabs.summaries"), content: <SummariesPage /> },
            { value: "recall", label: t("tabs.recall"), content: <RecallPage /> },
            { value: "memory", label: t("tabs.memory"), content: <MemoryPage /> },
            { value: "checkpoints", label: t("tabs.checkpoints"), content: <CheckpointsPage /> },
            { value: "remotes", label: t("tabs.remotes"), content: <RemotesPage /> },
            { value: "tools", label: t("tabs.tools"), content: <ToolsPage /> },
            { value: "servers", label: t("tabs.servers"), content: <ServersPage /> },
            { value: "privacy", label: t("tabs.privacy"), content: <PrivacyPage /> },
            { value: "network", label: t("tabs.network"), content: <NetworkPage /> },
            { value: "spending", label: t("tabs.spending"), content: <SpendingPage /> },
            { value: "projects", label: t("tabs.projects"), content: <ProjectsPage /> },
            { value: "shortcuts", label: t("tabs.shortcuts"), content: <ShortcutsPage /> },
            { value: "data", label: t("tabs.data"), content: <DataPage info={info} /> },
            { value: "about", label: t("tabs.about"), content: <AboutPage info={info} /> },
          ]}
        />
      </div>
    </Dialog>
  );
}
