// The changed memory files with their differences, and the question whether they may speak. Loaded when it is asked.
import { ErrorNotice } from "@/features/errors";
import { call, type ChangedMemory, type ProjectId } from "@/ipc";
import { Diff, lineDiff } from "@/shared/diff";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, toast, useAct } from "@/shared/kit";
import { FileNotes } from "./Findings";
import css from "./memory.module.css";
import { passagesOf, useTicks } from "./ticks";

interface ChangedProps {
  projectId: ProjectId;
  changes: readonly ChangedMemory[];
  onClose: () => void;
}

export function ChangedDialog({ projectId, changes, onClose }: ChangedProps) {
  const { t } = useTranslation("memory");
  const { running, failure, act } = useAct();
  const ticks = useTicks(changes);
  /** The safe answer is the filled button: where something was flagged, that is to wait. */
  const flagged = passagesOf(changes).length > 0;
  const agree = async () => {
    const files = changes.map(({ path, hash }) => ({ path, hash }));
    const run = async () => {
      await call("memory_agree", { project_id: projectId, files });
      await ticks.keep(projectId);
    };
    if (!(await act(run))) return;
    toast({ text: t("changes.agreed") });
    onClose();
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
          {!flagged && (
            <Button variant="quiet" onClick={onClose}>
              {t("changes.later")}
            </Button>
          )}
          <Button variant={flagged ? "plain" : "primary"} disabled={running} onClick={() => void agree()}>
            {ticks.left > 0 ? t("changes.agreeWithout", { count: ticks.left }) : t("changes.agree")}
          </Button>
          {flagged && (
            <Button variant="primary" onClick={onClose}>
              {t("changes.later")}
            </Button>
          )}
        </>
      }
    >
      <div className={css.changed}>
        {changes.map(({ path, before, now, findings }) => (
          <section key={path} className={css.changedFile} aria-label={path}>
            <h3>
              {path} {before === null && <span className={quiet.note}>{t("changes.new")}</span>}
              {now === null && <span className={quiet.note}>{t("changes.gone")}</span>}
            </h3>
            <FileNotes imports={[]} findings={findings} goes={{ ...ticks, path }} />
            <Diff label={t("changes.diff", { path })} difference={lineDiff(before, now)} />
          </section>
        ))}
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
    </Dialog>
  );
}
