// A plan that is carried out: where it stands, why it waits, and the ways to go on or to end it.
import { Check, X } from "lucide-react";
import { useState } from "react";
import { goToMessage } from "@/app/actions";
import { ErrorNotice, useFailureWords } from "@/features/errors";
import { call, type EvaluatedCriterion, type PlanRun as Run, type ProjectId, type Workflow } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet, Spinner } from "@/shared/kit";
import css from "./tree.module.css";

interface PlanRunProps {
  projectId: ProjectId;
  workflow: Workflow;
}

export function PlanRun({ projectId, workflow: { run, plans } }: PlanRunProps) {
  const { t } = useTranslation("toolSettings");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  if (!run) return null;
  const task = plans.flatMap(({ tasks }) => tasks).find(({ id }) => id === run.task_id);
  const act = (how: Promise<unknown>) => {
    setBusy(true);
    setFailure(null);
    how.catch(setFailure).finally(() => setBusy(false));
  };
  const { conversation_id, message_id } = run.asked;
  return (
    <section className={css.run} aria-label={t("run.title")}>
      <p className={css.state} role="status">
        {run.state !== "waiting" && <Spinner label={t("run.title")} />}
        <span>
          <Where run={run} /> {task?.title}
        </span>
      </p>
      {run.state === "waiting" && run.why.reason === "not_met" && <Criteria criteria={run.why.criteria} />}
      {failure !== null && <ErrorNotice failure={failure} />}
      <div className={css.buttons}>
        {run.state === "waiting" && run.why.reason !== "blocked" && (
          <Button variant="primary" disabled={busy} onClick={() => act(call("tree_go_on", { id: projectId }))}>
            {t("run.goOn")}
          </Button>
        )}
        <Button disabled={busy} onClick={() => act(call("tree_stop", { id: projectId }))}>
          {t("run.stop")}
        </Button>
        <button type="button" className={css.link} onClick={() => goToMessage(conversation_id, projectId, message_id)}>
          {t("run.where")}
        </button>
      </div>
    </section>
  );
}

/** Where it stands, in a few words. */
function Where({ run }: { run: Run }) {
  const { t } = useTranslation("toolSettings");
  const words = useFailureWords();
  if (run.state !== "waiting") return t(`run.${run.state}`);
  const { why } = run;
  if (why.reason === "failed" || why.reason === "not_judged") {
    return t(`run.why.${why.reason}`, { reason: words(why.code).title });
  }
  return t(`run.why.${why.reason}`);
}

/** Verdicts, each with why. */
export function Criteria({ criteria }: { criteria: readonly EvaluatedCriterion[] }) {
  const { t } = useTranslation("toolSettings");
  return (
    <ul className={css.criteria}>
      {criteria.map(({ text, met, why }, at) => {
        const Icon = met ? Check : X;
        return (
          <li key={at} data-met={met || undefined}>
            <Icon aria-label={t(met ? "verdict.one.met" : "verdict.one.unmet")} role="img" />
            <span data-selectable>
              {text} {why !== "" && <span className={quiet.note}>{why}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
