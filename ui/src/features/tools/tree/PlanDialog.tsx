// A plan that a model makes and the person edits: the goal, then its steps, then carried out or only kept. Loaded when it
// is first opened. What was edited and not kept is there again when it is opened the next time.
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { closeOverlay, goToConversation, usePlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type ConversationId, type ProjectId } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { announce, Button, Dialog, IconButton, Progress, quiet, TextArea, TextField } from "@/shared/kit";
import { useQueryClient } from "@tanstack/react-query";
import { queries } from "@/ipc/queries";
import { draftOf, EMPTY, keepDraft, MOST_STEPS, moved, newStep, treeOf, useDrafts, type DraftStep, type PlanDraft } from "./draft";
import { keepPlan } from "./keep";
import css from "./tree.module.css";

export function PlanDialog({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("toolSettings");
  const client = useQueryClient();
  const draft = useDrafts((drafts) => drafts[projectId]) ?? EMPTY;
  const [busy, setBusy] = useState<"make" | "run" | "keep" | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  /** What is asked at the moment; an answer to anything else came too late. */
  const asked = useRef<object | null>(null);
  /** Where it is asked and carried out: the conversation that is open, when it is one of the project. */
  const conversation = useRef<ConversationId | null>(null);
  const change = (part: Partial<PlanDraft>) => keepDraft(projectId, { ...draft, ...part });
  const tree = treeOf(draft);

  const conversationHere = async (): Promise<ConversationId> => {
    if (conversation.current !== null) return conversation.current;
    const open = usePlace.getState().conversationId;
    if (open !== null) {
      const { item } = await client.ensureQueryData(queries.conversation(open));
      if (item.project_id === projectId) return (conversation.current = open);
    }
    return (conversation.current = (await call("conversation_create", { project_id: projectId })).id);
  };
  const act = async (what: "make" | "run" | "keep", how: (mine: object) => Promise<void>) => {
    const mine = {};
    asked.current = mine;
    setBusy(what);
    setFailure(null);
    try {
      await how(mine);
    } catch (thrown) {
      if (asked.current === mine && toFailure(thrown).code !== "cancelled") setFailure(thrown);
    } finally {
      if (asked.current === mine) setBusy(null);
    }
  };
  const make = () =>
    act("make", async (mine) => {
      const conversation_id = await conversationHere();
      const made = await call("tree_create", { conversation_id, goal: draft.goal.trim() });
      if (asked.current === mine) keepDraft(projectId, draftOf(draft.goal, made));
    });
  const cancel = () => {
    asked.current = null;
    setBusy(null);
    if (conversation.current !== null) call("stop", { id: conversation.current }).catch(setFailure);
  };
  const run = () =>
    act("run", async () => {
      const conversation_id = await conversationHere();
      await call("tree_run", { conversation_id, tree });
      keepDraft(projectId, undefined);
      closeOverlay();
      goToConversation({ id: conversation_id, project_id: projectId });
    });
  const keep = () =>
    act("keep", async () => {
      await keepPlan(projectId, tree);
      keepDraft(projectId, undefined);
      announce(t("tree.kept"));
      closeOverlay();
    });
  const planned = draft.title !== null;
  const nothing = tree.steps.length === 0;
  return (
    <Dialog
      open
      size="m"
      onClose={() => {
        if (busy === "make") cancel();
        closeOverlay();
      }}
      title={t("tree.title")}
      description={t(planned ? "tree.runHint" : "tree.goalText")}
      footer={
        busy === "make" ? (
          <Button onClick={cancel}>{t("cancel", { ns: "common" })}</Button>
        ) : planned ? (
          <>
            <Button variant="quiet" disabled={busy !== null} onClick={() => change({ title: null })}>
              {t("tree.back")}
            </Button>
            <Button disabled={busy !== null || nothing} onClick={() => void keep()}>
              {t("tree.keep")}
            </Button>
            <Button variant="primary" disabled={busy !== null || nothing} onClick={() => void run()}>
              {t("tree.run")}
            </Button>
          </>
        ) : (
          <>
            {draft.steps.length > 0 && (
              <Button onClick={() => change({ title: draft.goal })}>{t("tree.stepsAgain")}</Button>
            )}
            <Button variant="primary" disabled={draft.goal.trim() === ""} onClick={() => void make()}>
              {t("tree.make")}
            </Button>
          </>
        )
      }
    >
      <div className={css.plan}>
        {planned ? (
          <Steps draft={draft} onChange={change} />
        ) : (
          <TextArea
            label={t("tree.goal")}
            description={t("tree.goalHint")}
            value={draft.goal}
            onChange={(goal) => change({ goal })}
          />
        )}
        {planned && nothing && <p className={quiet.note}>{t("tree.empty")}</p>}
        {busy === "make" && <Progress label={t("tree.making")} value={null} />}
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
    </Dialog>
  );
}

interface StepsProps {
  draft: PlanDraft;
  onChange: (part: Partial<PlanDraft>) => void;
}

function Steps({ draft: { title, steps }, onChange }: StepsProps) {
  const { t } = useTranslation("toolSettings");
  const set = (at: number, part: Partial<DraftStep>) =>
    onChange({ steps: steps.map((step, index) => (index === at ? { ...step, ...part } : step)) });
  return (
    <>
      <TextField label={t("tree.planTitle")} value={title ?? ""} onChange={(title) => onChange({ title })} autoComplete="off" />
      <ol className={css.steps}>
        {steps.map((step, at) => (
          <Step
            key={step.key}
            step={step}
            at={at}
            earlier={steps.slice(0, at)}
            last={at === steps.length - 1}
            onChange={(part) => set(at, part)}
            onMove={(to) => onChange({ steps: moved(steps, at, to) })}
            onRemove={() => onChange({ steps: steps.filter((_, index) => index !== at) })}
          />
        ))}
      </ol>
      <p>
        <Button
          icon={<Plus aria-hidden />}
          disabled={steps.length >= MOST_STEPS}
          onClick={() => onChange({ steps: [...steps, newStep()] })}
        >
          {t("tree.add")}
        </Button>
      </p>
    </>
  );
}

interface StepProps {
  step: DraftStep;
  /** Its place, from 0. */
  at: number;
  earlier: readonly DraftStep[];
  last: boolean;
  onChange: (part: Partial<DraftStep>) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}

function Step({ step, at, earlier, last, onChange, onMove, onRemove }: StepProps) {
  const { t } = useTranslation("toolSettings");
  const id = useId();
  const n = formatNumber(at + 1);
  return (
    <li className={css.step} aria-label={t("tree.step", { n })}>
      <div className={css.stepHead}>
        <span className={css.number} aria-hidden>
          {n}
        </span>
        <TextField
          className={css.stepTitle}
          label={t("tree.stepTitle", { n })}
          hideLabel
          value={step.title}
          onChange={(title) => onChange({ title })}
          autoComplete="off"
        />
        <IconButton
          label={t("tree.up", { n })}
          icon={<ArrowUp aria-hidden />}
          disabled={at === 0}
          onClick={() => onMove(at - 1)}
        />
        <IconButton
          label={t("tree.down", { n })}
          icon={<ArrowDown aria-hidden />}
          disabled={last}
          onClick={() => onMove(at + 1)}
        />
        <IconButton label={t("tree.remove", { n })} icon={<X aria-hidden />} onClick={onRemove} />
      </div>
      <details className={css.details}>
        <summary>{t("tree.more", { n })}</summary>
        <TextArea label={t("tree.notes")} rows={2} value={step.notes} onChange={(notes) => onChange({ notes })} />
        <TextArea
          label={t("tree.acceptance")}
          description={t("tree.acceptanceHint")}
          rows={2}
          value={step.acceptance}
          onChange={(acceptance) => onChange({ acceptance })}
        />
        {earlier.length > 0 && (
          <fieldset className={css.waits}>
            <legend>{t("tree.waits")}</legend>
            {earlier.map((other, index) => (
              <label key={other.key} htmlFor={`${id}-${index}`}>
                <input
                  id={`${id}-${index}`}
                  type="checkbox"
                  checked={step.after.includes(other.key)}
                  onChange={(event) =>
                    onChange({
                      after: event.currentTarget.checked
                        ? [...step.after, other.key]
                        : step.after.filter((key) => key !== other.key),
                    })
                  }
                />
                {formatNumber(index + 1)}. {other.title}
              </label>
            ))}
          </fieldset>
        )}
      </details>
    </li>
  );
}
