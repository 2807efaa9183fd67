// A restore that was begun and not finished: it can be finished, or rolled back to what was there before it.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type CheckpointItem, type ProjectId, type UnfinishedRestore } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import { tellRestored } from "./acts";
import css from "./checkpoints.module.css";
import { useCheckpointWords } from "./words";

interface UnfinishedNoticeProps {
  unfinished: UnfinishedRestore;
  items: readonly CheckpointItem[];
  projectId: ProjectId;
}

const ALL = { chat: true, files: true, memory: true, context: true };

export function UnfinishedNotice({ unfinished, items, projectId }: UnfinishedNoticeProps) {
  const { t } = useTranslation("checkpoints");
  const words = useCheckpointWords();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { plan_id, checkpoint_id, before } = unfinished;
  const whenOf = (id: string) => {
    const item = items.find((one) => one.id === id);
    return item ? words.when(item) : t("unfinished.earlier");
  };
  const run = async (of: string, plan: () => Promise<string>) => {
    setBusy(true);
    setFailure(null);
    try {
      const restored = await call("checkpoint_restore", { plan_id: await plan(), choices: [] });
      tellRestored(restored, projectId, whenOf(of));
    } catch (thrown) {
      setFailure(thrown);
    }
    setBusy(false);
  };
  const rollBack = async () => (await call("checkpoint_plan", { id: before, parts: ALL })).plan_id;
  return (
    <div className={css.banner}>
      <Notice
        tone="warn"
        title={t("unfinished.title", { when: whenOf(checkpoint_id) })}
        actions={
          <>
            <Button disabled={busy} onClick={() => void run(before, rollBack)}>
              {t("unfinished.rollBack")}
            </Button>
            <Button variant="primary" disabled={busy} onClick={() => void run(checkpoint_id, async () => plan_id)}>
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
