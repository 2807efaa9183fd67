// The question before a copy goes with its folder: what is kept of it and where, what goes for good, and what was not taken
// over.
import { useQuery } from "@tanstack/react-query";
import { closeOverlay, goToCopies, goToStart, showProject, usePlace } from "@/app/actions";
import { NotCapturedList } from "@/features/checkpoints";
import { useHere } from "@/features/conversations";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type Project, type ProjectId } from "@/ipc";
import { copyName } from "@/ipc/copies";
import { queries } from "@/ipc/queries";
import { formatBytes, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, Progress, Spinner, toast, useAct } from "@/shared/kit";
import css from "./copies.module.css";
import { useWorking } from "./useWorking";

/** What is not handed over, in the order in which it is said. */
const GOES = ["plans", "tasks", "decisions", "servers", "checkpoints"] as const;

export function RemoveCopyDialog({ copyId }: { copyId: ProjectId }) {
  const { data: projects = [] } = useQuery(queries.projects());
  const copy = projects.find(({ id }) => id === copyId);
  const original = projects.find(({ id }) => id === copy?.copy?.project);
  return copy ? <Remove copy={copy} original={original} /> : null;
}

function Remove({ copy, original }: { copy: Project; original: Project | undefined }) {
  const { t } = useTranslation(["copies", "settings"]);
  const here = useHere();
  const holds = useQuery(queries.copyHolds(copy.id));
  const working = useWorking(copy.id);
  const { running: busy, failure, act } = useAct();
  const name = copyName(copy, original);
  const project = original?.name;
  const { branch = null, unmerged = 0, named = 0, lost = [], holds: held } = holds.data ?? {};
  const goes = GOES.filter((what) => (held?.[what] ?? 0) > 0);
  const remove = () =>
    act(async () => {
      const { project_id, rest } = await call("copy_remove", { id: copy.id });
      const inside = here.projectId === copy.id || usePlace.getState().projectId === copy.id;
      closeOverlay();
      if (inside && project_id !== null) goToCopies(project_id);
      else if (inside) {
        goToStart();
        showProject(null);
      }
      const done = project_id === null ? t("remove.doneAlone", { name }) : t("remove.done", { name, project });
      if (rest === null) toast({ text: done });
      else toast({ text: `${done} ${t("remove.rest", { path: rest })}`, tone: "warn", timeout: 20_000 });
    });
  const stop = () => Promise.all(working.map((id) => call("stop", { id }))).catch(tellFailure);
  return (
    <Dialog
      open
      size="m"
      onClose={() => !busy && closeOverlay()}
      title={t("remove.title", { name })}
      description={original ? t("remove.text", { path: copy.path, project }) : t("remove.textAlone", { path: copy.path })}
      footer={
        <>
          <Button disabled={busy} onClick={closeOverlay}>
            {t("cancel", { ns: "common" })}
          </Button>
          <Button variant="danger" disabled={busy || !holds.data || working.length > 0} onClick={() => void remove()}>
            {t("remove.do")}
          </Button>
        </>
      }
    >
      <div className={css.body}>
        {working.length > 0 && (
          <Notice tone="warn" actions={<Button onClick={() => void stop()}>{t("stop")}</Button>}>
            {t("remove.works")}
          </Notice>
        )}
        {failure !== null && <ErrorNotice failure={failure} />}
        {busy && <Progress label={t("remove.busy")} value={null} />}
        {holds.isPending && <Spinner />}
        {holds.isError && <ErrorNotice failure={holds.error} />}
        {unmerged > 0 && (
          <Notice tone="warn">{t("remove.unmerged", { count: unmerged, n: formatNumber(unmerged), project })}</Notice>
        )}
        {named > 0 && <Notice tone="warn">{t("remove.named", { count: named, n: formatNumber(named) })}</Notice>}
        {branch !== null && <p>{t("remove.branch", { branch })}</p>}
        {held && goes.length > 0 && (
          <div>
            <p>{t("remove.goes")}</p>
            <ul className={css.goes}>
              {goes.map((what) => (
                <li key={what}>
                  {t(`projects.held.${what}`, { ns: "settings", count: held[what], size: formatBytes(held.bytes) })}
                </li>
              ))}
            </ul>
          </div>
        )}
        {lost.length > 0 && (
          <Notice tone="warn">
            <NotCapturedList
              paths={lost}
              count={lost.length}
              title={t("remove.lost", { count: lost.length, n: formatNumber(lost.length) })}
            />
          </Notice>
        )}
      </div>
    </Dialog>
  );
}
