// The way to the Checkpoints screen, with how many there are.
import { History } from "lucide-react";
import { runAction, usePlace } from "@/app/actions";
import { useHere } from "@/features/conversations";
import { formatNumber, useTranslation } from "@/shared/i18n";
import css from "./marks.module.css";
import { useCheckpoints } from "./useCheckpoints";

export function CheckpointsEntry() {
  const { t } = useTranslation("rail");
  const { projectId } = useHere();
  const open = usePlace((place) => place.checkpoints !== null);
  const { items, list } = useCheckpoints(projectId);
  if (projectId === null) return null;
  return (
    <button
      type="button"
      className={css.entry}
      aria-current={open ? "page" : undefined}
      onClick={() => runAction("checkpoints")}
    >
      <History aria-hidden />
      <span>{t("checkpoints")}</span>
      {items.length > 0 && (
        <span className={css.count} data-numeric>
          {formatNumber(items.length)}
          {list.hasNextPage && "+"}
        </span>
      )}
    </button>
  );
}
