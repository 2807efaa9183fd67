// Checkpoints in words.
import { toolName } from "@/features/tools";
import type { CheckpointItem, CheckpointReason, ContextChange } from "@/ipc";
import { formatTime, formatWhen, useTranslation } from "@/shared/i18n";

export interface CheckpointWords {
  /** Why it was made. */
  reason: (reason: CheckpointReason) => string;
  /** Its name, or why it was made. */
  name: (item: CheckpointItem) => string;
  /** "Today 14:02". */
  when: (item: CheckpointItem) => string;
  time: (item: CheckpointItem) => string;
  /** What of the context differs. */
  part: (change: ContextChange) => string;
}

const SETTING = "settings.";

export function useCheckpointWords(): CheckpointWords {
  const { t } = useTranslation("checkpoints");
  const time = ({ created_at }: CheckpointItem) => formatTime(Date.parse(created_at));
  const reason = (why: CheckpointReason) => {
    switch (why.code) {
      case "before_tool":
        return t("reason.before_tool", { tool: toolName(why.tool) });
      case "before_memory":
        return t("reason.before_memory", { path: why.path });
      case "copy":
        return t("reason.copy", { name: why.name });
      case "plan_change":
        return why.plan === "" ? t("reason.no_plan") : t("reason.plan_change", { plan: why.plan });
      default:
        return t(`reason.${why.code}`);
    }
  };
  return {
    reason,
    time,
    name: (item) => item.tag ?? reason(item.reason),
    when: ({ created_at }) => formatWhen(Date.parse(created_at)),
    part: ({ name }) => {
      if (name === "memory" || name === "runtime") return t(`context.${name}`);
      if (!name.startsWith(SETTING)) return t("context.entry", { name });
      return t("context.setting", { name: name.slice(SETTING.length) });
    },
  };
}
