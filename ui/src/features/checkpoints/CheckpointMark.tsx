// A small mark below the message at which a checkpoint was made.
import { History, Play } from "lucide-react";
import { goToCheckpoints } from "@/app/actions";
import { useTranslation } from "@/shared/i18n";
import { Menu } from "@/shared/kit";
import { continueFrom } from "./acts";
import css from "./marks.module.css";
import type { Mark } from "./useCheckpoints";
import { useCheckpointWords } from "./words";

export function CheckpointMark({ mark: { item, projectId, conversationId } }: { mark: Mark }) {
  const { t } = useTranslation("checkpoints");
  const words = useCheckpointWords();
  return (
    <div className={css.mark}>
      <Menu
        trigger={
          <button
            type="button"
            className={css.markButton}
            aria-label={t("mark", { when: words.when(item), name: words.name(item) })}
          >
            <History aria-hidden />
            <span>{item.tag ?? words.time(item)}</span>
          </button>
        }
        items={[
          {
            id: "continue",
            label: t("continue"),
            icon: <Play aria-hidden />,
            onSelect: () => void continueFrom(item.id, projectId),
          },
          {
            id: "show",
            label: t("show"),
            icon: <History aria-hidden />,
            onSelect: () => goToCheckpoints({ projectId, conversationId }, item.id),
          },
        ]}
      />
    </div>
  );
}
