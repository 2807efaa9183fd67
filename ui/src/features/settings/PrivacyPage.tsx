// What may leave this computer.
import { useTranslation } from "@/shared/i18n";
import { Switch } from "@/shared/kit";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

export function PrivacyPage() {
  const { t } = useTranslation("settings");
  const { settings, change } = useSettings();
  if (!settings) return null;
  return (
    <div className={css.page}>
      <Switch
        label={t("privacy.only")}
        description={t("privacy.onlyHint")}
        checked={settings.this_computer_only}
        onChange={(next) => change({ this_computer_only: next })}
      />
      <p className={css.muted}>{t(settings.this_computer_only ? "privacy.on" : "privacy.off")}</p>
    </div>
  );
}
