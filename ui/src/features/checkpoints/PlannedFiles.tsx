// The files of a plan: what happens to each and why, the difference, and the person's own choice.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId, useMemo, useState, type ReactNode } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type PathOutcome, type PlannedFile, type RestorePlan } from "@/ipc";
import { queries } from "@/ipc/queries";
import { Diff, lineDiff } from "@/shared/diff";
import { formatBytes, useTranslation } from "@/shared/i18n";
import { Button, quiet, Select, Spinner, useAct } from "@/shared/kit";
import { answerAll, type Answer } from "./forAll";
import { MergeDialog } from "./MergeDialog";
import css from "./restore.module.css";
import rows from "./rows.module.css";

/** Files that are listed at first. */
const LISTED = 200;

interface PlannedFilesProps {
  plan: RestorePlan;
  when: string;
  choices: ReadonlyMap<string, PathOutcome>;
  /** Null takes the choice back. */
  onChoose: (path: string, choice: PathOutcome | null) => void;
}

export function PlannedFiles({ plan, when, choices, onChoose }: PlannedFilesProps) {
  const { t } = useTranslation("checkpoints");
  const [most, setMost] = useState(LISTED);
  const [merging, setMerging] = useState<PlannedFile | null>(null);
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
        t("restore.conflicts", { count: conflicts.length }),
        conflicts,
        conflicts.length > 1 && <ForAll plan={plan} files={conflicts} onChoose={onChoose} />,
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
  files: readonly PlannedFile[];
  onChoose: PlannedFilesProps["onChoose"];
}

const ANSWERS: readonly Answer[] = ["keep", "overwrite", "merge"];

function ForAll({ plan: { plan_id }, files, onChoose }: ForAllProps) {
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
            {t(`restore.all.${is}`)}
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

interface PlannedProps {
  file: PlannedFile;
  plan: RestorePlan;
  choice: PathOutcome | null;
  onChoose: (choice: PathOutcome | null) => void;
  onMerge: () => void;
}

function Planned({ file, plan, choice, onChoose, onMerge }: PlannedProps) {
  const { t } = useTranslation("checkpoints");
  const [open, setOpen] = useState(false);
  const id = useId();
  const { path, action, why, now, then, can_merge } = file;
  const sizes = [now, then].map((size) => (size === null ? t("restore.absent") : formatBytes(size))).join(" → ");
  const conflict = action === "conflict";
  const value = choice?.is ?? (conflict ? "keep" : "overwrite");
  const change = (next: PathOutcome["is"]) => {
    if (next === "merge") onMerge();
    // What the plan says anyway is no choice.
    else onChoose(next === (conflict ? "keep" : "overwrite") ? null : { is: next });
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
          <Select<PathOutcome["is"]>
            label={t("restore.choice", { path })}
            hideLabel
            value={value}
            onChange={change}
            options={[
              { value: "keep", label: t("restore.keep") },
              { value: "overwrite", label: t(`restore.does.${does}`) },
              ...(can_merge ? [{ value: "merge" as const, label: t("restore.merge") }] : []),
            ]}
          />
          {value === "merge" && <Button onClick={onMerge}>{t("restore.mergeAgain")}</Button>}
        </div>
      )}
      <p id={`${id}-why`} className={css.why}>
        {t(`why.${why}`)}
      </p>
      {open && <PlannedDiff id={plan.checkpoint_id} path={path} />}
    </li>
  );
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
