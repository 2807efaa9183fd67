// What is looked up of what was said, and who makes that possible by meaning and not by words alone.
import { RecallFields } from "@/features/summaries";
import type { CarryOver } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice, quiet, Select } from "@/shared/kit";
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
      <p className={quiet.note}>{t("page.hint")}</p>
      {!summary.enabled && <Notice>{t("page.disabled")}</Notice>}
      <Select<CarryOver>
        label={t("carry.label")}
        value={settings.carry_over}
        onChange={(carry_over) => change({ carry_over })}
        options={[
          { value: "offer", label: t("carry.offer") },
          { value: "always", label: t("carry.always") },
          { value: "never", label: t("carry.never") },
        ]}
      />
      {Object.keys(settings.recall_others).length > 0 && (
        <div>
          <Button variant="quiet" onClick={() => change({ recall_others: {} })}>
            {t("carry.askAgain")}
          </Button>
        </div>
      )}
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
