// The way to the Today page, below the project's name: with what is worked on and how far that is.
import { useQuery } from "@tanstack/react-query";
import { Sun } from "lucide-react";
import { goToToday, useChords, usePlace } from "@/app/actions";
import { progressOf } from "@/features/work";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Kbd, WayEntry } from "@/shared/kit";
import css from "./today.module.css";

export function TodayEntry({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation(["work", "rail"]);
  const workflow = useQuery(queries.workflow(projectId)).data;
  const shown = usePlace(
    ({ today, memory, checkpoints }) => today?.projectId === projectId && memory === null && checkpoints === null,
  );
  const chord = useChords();
  const run = workflow?.run?.state;
  const { plan = null, task = null, done = 0, total = 0 } = workflow ? progressOf(workflow) : {};
  const work = task ? t("line.task", { title: task.title }) : t("line.plan", { title: plan?.title });
  const below = plan && (
    <>
      <span title={work}>{work}</span>
      {run && <span className={css.running}>{t(run === "waiting" ? "line.waits" : "line.runs")}</span>}
      {total > 0 && (
        <span data-numeric>
          {formatNumber(done)}/{formatNumber(total)}
        </span>
      )}
    </>
  );
  return (
    <WayEntry
      icon={Sun}
      name={t("today", { ns: "rail" })}
      shown={shown}
      end={<Kbd keys={chord("today")} />}
      below={below}
      onClick={() => goToToday(projectId)}
    />
  );
}
