// What may leave this computer: of the whole program and of each project.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { quiet, Switch } from "@/shared/kit";
import { PatternsField } from "./PatternsField";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

export function PrivacyPage() {
  const { t } = useTranslation("settings");
  const { settings, change, store } = useSettings();
  if (!settings) return null;
  return (
    <div className={css.page}>
      <Switch
        label={t("privacy.only")}
        description={t("privacy.onlyHint")}
        checked={settings.this_computer_only}
        onChange={(next) => change({ this_computer_only: next })}
      />
      <p className={quiet.note}>{t(settings.this_computer_only ? "privacy.on" : "privacy.off")}</p>
      <Reach everywhere={settings.this_computer_only} />
      <Switch
        label={t("privacy.local")}
        description={t("privacy.localHint")}
        checked={settings.privacy.local_only}
        onChange={(local_only) => change({ privacy: { ...settings.privacy, local_only } })}
      />
      <Switch
        label={t("privacy.redact")}
        description={t("privacy.redactHint")}
        checked={settings.privacy.sanitize_secrets}
        onChange={(sanitize_secrets) => change({ privacy: { ...settings.privacy, sanitize_secrets } })}
      />
      <PatternsField
        label={t("privacy.exclude")}
        description={t("privacy.excludeHint")}
        stored={settings.privacy.exclude_patterns}
        onStore={(exclude_patterns) => store({ privacy: { ...settings.privacy, exclude_patterns } })}
      />
      <Excluded />
    </div>
  );
}

/** The same switch for each project; `everywhere` says that it is on for all anyway. */
function Reach({ everywhere }: { everywhere: boolean }) {
  const { t } = useTranslation("settings");
  const projects = useQuery(queries.projects());
  const [failure, setFailure] = useState<unknown>(null);
  const change = (id: string, this_computer_only: boolean) => {
    setFailure(null);
    call("project_reach", { id, this_computer_only }).catch(setFailure);
  };
  if (projects.isError) return <ErrorNotice failure={projects.error} />;
  if (!projects.data || projects.data.length === 0) return null;
  return (
    <section aria-labelledby="settings-reach">
      <h4 id="settings-reach" className={css.heading}>
        {t("privacy.projects")}
      </h4>
      <p className={quiet.note}>{t(everywhere ? "privacy.projectsAll" : "privacy.projectsHint")}</p>
      <ul className={css.reach}>
        {projects.data.map(({ id, name, path, this_computer_only }) => (
          <li key={id}>
            <Switch
              label={name}
              description={<span className={css.path}>{path}</span>}
              checked={this_computer_only}
              onChange={(next) => change(id, next)}
            />
          </li>
        ))}
      </ul>
      {failure !== null && <ErrorNotice failure={failure} />}
    </section>
  );
}

/** What each project keeps out beside that. */
function Excluded() {
  const { t } = useTranslation("settings");
  const projects = useQuery(queries.projects());
  return projects.data?.map(({ id, name, exclude }) => (
    <PatternsField
      key={id}
      label={t("privacy.excludeIn", { name })}
      stored={exclude}
      onStore={async (patterns) => void (await call("project_exclude", { id, patterns }))}
    />
  ));
}
