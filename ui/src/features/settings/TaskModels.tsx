// Which model does the work that is no answer: names of conversations, summaries, plans, verdicts.
import type { Settings, TaskKind } from "@/ipc";
import { ModelChoice } from "@/features/models";
import { useTranslation } from "@/shared/i18n";
import { quiet } from "@/shared/kit";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

/** A chat asks the conversation's model: that is chosen in the conversation. */
const KINDS = ["title", "summarise", "create_tree", "evaluate"] as const satisfies readonly TaskKind[];

/** What each does without a choice. */
const NONE = {
  title: "byRule",
  summarise: "asSummaries",
  create_tree: "asConversation",
  evaluate: "asConversation",
} as const;

export function TaskModels() {
  const { t } = useTranslation("toolSettings");
  const { settings, change } = useSettings();
  if (!settings) return null;
  const choose = (kind: TaskKind, model: Settings["tasks"][TaskKind] | null) => {
    const tasks = { ...settings.tasks };
    if (model) tasks[kind] = model;
    else delete tasks[kind];
    change({ tasks });
  };
  return (
    <div className={css.page}>
      <p className={quiet.note}>{t("tasks.hint")}</p>
      <ul>
        {KINDS.map((kind) => (
          <li key={kind} className={css.item}>
            <div className={css.itemText}>
              <span className={css.itemName}>{t(`tasks.${kind}`)}</span>
              <span className={quiet.note}>{t(`tasks.${kind}_hint`)}</span>
            </div>
            <ModelChoice
              name={t(`tasks.${kind}`)}
              none={t(`tasks.${NONE[kind]}`)}
              chosen={settings.tasks[kind] ?? null}
              onChoose={(model) => choose(kind, model)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
