// Whether a reply did what was asked, as a model judges it when the person wants to know.
import { Check, ListChecks, TriangleAlert } from "lucide-react";
import { create } from "zustand";
import { ErrorNotice } from "@/features/errors";
import { call, type Evaluation, type TurnId } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, IconButton, quiet, Spinner } from "@/shared/kit";
import { Criteria } from "./PlanRun";
import css from "./tree.module.css";

interface Judged {
  busy: boolean;
  evaluation: Evaluation | null;
  failure: unknown;
}

/** By turn: a row that goes out of sight and comes back says the same. */
const useJudged = create<Record<TurnId, Judged | undefined>>(() => ({}));

async function judge(id: TurnId): Promise<void> {
  const before = useJudged.getState()[id];
  if (before?.busy) return;
  const set = (part: Partial<Judged>) =>
    useJudged.setState((all) => ({ [id]: { busy: false, evaluation: null, failure: null, ...all[id], ...part } }));
  set({ busy: true, failure: null });
  try {
    set({ busy: false, evaluation: await call("turn_evaluate", { id }) });
  } catch (failure) {
    set({ busy: false, failure });
  }
}

/** The button among the acts of a reply. */
export function JudgeButton({ turnId }: { turnId: TurnId }) {
  const { t } = useTranslation("toolSettings");
  return (
    <IconButton
      label={t("verdict.check")}
      icon={<ListChecks aria-hidden />}
      onClick={() => void judge(turnId)}
    />
  );
}

/** What came of it, under the reply. */
export function Verdict({ turnId }: { turnId: TurnId }) {
  const { t } = useTranslation("toolSettings");
  const judged = useJudged((all) => all[turnId]);
  if (!judged) return null;
  const { busy, evaluation, failure } = judged;
  const Icon = evaluation?.met ? Check : TriangleAlert;
  return (
    <div className={css.verdict} role="status">
      {busy && <Spinner label={t("verdict.checking")} />}
      {evaluation && !busy && (
        <details open={!evaluation.met}>
          <summary data-met={evaluation.met || undefined}>
            <Icon aria-hidden /> {t(evaluation.met ? "verdict.met" : "verdict.unmet")}{" "}
            <span className={quiet.note}>{t("verdict.by", { model: evaluation.model })}</span>
          </summary>
          <Criteria criteria={evaluation.criteria} />
          <Button variant="quiet" onClick={() => void judge(turnId)}>
            {t("verdict.again")}
          </Button>
        </details>
      )}
      {failure !== null && (
        <ErrorNotice
          failure={failure}
          actions={<Button onClick={() => void judge(turnId)}>{t("verdict.again")}</Button>}
        />
      )}
    </div>
  );
}
