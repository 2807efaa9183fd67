// The dialog and its pages, in groups below each other. Every change applies at once; there is nothing to save.
import type { ReactNode } from "react";
import { closeOverlay, openOverlay, SETTINGS, useMedia, type SettingsTab } from "@/app/actions";
import { RemotesPage } from "@/features/remotes";
import { ServersPage } from "@/features/tools";
import type { AppInfo } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Dialog, Select, Tabs } from "@/shared/kit";
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

/** With less room the pages are chosen from a list: a narrow window, or everything made large. */
const ROOM = "(min-width: 700px)";

export function SettingsDialog({ tab, provider, info }: SettingsDialogProps) {
  const { t } = useTranslation("settings");
  const room = useMedia(ROOM);
  const show = (next: SettingsTab) => openOverlay({ kind: "settings", tab: next });
  const pages: Record<SettingsTab, ReactNode> = {
    general: <GeneralPage />,
    shortcuts: <ShortcutsPage />,
    models: <ModelsPage provider={provider} />,
    tools: <ToolsPage />,
    servers: <ServersPage />,
    spending: <SpendingPage />,
    memory: <MemoryPage />,
    summaries: <SummariesPage />,
    recall: <RecallPage />,
    projects: <ProjectsPage />,
    checkpoints: <CheckpointsPage />,
    remotes: <RemotesPage />,
    privacy: <PrivacyPage />,
    network: <NetworkPage />,
    data: <DataPage info={info} />,
    about: <AboutPage info={info} />,
  };
  const headings = {
    app: undefined,
    models: t("groups.models"),
    context: t("groups.context"),
    work: t("groups.work"),
    safety: t("groups.safety"),
    data: "",
  };
  const tabs = SETTINGS.flatMap(({ group, tabs: below }) =>
    below.map((value, at) => ({
      value,
      label: t(`tabs.${value}`),
      content: pages[value],
      group: at === 0 ? headings[group] : undefined,
    })),
  );
  return (
    <Dialog open size="l" onClose={closeOverlay} title={t("title")}>
      <div className={css.dialog}>
        {room ? (
          <Tabs<SettingsTab> column label={t("title")} value={tab} onChange={show} tabs={tabs} />
        ) : (
          <>
            <div className={css.choice}>
              <Select<SettingsTab> label={t("page")} hideLabel value={tab} onChange={show} options={tabs} />
            </div>
            <section className={css.chosenPage} aria-label={t(`tabs.${tab}`)}>
              {pages[tab]}
            </section>
          </>
        )}
      </div>
    </Dialog>
  );
}
