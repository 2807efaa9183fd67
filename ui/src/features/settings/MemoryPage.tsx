// How memory is found: under which names, and of which directories.
import type { AddedFor, MemorySettings } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Select, Switch } from "@/shared/kit";
import { PatternsField } from "./PatternsField";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

const LASTS: readonly AddedFor[] = ["conversation", "until_cleared"];

export function MemoryPage() {
  const { t } = useTranslation("memory");
  const { settings, change, store } = useSettings();
  if (!settings) return null;
  const { memory } = settings;
  const keep = async (part: Partial<MemorySettings>) => {
    // Without any name nothing would be found: they stay as they were.
    if (Object.values(part).some((value) => Array.isArray(value) && value.length === 0)) return;
    await store({ memory: { ...memory, ...part } });
  };
  return (
    <div className={css.page}>
      <PatternsField
        label={t("page.names")}
        description={t("page.namesHint")}
        placeholder=""
        rows={7}
        stored={memory.names}
        onStore={(names) => keep({ names })}
      />
      <Select
        label={t("page.addedFor")}
        value={memory.added_for ?? "until_cleared"}
        onChange={(added_for) => change({ memory: { ...memory, added_for } })}
        options={LASTS.map((value) => ({ value, label: t(`keptFor.${value}`) }))}
      />
      <Switch
        label={t("page.strict")}
        description={t("page.strictHint")}
        checked={memory.strict}
        onChange={(strict) => change({ memory: { ...memory, strict } })}
      />
    </div>
  );
}
