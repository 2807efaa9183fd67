// The files of a plan: what happens to each and why, the difference, and the person's own choice. What comes from a copy is
// not of an earlier time, so it has words of its own.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId, useMemo, useState, type ReactNode } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type PathOutcome, type PlannedFile, type RestorePlan } from "@/ipc";
import { queries } from "@/ipc/queries";
import { Diff, lineDiff } from "@/shared/diff";
import { formatBytes, useTranslation } from "@/shared/i18n";
import { Button, quiet, Select, Spinner, useAct } from "@/shared/kit";
import type { PlanChoices } from "./choices";
import { answerAll, type Answer } from "./forAll";
import { MergeDialog, mergeQuery } from "./MergeDialog";
import css from "./restore.module.css";
import rows from "./rows.module.css";

/** Files that are listed at first. */
const LISTED = 200;

interface PlannedFilesProps {
  plan: RestorePlan;
  /** Of what time the checkpoint is; null where it is what a copy holds. */
  when: string | null;
  choices: PlanChoices["choices"];
  onChoose: PlanChoices["choose"];
}

/** Where the words of a plan stand. */
const wordsOf = (when: string | null) => (when === null ? "takeOver" : "restore");

export function PlannedFiles({ plan, when, choices, onChoose }: PlannedFilesProps) {
  const { t } = useTranslation("checkpoints");
  const [most, setMost] = useState(LISTED);
  const [merging, setMerging] = useState<PlannedFile | null>(null);
  const words = wordsOf(when);
  const conflicts = plan.files.filter(({ action }) => action === "conflict");
  const others = plan.files.filter(({ action }) => action !== "conflict" && action !== "skip");
  const stays = plan.files.filter(({ action }) => action === "skip");
  const list = (title: string, files: readonly PlannedFile[], answers?: ReactNode) =>
    files.length > 0 && (
      <section aria-label={title}>
        <h3>{title}</h3>
        {answers}
        <ul className={css.files}>
          {files.slice(0, most).map((file) => (
            <Planned
              key={file.path}
              file={file}
              plan={plan}
              words={words}
              choice={choices.get(file.path) ?? null}
              onChoose={(choice) => onChoose(file.path, choice)}
              onMerge={() => setMerging(file)}
            />
          ))}
        </ul>
      </section>
    );
  if (plan.files.length === 0) return <p className={quiet.note}>{t("restore.sameFiles")}</p>;
  return (
    <>
      {list(
        t(`${words}.conflicts`, { count: conflicts.length }),
        conflicts,
        conflicts.length > 1 && <ForAll plan={plan} words={words} files={conflicts} onChoose={onChoose} />,
      )}
      {list(t("restore.changes", { count: others.length }), others)}
      {list(t("restore.stays", { count: stays.length }), stays)}
      {[conflicts, others, stays].some(({ length }) => length > most) && (
        <Button onClick={() => setMost(Infinity)}>{t("showAll", { count: plan.files.length })}</Button>
      )}
      {merging && (
        <MergeDialog
          plan={plan}
          file={merging}
          when={when}
          text={choices.get(merging.path)}
          onClose={() => setMerging(null)}
          onDone={(text) => {
            onChoose(merging.path, { is: "merge", text });
            setMerging(null);
          }}
        />
      )}
    </>
  );
}

interface ForAllProps {
  plan: RestorePlan;
  words: ReturnType<typeof wordsOf>;
  files: readonly PlannedFile[];
  onChoose: PlannedFilesProps["onChoose"];
}

const ANSWERS: readonly Answer[] = ["keep", "overwrite", "merge"];

function ForAll({ plan: { plan_id }, words, files, onChoose }: ForAllProps) {
  const { t } = useTranslation("checkpoints");
  const { running: busy, failure, act } = useAct();
  const [left, setLeft] = useState(0);
  const answer = (is: Answer) =>
    act(async () => {
      const all = await answerAll(files, is, ({ index }) => call("checkpoint_merge", { plan_id, index }));
      for (const [path, choice] of all.choices) onChoose(path, choice);
      setLeft(all.left);
    });
  return (
    <>
      <div className={css.choice} role="group" aria-label={t("restore.all.label")}>
        <span className={quiet.note}>{t("restore.all.label")}</span>
        {ANSWERS.map((is) => (
          <Button key={is} disabled={busy} onClick={() => void answer(is)}>
            {t(`${words}.all.${is}`)}
          </Button>
        ))}
      </div>
      {left > 0 && (
        <p className={quiet.note} role="status">
          {t("restore.all.left", { count: left })}
        </p>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </>
  );
}

/** What becomes of a file: as the plan made it of both, or as the person says. */
type Wanted = PathOutcome["is"] | "both";

interface PlannedProps {
  file: PlannedFile;
  plan: RestorePlan;
  words: ReturnType<typeof wordsOf>;
  choice: PathOutcome | null;
  onChoose: (choice: PathOutcome | null) => void;
  onMerge: () => void;
}

function Planned({ file, plan, words, choice, onChoose, onMerge }: PlannedProps) {
  const { t } = useTranslation("checkpoints");
  const [open, setOpen] = useState(false);
  const id = useId();
  const { path, action, why, now, then, can_merge } = file;
  const both = why === "both";
  // What both together come to is nobody's size yet.
  const sizes = (both ? [now] : [now, then]).map((size) => (size === null ? t("restore.absent") : formatBytes(size))).join(" → ");
  const conflict = action === "conflict";
  const planned: Wanted = both ? "both" : conflict ? "keep" : "overwrite";
  const value = choice?.is ?? planned;
  const change = (next: Wanted) => {
    if (next === "merge") onMerge();
    // What the plan says anyway is no choice.
    else onChoose(next === planned || next === "both" ? null : { is: next });
  };
  // A file that is only then comes back; one that is only now goes.
  const does = then === null ? "delete" : now === null ? "create" : "overwrite";
  return (
    <li className={css.planned} data-conflict={conflict || undefined}>
      <button
        type="button"
        className={rows.file}
        aria-expanded={open}
        aria-describedby={`${id}-why`}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight className={rows.chevron} aria-hidden />
        <span className={rows.path}>{path}</span>
        <span className={quiet.note} data-numeric>
          {sizes}
        </span>
      </button>
      {action !== "skip" && (
        <div className={css.choice}>
          <Select<Wanted>
            label={t("restore.choice", { path })}
            hideLabel
            value={value}
            onChange={change}
            options={[
              ...(both ? [{ value: "both" as const, label: t("takeOver.both") }] : []),
              { value: "keep", label: t(`${words}.keep`) },
              { value: "overwrite", label: t(`${words}.does.${does}`) },
              ...(can_merge || both ? [{ value: "merge" as const, label: t("restore.merge") }] : []),
            ]}
          />
          {value === "merge" && <Button onClick={onMerge}>{t("restore.mergeAgain")}</Button>}
        </div>
      )}
      <p id={`${id}-why`} className={css.why}>
        {t(`why.${why}`)}
      </p>
      {open && (value === "both" ? <BothDiff plan={plan} file={file} /> : <PlannedDiff id={plan.checkpoint_id} path={path} />)}
    </li>
  );
}

/** From now to both together. */
function BothDiff({ plan, file: { index, path } }: Pick<PlannedProps, "plan" | "file">) {
  const texts = useQuery(mergeQuery(plan.plan_id, index));
  const lines = useMemo(() => texts.data && lineDiff(texts.data.now, texts.data.merged), [texts.data]);
  if (texts.isError) return <ErrorNotice failure={texts.error} />;
  return lines ? <Diff label={path} difference={lines} /> : <Spinner />;
}

/** From now to then: what the restore would do to the text. */
function PlannedDiff({ id, path }: { id: string; path: string }) {
  const { t } = useTranslation("checkpoints");
  const texts = useQuery(queries.checkpointFile(id, null, path));
  const lines = useMemo(
    () => (texts.data && !texts.data.binary ? lineDiff(texts.data.after, texts.data.before) : null),
    [texts.data],
  );
  if (texts.isError) return <ErrorNotice failure={texts.error} />;
  if (!texts.data) return <Spinner />;
  if (!lines) return <p className={quiet.note}>{t("binaryShort")}</p>;
  return <Diff label={path} difference={lines} />;
}
