// A restore is a plan first: what comes back, what happens to each file and why, and what the person wants otherwise.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type CheckpointItem, type ProjectId, type RestoreParts, type RestorePlan } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Progress, quiet, Spinner, useAct } from "@/shared/kit";
import { tellRestored } from "./acts";
import { usePlanChoices } from "./choices";
import { NotCapturedList } from "./MomentFacts";
import { PlannedFiles } from "./PlannedFiles";
import css from "./restore.module.css";
import { useCheckpointWords } from "./words";

interface RestoreDialogProps {
  item: CheckpointItem;
  projectId: ProjectId;
  onClose: () => void;
}

const PARTS = ["chat", "files", "memory", "context"] as const;

export function RestoreDialog({ item, projectId, onClose }: RestoreDialogProps) {
  const { t } = useTranslation("checkpoints");
  const words = useCheckpointWords();
  const can = { chat: item.conversation_id !== null, files: item.files !== null, memory: true, context: true };
  const [parts, setParts] = useState<RestoreParts>({ chat: can.chat, files: can.files, memory: false, context: false });
  const { choices, choose, run } = usePlanChoices();
  const { running: busy, failure, act } = useAct();
  const none = PARTS.every((part) => !parts[part]);
  const plan = useQuery({ ...queries.restorePlan(item.id, parts), enabled: !none });
  const restore = (plan: RestorePlan) =>
    void act(async () => {
      const restored = await call("checkpoint_restore", run(plan));
      onClose();
      tellRestored(restored, projectId, words.time(item));
    });
  return (
    <Dialog
      open
      size="l"
      onClose={() => !busy && onClose()}
      title={t("restore.title", { when: words.when(item) })}
      description={t("restore.text")}
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            {t("cancel", { ns: "common" })}
          </Button>
          <Button
            variant="primary"
            disabled={busy || none || !plan.data}
            onClick={() => plan.data && restore(plan.data)}
          >
            {t("restore.do")}
          </Button>
        </>
      }
    >
      <div className={css.plan}>
        <fieldset className={css.parts} disabled={busy}>
          <legend className="visually-hidden">{t("restore.parts")}</legend>
          {PARTS.map((part) => (
            <label key={part}>
              <input
                type="checkbox"
                checked={parts[part]}
                disabled={!can[part]}
                onChange={(event) => setParts({ ...parts, [part]: event.currentTarget.checked })}
              />
              <span>{t(`restore.part.${part}`)}</span>
              <span className={quiet.note}>{can[part] ? told(part) : t("restore.lacking")}</span>
            </label>
          ))}
        </fieldset>
        {failure !== null && <ErrorNotice failure={failure} />}
        {busy && <Progress label={t("restore.busy")} value={null} />}
        {none && <p className={quiet.note}>{t("restore.nothing")}</p>}
        {!none && plan.isFetching && <Spinner label={t("restore.planning")} />}
        {!none && plan.isError && <ErrorNotice failure={plan.error} />}
        {!none && plan.data && !busy && (
          <>
            {parts.files && (
              <PlannedFiles plan={plan.data} when={words.time(item)} choices={choices} onChoose={choose} />
            )}
            {plan.data.untouched.length > 0 && (
              <NotCapturedList
                paths={plan.data.untouched}
                count={Math.max(item.not_captured, plan.data.untouched.length)}
              />
            )}
          </>
        )}
      </div>
    </Dialog>
  );

  /** What of a part would come or go. */
  function told(part: (typeof PARTS)[number]): string {
    if (!plan.data || !plan.data.parts[part]) return "";
    const count = {
      chat: plan.data.messages,
      files: plan.data.files.filter(({ action }) => action !== "skip").length,
      memory: plan.data.lines,
      context: plan.data.keys,
    }[part];
    if (count === 0) return t("restore.same");
    return t(`restore.told.${part}`, { count, n: formatNumber(count) });
  }
}
