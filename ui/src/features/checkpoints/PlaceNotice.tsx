// What a person has to know of the folder of checkpoints in the project: that the copy there is not whole, what was lost
// there before it was a copy, or that others left one there.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { CheckpointPlace, ProjectId } from "@/ipc";
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
      <PlaceFacts place={place}>
        {(facts) => (
          <div className={css.banner}>
            <Notice tone="warn" actions={look}>
              {facts}
            </Notice>
          </div>
        )}
      </PlaceFacts>
      {foreign > 0 && (
        <div className={css.banner}>
          <Notice actions={look}>{t("place.foreign", { count: foreign })}</Notice>
        </div>
      )}
    </>
  );
}

/** What is not as it should be, in words; nothing where all is well. */
export function PlaceFacts({ place, children }: { place: CheckpointPlace; children: (facts: string) => ReactNode }) {
  const { t } = useTranslation("checkpoints");
  const { kept, whole, failed, waits, lost } = place;
  const facts = [
    waits && t("place.waits"),
    kept === "project" && !whole && !waits && t("place.notWhole"),
    failed !== null && t("place.failed", { why: failed }),
    lost > 0 && t("place.lost", { count: lost, n: formatNumber(lost) }),
  ].filter(Boolean);
  return facts.length > 0 ? children(facts.join(" ")) : null;
}
