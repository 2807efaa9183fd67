// Said above the composer: how the files of the session stand, where that needs the person. Nothing of files that came
// from elsewhere is in any request before the person has looked at them.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { tellFailure } from "@/features/errors";
import { call, toFailure, type ForeignFile, type ProjectId, type SessionSnapshot } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { formatMoment, useTranslation } from "@/shared/i18n";
import { Button, Notice, toast } from "@/shared/kit";
import { later } from "@/shared/later";

const ForeignDialog = later(() => import("./ForeignDialog"), "ForeignDialog");

export function SessionNotice({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("work");
  const client = useQueryClient();
  const session = useQuery(queries.session(projectId)).data;
  /** The files as they were when the person began to look. */
  const [looking, setLooking] = useState<readonly ForeignFile[] | null>(null);
  if (!session) return null;
  const { shared, there, in_git, files, foreign, snapshots, taken_from } = session;
  const broken = foreign.find(({ readable }) => !readable);
  const copies = snapshots.filter(({ file }) => file === broken?.name);
  const [copy] = copies;
  const share = (on: boolean) =>
    void call("session_share", { project_id: projectId, on, ignore: on }).catch(tellFailure);
  const takeOver = async () => {
    try {
      // Where this program had not met the other one yet, nothing of it changes, and nobody is told.
      showAnswer(client, queries.session(projectId), await call("session_take_over", { id: projectId }));
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const goBack = async () => {
    try {
      const used = await restoreNewest(projectId, copies);
      // The damaged file is put aside where the session is written again.
      await call("session_share", { project_id: projectId, on: true, ignore: in_git === true });
      toast({ text: t("broken.done", { when: formatMoment(Date.parse(used.at)) }) });
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
          actions={<Button onClick={() => void goBack()}>{t("broken.restore")}</Button>}
        >
          {t("broken.text", { when: formatMoment(Date.parse(copy.at)) })}
        </Notice>
      )}
      {files.state === "held" && (
        <Notice
          tone="warn"
          title={t("held.title", { owner: files.owner, host: files.host })}
          actions={
            <Button onClick={() => void takeOver()}>{t("held.takeOver")}</Button>
          }
        >
          {t("held.text", { when: formatMoment(Date.parse(files.heartbeat)) })}
        </Notice>
      )}
      {taken_from && (
        <Notice title={t("taken.title")}>
          {t("taken.text", {
            owner: taken_from.owner,
            host: taken_from.host,
            when: formatMoment(Date.parse(taken_from.heartbeat)),
          })}
        </Notice>
      )}
      {files.state === "newer" && <Notice tone="warn">{t("newer", { version: files.version })}</Notice>}
      {files.state === "refused" && <Notice tone="warn">{t("refused", { detail: files.detail })}</Notice>}
      {looking && (
        <Suspense>
          <ForeignDialog projectId={projectId} files={looking} first={shared === null} onClose={() => setLooking(null)} />
        </Suspense>
      )}
    </>
  );
}

/** Goes back to the newest copy that is what was copied. */
async function restoreNewest(project_id: ProjectId, copies: readonly SessionSnapshot[]): Promise<SessionSnapshot> {
  for (const [at, copy] of copies.entries()) {
    try {
      await call("session_restore", { project_id, name: copy.name });
      return copy;
    } catch (thrown) {
      if (toFailure(thrown).code !== "copy_damaged" || at === copies.length - 1) throw thrown;
    }
  }
  throw new Error("no copy");
}
