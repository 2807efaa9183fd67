// Changes of a workflow in words.
import type { Plan, WorkflowChange } from "@/ipc";
import { useTranslation } from "@/shared/i18n";

export function useChangeWords(plans: readonly Plan[]): (change: WorkflowChange) => string {
  const { t } = useTranslation("work");
  const tasks = plans.flatMap((plan) => plan.tasks);
  /** What an id is of, by its title. */
  const named = (id: string) => [...plans, ...tasks].find((one) => one.id === id)?.title ?? id;
  return (change) => {
    switch (change.change) {
      case "rename_project":
        return t("change.rename_project", { title: change.name });
      case "add_plan":
      case "add_task":
        return t(`change.${change.change}`, { title: change.title });
      case "add_decision":
        return t("change.add_decision", { title: change.text });
      case "switch_plan":
        return change.id === null ? t("change.no_plan") : t("change.switch_plan", { title: named(change.id) });
      case "edit_plan":
      case "edit_task":
        return t(`change.${change.change}`, { title: named(change.id), to: change.title ?? named(change.id) });
      default:
        return t(`change.${change.change}`, { title: named(change.id) });
    }
  };
}
