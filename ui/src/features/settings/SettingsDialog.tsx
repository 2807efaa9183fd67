// The dialog and its pages. Every change applies at once; there is nothing to save.
import { closeOverlay, openOverlay, type SettingsTab } from "@/app/actions";
import type { AppInfo } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Dialog, Tabs } from "@/shared/kit";
import { AboutPage, DataPage } from "./DataPage";
import { GeneralPage } from "./GeneralPage";
import { ModelsPage } from "./ModelsPage";
import { ProjectsPage } from "./ProjectsPage";
import css from "./settings.module.css";
import { ShortcutsPage } from "./ShortcutsPage";

export function SettingsDialog({ tab, info }: { tab: SettingsTab; info: AppInfo }) {
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
            { value: "models", label: t("tabs.models"), content: <ModelsPage /> },
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
