// What is looked up of what was said, and who makes that possible by meaning and not by words alone.
import { RecallFields } from "@/features/summaries";
import { useTranslation } from "@/shared/i18n";
import { Notice } from "@/shared/kit";
import { Meaning } from "./Meaning";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

export function RecallPage() {
  const { t } = useTranslation("recall");
  const { settings, change } = useSettings();
  if (!settings) return null;
  const { summary } = settings;
  return (
    <div className={css.page}>
      <p className={css.muted}>{t("page.hint")}</p>
      {!summary.enabled && <Notice>{t("page.disabled")}</Notice>}
      <div className={css.group}>
        <RecallFields
          recall={summary.recall}
          strict={summary.strict}
          onChange={(recall) => change({ summary: { ...summary, recall } })}
        />
      </div>
      <Meaning />
    </div>
  );
}
