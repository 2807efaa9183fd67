// Taking over what was changed in a copy is a plan first, as a restore is: what happens to each file and why, and what the
// person wants otherwise.
import { useQuery } from "@tanstack/react-query";
import { closeOverlay } from "@/app/actions";
import { changedBy, NotCapturedList, PlannedFiles, tellMerged, usePlanChoices } from "@/features/checkpoints";
import { ErrorNotice } from "@/features/errors";
import { call, type Project, type ProjectId, type RestorePlan } from "@/ipc";
import { copyName } from "@/ipc/copies";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, Progress, quiet, Spinner, useAct } from "@/shared/kit";
import css from "./copies.module.css";
import { useWorking } from "./useWorking";

export function MergeCopyDialog({ copyId }: { copyId: ProjectId }) {
  const { data: projects = [] } = useQuery(queries.projects());
  const copy = projects.find(({ id }) => id === copyId);
  const original = projects.find(({ id }) => id === copy?.copy?.project);
  return copy && original ? <Merge copy={copy} original={original} /> : null;
}

function Merge({ copy, original }: { copy: Project; original: Project }) {
  const { t } = useTranslation(["copies", "checkpoints"]);
  const plan = useQuery(queries.copyPlan(copy.id));
  const { choices, choose, run } = usePlanChoices();
  const { running: busy, failure, act } = useAct();
  const works = useWorking(copy.id).length > 0;
  const name = copyName(copy, original);
  const nothing = plan.data?.files.length === 0;
  const count = plan.data ? changedBy(plan.data, choices) : 0;
  const merge = (plan: RestorePlan) =>
    void act(async () => {
      const restored = await call("checkpoint_restore", run(plan));
      closeOverlay();
      tellMerged(restored, original.id, name);
    });
  return (
    <Dialog
      open
      size="l"
      onClose={() => !busy && closeOverlay()}
      title={t("merge.title", { name, project: original.name })}
      description={t("merge.text", { path: original.path })}
      footer={
        <>
          <Button disabled={busy} onClick={closeOverlay}>
            {t(nothing ? "close" : "cancel", { ns: "common" })}
          </Button>
          <Button variant="primary" disabled={busy || count === 0} onClick={() => plan.data && merge(plan.data)}>
            {t("merge.do", { count, n: formatNumber(count) })}
          </Button>
        </>
      }
    >
      <div className={css.body}>
        {works && <Notice>{t("merge.works")}</Notice>}
        {failure !== null && <ErrorNotice failure={failure} />}
        {busy && <Progress label={t("merge.busy")} value={null} />}
        {plan.isPending && <Spinner label={t("restore.planning", { ns: "checkpoints" })} />}
        {plan.isError && <ErrorNotice failure={plan.error} />}
        {nothing && <p className={quiet.note}>{t("merge.nothing", { project: original.name })}</p>}
        {plan.data && !busy && (
          <>
            {!nothing && <PlannedFiles plan={plan.data} when={null} choices={choices} onChoose={choose} />}
            {plan.data.untouched.length > 0 && (
              <NotCapturedList paths={plan.data.untouched} count={plan.data.untouched.length} />
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}
