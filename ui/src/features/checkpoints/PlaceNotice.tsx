// What a person has to know of the folder of checkpoints in the project: that it is gone, or that others left one there.
import { useQuery } from "@tanstack/react-query";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import css from "./checkpoints.module.css";

export function PlaceNotice({ projectId, onLook }: { projectId: ProjectId; onLook: () => void }) {
  const { t } = useTranslation("checkpoints");
  const place = useQuery(queries.checkpointPlace(projectId)).data;
  if (!place) return null;
  const foreign = place.found.filter(({ taken }) => !taken).length;
  const look = <Button onClick={onLook}>{t("foreign.look")}</Button>;
  return (
    <>
      {place.lost > 0 && (
        <div className={css.banner}>
          <Notice tone="warn" actions={look}>
            {place.gone && t("place.gone")} {t("place.lost", { count: place.lost, n: formatNumber(place.lost) })}
          </Notice>
        </div>
      )}
      {foreign > 0 && (
        <div className={css.banner}>
          <Notice actions={look}>{t("place.foreign", { count: foreign })}</Notice>
        </div>
      )}
    </>
  );
}
