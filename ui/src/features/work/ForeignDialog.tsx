// Files of the session that Siltstone did not write, with what they change, and what becomes of them. Loaded when it is
// asked.
import { ErrorNotice } from "@/features/errors";
import { call, type ForeignFile, type Keep, type ProjectId } from "@/ipc";
import { Diff, lineDiff } from "@/shared/diff";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, toast, useAct } from "@/shared/kit";
import css from "./work.module.css";

interface ForeignDialogProps {
  projectId: ProjectId;
  files: readonly ForeignFile[];
  /** Nothing was answered about this folder yet, so taking it in is the yes to writing it. */
  first: boolean;
  onClose: () => void;
}

export function ForeignDialog({ projectId, files, first, onClose }: ForeignDialogProps) {
  const { t } = useTranslation("work");
  const { running, failure, act } = useAct();
  const decide = async (keep: Keep) => {
    const shown = files.map(({ name, hash }) => ({ name, hash }));
    if (!(await act(() => call("session_accept", { project_id: projectId, files: shown, keep })))) return;
    toast({ text: t(keep === "theirs" ? "foreign.taken" : "foreign.kept") });
    onClose();
  };
  const readable = files.every((file) => file.readable);
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={t("foreign.dialog")}
      description={first ? `${t("foreign.intro")} ${t("foreign.git")}` : t("foreign.intro")}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            {t("foreign.later")}
          </Button>
          <Button disabled={running} onClick={() => void decide("mine")}>
            {t("foreign.mine")}
          </Button>
          <Button variant="primary" disabled={!readable || running} onClick={() => void decide("theirs")}>
            {t("foreign.theirs")}
          </Button>
        </>
      }
    >
      <div className={css.foreign}>
        {files.map(({ name, before, now, conflicts, dropped, readable }) => (
          <section key={name} aria-label={name}>
            <h3>.ai-brain/{name}</h3>
            {!readable && <Notice tone="warn">{t("foreign.unreadable")}</Notice>}
            {conflicts.length > 0 && (
              <Notice tone="warn">
                {t("foreign.conflicts", { count: conflicts.length })} {conflicts.join(", ")}
              </Notice>
            )}
            {dropped.length > 0 && (
              <Notice tone="warn">{t("foreign.dropped", { ids: dropped.join(", ") })}</Notice>
            )}
            <Diff label={t("foreign.diff", { name })} difference={lineDiff(before, now)} />
          </section>
        ))}
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
    </Dialog>
  );
}
