// Said above the composer: a memory file of a trusted folder is not what the person agreed to. What was agreed to is
// sent until the person has looked at the difference and said yes; of a file that was never agreed to, nothing.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import type { ChangedMemory, ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import { later } from "@/shared/later";

const ChangedDialog = later(() => import("./ChangedDialog"), "ChangedDialog");

export function MemoryChanges({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("memory");
  const changes = useQuery(queries.memoryChanges(projectId)).data ?? [];
  /** The files as they were when the person began to look: a later change is asked about anew. */
  const [looking, setLooking] = useState<readonly ChangedMemory[] | null>(null);
  const named = (agreed: boolean) =>
    changes.filter(({ before }) => (before !== null) === agreed).map(({ path }) => path);
  const [former, added] = [named(true), named(false)];
  return (
    <>
      {changes.length > 0 && (
        <Notice
          tone="warn"
          title={t("changes.title", { count: changes.length })}
          actions={<Button onClick={() => setLooking(changes)}>{t("changes.look")}</Button>}
        >
          {former.length > 0 && <p>{t("changes.former", { paths: former.join(", ") })}</p>}
          {added.length > 0 && <p>{t("changes.nothing", { paths: added.join(", ") })}</p>}
        </Notice>
      )}
      {looking && (
        <Suspense>
          <ChangedDialog projectId={projectId} changes={looking} onClose={() => setLooking(null)} />
        </Suspense>
      )}
    </>
  );
}
