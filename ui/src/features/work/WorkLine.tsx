// What is worked on, in one line under the project's name; it opens to the plan, its tasks and what was decided.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { leaveWork, openOverlay, usePlace } from "@/app/actions";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Popover, Spinner } from "@/shared/kit";
import { later } from "@/shared/later";
import { progressOf } from "./progress";
import css from "./work.module.css";

const Work = later(() => import("./Work"), "Work");

export function WorkLine({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("work");
  const workflow = useQuery(queries.workflow(projectId)).data;
  const proposed = useQuery(queries.proposals(projectId)).data?.length ?? 0;
  const [open, setOpen] = useState(false);
  const sought = usePlace(({ work }) => (work?.projectId === projectId ? work : null));
  useEffect(() => {
    if (sought) setOpen(true);
  }, [sought]);
  if (!workflow) return null;
  const run = workflow.run?.state;
  const { plan, task, done, total } = progressOf(workflow);
  const name = task ? t("line.task", { title: task.title }) : plan ? t("line.plan", { title: plan.title }) : t("line.none");
  return (
    <Popover
      title={t("title")}
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        if (!next) leaveWork();
      }}
      trigger={
        <button type="button" className={css.line}>
          <span className={css.lineName}>{name}</span>
          {run && <span className={css.proposed}>{t(run === "waiting" ? "line.waits" : "line.runs")}</span>}
          {total > 0 && (
            <span data-numeric>
              {formatNumber(done)}/{formatNumber(total)}
            </span>
          )}
          {proposed > 0 && <span className={css.proposed}>{t("line.proposed", { count: proposed })}</span>}
        </button>
      }
    >
      <Suspense fallback={<Spinner />}>
        <Work
          projectId={projectId}
          workflow={workflow}
          sought={sought?.decision ?? undefined}
          onPlan={() => {
            setOpen(false);
            openOverlay({ kind: "plan", projectId });
          }}
        />
      </Suspense>
    </Popover>
  );
}
