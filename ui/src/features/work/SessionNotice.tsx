// Said above the composer: how the files of the session stand, where that needs the person. Nothing of files that came
// from elsewhere is in any request before the person has looked at them.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { tellFailure } from "@/features/errors";
import { call, type ForeignFile, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatMoment, useTranslation } from "@/shared/i18n";
import { Button, Notice, toast } from "@/shared/kit";

const ForeignDialog = lazy(() => import("./ForeignDialog"));

export function SessionNotice({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("work");
  const session = useQuery(queries.session(projectId)).data;
  /** The files as they were when the person began to look. */
  const [looking, setLooking] = useState<readonly ForeignFile[] | null>(null);
  if (!session) return null;
  const { shared, there, in_git, files, foreign, snapshots } = session;
  const broken = foreign.find(({ readable }) => !readable);
  const copy = snapshots.find(({ file }) => file === broken?.name);
  const share = (on: boolean) =>
    void call("session_share", { project_id: projectId, on, ignore: on && in_git === true }).catch(tellFailure);
  const goBack = async (name: string) => {
    try {
      await call("session_restore", { project_id: projectId, name });
      // The damaged file is put aside where the session is written again.
      await call("session_share", { project_id: projectId, on: true, ignore: in_git === true });
      toast({ text: t("broken.done") });
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  return (
    <>
      {shared === null && there && foreign.length === 0 && (
        <Notice
          title={t("asked.there")}
          actions={
            <>
              <Button onClick={() => share(true)}>{t("asked.yes")}</Button>
              <Button variant="quiet" onClick={() => share(false)}>
                {t("asked.no")}
              </Button>
            </>
          }
        >
          {t(in_git === true ? "asked.textGit" : "asked.text")}
        </Notice>
      )}
      {foreign.length > 0 && (
        <Notice
          tone="warn"
          title={t("foreign.title")}
          actions={<Button onClick={() => setLooking(foreign)}>{t("foreign.look")}</Button>}
        >
          {t("foreign.text")} {foreign.map(({ name }) => `.ai-brain/${name}`).join(", ")}
        </Notice>
      )}
      {broken && copy && (
        <Notice
          tone="warn"
          title={t("broken.title", { name: broken.name })}
          actions={<Button onClick={() => void goBack(copy.name)}>{t("broken.restore")}</Button>}
        >
          {t("broken.text", { when: formatMoment(Date.parse(copy.at)) })}
        </Notice>
      )}
      {files.state === "held" && (
        <Notice
          tone="warn"
          title={t("held.title", { owner: files.owner, host: files.host })}
          actions={
            <Button onClick={() => void call("session_take_over", { id: projectId }).catch(tellFailure)}>
              {t("held.takeOver")}
            </Button>
          }
        >
          {t(files.silent ? "held.silent" : "held.text", { when: formatMoment(Date.parse(files.heartbeat)) })}
        </Notice>
      )}
      {files.state === "newer" && <Notice tone="warn">{t("newer", { version: files.version })}</Notice>}
      {files.state === "refused" && <Notice tone="warn">{t("refused", { detail: files.detail })}</Notice>}
      {looking && (
        <Suspense>
          <ForeignDialog projectId={projectId} files={looking} onClose={() => setLooking(null)} />
        </Suspense>
      )}
    </>
  );
}
