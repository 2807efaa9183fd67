// A restore that was begun and not finished: it can be finished, or rolled back to what was there before it.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type CheckpointItem, type ProjectId, type UnfinishedRestore } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import { tellRestored, undoRestore } from "./acts";
import css from "./checkpoints.module.css";
import { useCheckpointWords } from "./words";

interface UnfinishedNoticeProps {
  unfinished: UnfinishedRestore;
  items: readonly CheckpointItem[];
  projectId: ProjectId;
}

export function UnfinishedNotice({ unfinished: { plan_id, checkpoint_id }, items, projectId }: UnfinishedNoticeProps) {
  const { t } = useTranslation("checkpoints");
  const words = useCheckpointWords();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const item = items.find(({ id }) => id === checkpoint_id);
  const when = item ? words.when(item) : t("unfinished.earlier");
  const finish = async () => {
    setBusy(true);
    setFailure(null);
    try {
      tellRestored(await call("checkpoint_restore", { plan_id, choices: [] }), projectId, when);
    } catch (thrown) {
      setFailure(thrown);
    }
    setBusy(false);
  };
  const rollBack = async () => {
    setBusy(true);
    await undoRestore(projectId);
    setBusy(false);
  };
  return (
    <div className={css.banner}>
      <Notice
        tone="warn"
        title={t("unfinished.title", { when })}
        actions={
          <>
            <Button disabled={busy} onClick={() => void rollBack()}>
              {t("unfinished.rollBack")}
            </Button>
            <Button variant="primary" disabled={busy} onClick={() => void finish()}>
              {t("unfinished.finish")}
            </Button>
          </>
        }
      >
        {t("unfinished.text")}
      </Notice>
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
