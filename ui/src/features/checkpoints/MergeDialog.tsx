// Both versions of a file beside each other, and below them what becomes of it: made of both, and the person's to edit.
// Where both changed the same lines, marks stay in the text until each is resolved.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type PathOutcome, type PlanId, type PlannedFile, type RestorePlan } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, Spinner } from "@/shared/kit";
import { contradictions, resolved } from "./marks";
import css from "./restore.module.css";

interface MergeDialogProps {
  plan: RestorePlan;
  file: PlannedFile;
  /** Of what time the other version is; null where it is the copy's. */
  when: string | null;
  /** What was made of it before. */
  text: PathOutcome | undefined;
  onClose: () => void;
  onDone: (text: string) => void;
}

/** Both versions, and what they come to together. */
export const mergeQuery = (plan_id: PlanId, index: number) =>
  queryOptions({
    queryKey: ["restorePlan", plan_id, index],
    queryFn: () => call("checkpoint_merge", { plan_id, index }),
    gcTime: 0,
  });

const SIDES = ["now", "then", "both"] as const;

export function MergeDialog({ plan: { plan_id }, file: { index, path }, when, text, onClose, onDone }: MergeDialogProps) {
  const { t } = useTranslation("checkpoints");
  const [typed, setTyped] = useState(text?.is === "merge" ? text.text : null);
  const texts = useQuery(mergeQuery(plan_id, index));
  const words = when === null ? "takeOver" : "merge";
  const result = typed ?? texts.data?.merged ?? "";
  const left = contradictions(result);
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={t("merge.title", { path })}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button variant="primary" disabled={!texts.data || left.length > 0} onClick={() => onDone(result)}>
            {t("merge.use")}
          </Button>
        </>
      }
    >
      {texts.isPending && <Spinner />}
      {texts.isError && <ErrorNotice failure={texts.error} />}
      {texts.data && (
        <div className={css.merge}>
          <Version title={t(`${words}.now`)} text={texts.data.now} />
          <Version title={when === null ? t("takeOver.then") : t("merge.then", { when })} text={texts.data.then} />
          <div className={css.marksLine} role="status">
            {left.length === 0 ? t("merge.clean") : t("merge.left", { count: left.length })}
            {left[0] &&
              SIDES.map((side) => (
                <Button key={side} onClick={() => setTyped(resolved(result, left[0]!, side))}>
                  {t(`${words}.take.${side}`)}
                </Button>
              ))}
          </div>
          <Result text={result} onChange={setTyped} />
        </div>
      )}
    </Dialog>
  );
}

function Version({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <pre className={css.version} tabIndex={0} aria-label={title} data-selectable>
        {text}
      </pre>
    </section>
  );
}

/** A text field over a copy of its text, in which the lines with marks have a ground. */
function Result({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const { t } = useTranslation("checkpoints");
  const marked = contradictions(text);
  return (
    <div className={css.resultScroll}>
      <div className={css.result}>
        <pre aria-hidden>
          {text.split("\n").map((line, at) => (
            <span key={at} data-marked={marked.some(({ start, end }) => start <= at && at < end) || undefined}>
              {line || " "}
            </span>
          ))}
        </pre>
        <textarea
          aria-label={t("merge.result")}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}
