// All that a turn changed, or that is different in a copy, file by file and piece by piece. What is marked is taken back in one act, which can be undone;
// what somebody changed since says so and stays, unless the whole file is wanted as it was.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { closeOverlay } from "@/app/actions";
import { tellTakenBack } from "@/features/checkpoints";
import { ErrorNotice } from "@/features/errors";
import { call, type ChangesOf, type ProjectId, type ReviewedFile, type Standing } from "@/ipc";
import { copyName, originalOf } from "@/ipc/copies";
import { queries } from "@/ipc/queries";
import { Counts, Diff } from "@/shared/diff";
import { formatBytes, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, Progress, quiet, Spinner, useAct } from "@/shared/kit";
import css from "./changes.module.css";
import { allOf, marked, standing, takenBack, type Mark, type Marks } from "./marks";

/** Files that are open at first, while there are no more. */
const OPEN = 12;

interface ReviewDialogProps {
  of: ChangesOf;
  projectId: ProjectId;
  /** Whether all of it is marked at first. */
  all: boolean;
}

export function ReviewDialog({ of, projectId, all }: ReviewDialogProps) {
  const { t } = useTranslation("changes");
  const review = useQuery(queries.review(of));
  const { data: projects = [] } = useQuery(queries.projects());
  const copy = of.of === "copy";
  const name = copyName(projects.find(({ id }) => id === of.id) ?? { name: "" }, originalOf(projects, of.id));
  const [chosen, setMarks] = useState<Marks | null>(null);
  const { running: busy, failure, act } = useAct();
  const files = review.data?.files ?? [];
  const marks: Marks = chosen ?? (all ? everything(files) : new Map());
  const wanted = takenBack(files, marks);
  const mark = (path: string, to: Mark | null) => {
    const next = new Map(marks);
    if (to === null) next.delete(path);
    else next.set(path, to);
    setMarks(next);
  };
  const whole = wanted.length > 0 && files.every((file) => marked(file, marks.get(file.file.path)) === "all");
  const takeBack = () =>
    act(async () => {
      try {
        const restored = await call("changes_take_back", { of, files: wanted });
        closeOverlay();
        tellTakenBack(restored, projectId);
      } catch (thrown) {
        // What was marked is of what was shown; a file may be another one now.
        await review.refetch();
        throw thrown;
      }
    });
  // In a copy nobody else is at work, and who did what is not known.
  const others = !copy && files.some(({ file }) => !file.by_tool);
  const since = files.some(({ file }) => file.standing === "changed");
  return (
    <Dialog
      open
      size="l"
      onClose={() => !busy && closeOverlay()}
      title={copy ? t(all ? "copy.undoTitle" : "copy.title", { name }) : t(all ? "undoTitle" : "title")}
      description={t(copy ? "copy.text" : "text")}
      footer={
        <>
          <Button disabled={busy} onClick={closeOverlay}>
            {t(wanted.length > 0 ? "cancel" : "close", { ns: "common" })}
          </Button>
          <Button variant="primary" disabled={busy || wanted.length === 0} onClick={() => void takeBack()}>
            {whole && !copy ? t("undoTurn") : t("takeBackIn", { count: wanted.length })}
          </Button>
        </>
      }
    >
      <div className={css.review}>
        {failure !== null && <ErrorNotice failure={failure} />}
        {busy && <Progress label={t("busy")} value={null} />}
        {review.isPending && <Spinner label={t("reading")} />}
        {review.isError && <ErrorNotice failure={review.error} />}
        {review.data?.known === "until_next" && <Notice>{t("untilNext")}</Notice>}
        {review.data && files.length === 0 && <p className={quiet.note}>{t("nothing")}</p>}
        {others && <p className={quiet.note}>{t("others")}</p>}
        {since && <p className={quiet.note}>{t("since")}</p>}
        {files.map((reviewed) => (
          <File
            key={reviewed.file.path}
            of={of}
            reviewed={reviewed}
            first={files.length <= OPEN}
            disabled={busy}
            mark={marks.get(reviewed.file.path)}
            onMark={(to) => mark(reviewed.file.path, to)}
          />
        ))}
      </div>
    </Dialog>
  );
}

function everything(files: readonly ReviewedFile[]): Marks {
  return new Map(
    files.flatMap((file) => {
      const mark = allOf(file);
      return mark === null ? [] : [[file.file.path, mark] as const];
    }),
  );
}

interface FileProps {
  of: ChangesOf;
  reviewed: ReviewedFile;
  /** Whether it is open at first. */
  first: boolean;
  disabled: boolean;
  mark: Mark | undefined;
  onMark: (mark: Mark | null) => void;
}

function File({ of, reviewed, first, disabled, mark, onMark }: FileProps) {
  const { t } = useTranslation("changes");
  const [open, setOpen] = useState(first);
  const { file } = reviewed;
  const later = useQuery({ ...queries.review(of, file.path), enabled: open && reviewed.shown.is === "later" });
  const shown = reviewed.shown.is === "later" ? (later.data?.files[0]?.shown ?? reviewed.shown) : reviewed.shown;
  const known = { ...reviewed, shown };
  const whole = allOf(known);
  const how = marked(known, mark);
  const sizes = [file.before, file.after].flatMap((size) => (size === null ? [] : [formatBytes(size)])).join(" → ");
  const changed = file.standing === "changed";
  return (
    <div className={css.file}>
      <div className={css.head}>
        <button type="button" className={css.name} aria-expanded={open} onClick={() => setOpen(!open)}>
          <ChevronRight aria-hidden className={css.chevron} />
          <span className={css.path}>
            {file.from !== null && `${file.from} → `}
            {file.path}
          </span>
        </button>
        <span className={quiet.note}>{t(`kind.${file.kind}`)}</span>
        {of.of === "turn" && !file.by_tool && (
          <span className={quiet.note} title={t("others")}>
            {t("byOther")}
          </span>
        )}
        {file.added !== null && file.removed !== null && (file.added > 0 || file.removed > 0) && (
          <Counts added={file.added} removed={file.removed} />
        )}
        {whole === null && file.standing === "taken_back" ? (
          <span className={css.taken}>{t("takenBack")}</span>
        ) : (
          whole !== null && (
            <Check label={t("takeBack")} about={file.path} how={how} disabled={disabled} onChange={(on) => onMark(on ? whole : null)} />
          )
        )}
      </div>
      {open && (
        <div className={css.body}>
          {shown.is === "later" && (later.isError ? <ErrorNotice failure={later.error} /> : <Spinner />)}
          {shown.is === "opaque" && <p className={quiet.note}>{t("opaque", { sizes })}</p>}
          {shown.is === "outside" && <p className={quiet.note}>{t(file.kind === "moved" ? "movedOnly" : "modeOnly")}</p>}
          {shown.is === "pieces" && (
            <Diff
              label={file.path}
              difference={shown.difference}
              hunk={(at) => {
                const is = shown.standing[at] ?? "changed";
                const going = mark === "whole" ? is !== "taken_back" : (mark?.has(at) ?? false);
                const single = shown.standing.length === 1 && is === "stands";
                return {
                  going,
                  head: !single && (
                    <Piece
                      at={at}
                      path={file.path}
                      is={is}
                      going={going}
                      disabled={disabled || mark === "whole"}
                      onMark={(on) => {
                        const next = new Set(mark === "whole" ? standing(known) : mark);
                        if (on) next.add(at);
                        else next.delete(at);
                        onMark(next.size === 0 ? null : next);
                      }}
                    />
                  ),
                };
              }}
            />
          )}
          {changed && (shown.is !== "pieces" || shown.standing.includes("changed")) && (
            <Check
              label={t("whole")}
              about={file.path}
              how={mark === "whole" ? "all" : "none"}
              disabled={disabled}
              onChange={(on) => onMark(on ? "whole" : null)}
            />
          )}
        </div>
      )}
    </div>
  );
}

interface PieceProps {
  at: number;
  path: string;
  is: Standing;
  going: boolean;
  disabled: boolean;
  onMark: (on: boolean) => void;
}

/** What stands over a piece: whether it is taken back, or why it cannot be. */
function Piece({ at, path, is, going, disabled, onMark }: PieceProps) {
  const { t } = useTranslation("changes");
  const name = t("piece", { n: at + 1 });
  return (
    <div className={css.piece} data-is={is}>
      <span>{name}</span>
      {is === "stands" ? (
        <Check label={t("takeBack")} about={`${path}, ${name}`} how={going ? "all" : "none"} disabled={disabled} onChange={onMark} />
      ) : (
        <span className={css.taken}>{t(is === "changed" ? "changedSince" : "takenBack")}</span>
      )}
    </div>
  );
}

interface CheckProps {
  label: string;
  /** What it is about, for who does not see where it stands. */
  about: string;
  how: "none" | "some" | "all";
  disabled: boolean;
  onChange: (on: boolean) => void;
}

function Check({ label, about, how, disabled, onChange }: CheckProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = how === "some";
  }, [how]);
  return (
    <label className={css.check}>
      <input
        ref={box}
        type="checkbox"
        checked={how === "all"}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
      <span className="visually-hidden">: {about}</span>
    </label>
  );
}
