// The changed memory files with their differences, and the question whether they may speak. Loaded when it is asked.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { TextDiff } from "@/features/summaries";
import { call, type ChangedMemory, type ProjectId } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, toast } from "@/shared/kit";
import { FileNotes } from "./Findings";
import css from "./memory.module.css";

interface ChangedProps {
  projectId: ProjectId;
  changes: readonly ChangedMemory[];
  onClose: () => void;
}

export default function ChangedDialog({ projectId, changes, onClose }: ChangedProps) {
  const { t } = useTranslation("memory");
  const [failure, setFailure] = useState<unknown>(null);
  const agree = async () => {
    setFailure(null);
    try {
      await call("memory_agree", { project_id: projectId, files: changes.map(({ path, hash }) => ({ path, hash })) });
      toast({ text: t("changes.agreed") });
      onClose();
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={t("changes.dialog")}
      description={t("changes.intro")}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            {t("changes.later")}
          </Button>
          <Button variant="primary" onClick={() => void agree()}>
            {t("changes.agree")}
          </Button>
        </>
      }
    >
      <div className={css.changed}>
        {changes.map(({ path, before, now, findings }) => (
          <section key={path} className={css.changedFile} aria-label={path}>
            <h3>
              {path} {before === null && <span className={css.muted}>{t("changes.new")}</span>}
              {now === null && <span className={css.muted}>{t("changes.gone")}</span>}
            </h3>
            <FileNotes imports={[]} findings={findings} />
            <TextDiff label={t("changes.diff", { path })} before={before ?? ""} after={now ?? ""} />
          </section>
        ))}
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
    </Dialog>
  );
}
