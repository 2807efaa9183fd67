// Lets several agents work on one task at the same time, each in a copy of the project that is made for it. They are started
// one after another; one that could not be started keeps no other from it.
import { useQueries, useQuery } from "@tanstack/react-query";
import { Check, Plus, X } from "lucide-react";
import { useId, useRef, useState, type KeyboardEvent } from "react";
import { create } from "zustand";
import { closeOverlay, goToCopies, openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { ModelChoice, useIsAgent, useModelNames } from "@/features/models";
import { call, type CopyPlace, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, IconButton, keyNames, Notice, Progress, quiet, TextArea, useAct } from "@/shared/kit";
import css from "./copies.module.css";
import { begin, candidates, MOST, nextOf, workerOf, type Worker } from "./starting";

/** By project: what was written is there again when the dialog was left for the settings. */
const useTasks = create<Record<ProjectId, string | undefined>>(() => ({}));

export function StartCopiesDialog({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("copies");
  const { alone } = useModelNames();
  const place = useQuery(queries.copyPlace(projectId));
  const task = useTasks((tasks) => tasks[projectId]) ?? "";
  const able = useCandidates();
  const [workers, setWorkers] = useState<readonly Worker[]>([]);
  const [wanted, setWorktree] = useState<boolean | null>(null);
  const { running, act } = useAct();
  const id = useId();
  const stop = useRef(false);
  const making = useRef("");
  // Two to begin with, as soon as it is known who there is; the last one cannot be removed.
  if (workers.length === 0 && able?.[0]) setWorkers([able[0], nextOf(able, able.slice(0, 1)) ?? able[0]].map(workerOf));
  const change = (key: string, part: Partial<Worker>) =>
    setWorkers((now) => now.map((worker) => (worker.key === key ? { ...worker, ...part } : worker)));
  const waiting = workers.filter(({ asked }) => !asked);
  const another = nextOf(able ?? [], workers.map(({ who }) => who));
  const some = waiting.length < workers.length;
  const worktree = (wanted ?? true) && (place.data?.worktree ?? false);
  const ready = task.trim() !== "" && waiting.length > 0 && place.data !== undefined && !running;

  const leave = () => (some ? goToCopies(projectId) : closeOverlay());
  const start = () =>
    act(async () => {
      stop.current = false;
      let all = true;
      for (const worker of waiting) {
        if (stop.current) return;
        making.current = crypto.randomUUID();
        const { model, provider } = worker.who;
        const started = await begin(worker, {
          projectId,
          makingId: making.current,
          name: alone(model, provider),
          worktree,
          task: task.trim(),
          stopped: () => stop.current,
          tell: (part) => change(worker.key, part),
        });
        all &&= started;
      }
      if (!all || stop.current) return;
      useTasks.setState({ [projectId]: undefined });
      goToCopies(projectId);
    });
  const cancel = () => {
    stop.current = true;
    // One that is made already goes as soon as that is known.
    call("copy_cancel", { making_id: making.current }).catch(() => {});
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (ready) void start();
  };
  const n = formatNumber(waiting.length);
  return (
    <Dialog
      open
      size="m"
      onClose={() => !running && leave()}
      title={t("start.title")}
      footer={
        <>
          <Button onClick={running ? cancel : leave}>{t(some && !running ? "close" : "cancel", { ns: "common" })}</Button>
          <Button variant="primary" disabled={!ready} onClick={() => void start()}>
            {t("start.do", { n })}
          </Button>
        </>
      }
    >
      <form className={css.body} onKeyDown={keyDown} onSubmit={(event) => event.preventDefault()}>
        <TextArea
          label={t("start.task")}
          description={t("start.taskHint", { keys: keyNames("Mod+Enter") })}
          value={task}
          onChange={(text) => useTasks.setState({ [projectId]: text })}
        />
        {able?.length === 0 ? (
          <Notice
            actions={
              <Button onClick={() => openOverlay({ kind: "settings", tab: "models" })}>{t("start.connect")}</Button>
            }
          >
            {t("start.nobody")}
          </Notice>
        ) : (
          <section aria-labelledby={`${id}-who`}>
            <h3 id={`${id}-who`} className={css.label}>
              {t("start.who")}
            </h3>
            <ol className={css.workers}>
              {workers.map((worker, at) => (
                <Row
                  key={worker.key}
                  worker={worker}
                  n={at + 1}
                  disabled={running}
                  onChoose={(part) => change(worker.key, part)}
                  onRemove={workers.length > 1 ? () => setWorkers(workers.filter(({ key }) => key !== worker.key)) : null}
                />
              ))}
            </ol>
            {another && workers.length < MOST && (
              <Button
                variant="quiet"
                className={css.add}
                icon={<Plus aria-hidden />}
                disabled={running}
                onClick={() => setWorkers([...workers, workerOf(another)])}
              >
                {t("start.add")}
              </Button>
            )}
          </section>
        )}
        {place.isError && <ErrorNotice failure={place.error} />}
        {place.data && <Kinds place={place.data} worktree={worktree} disabled={running} onChoose={setWorktree} />}
      </form>
    </Dialog>
  );
}

function useCandidates() {
  const providers = useQuery(queries.providers()).data;
  const settings = useQuery(queries.settings()).data;
  const lists = useQueries({
    queries: (providers ?? []).map(({ name }) => ({ ...queries.models(name), enabled: false })),
    combine: (results) => results.map(({ data }) => data),
  });
  return providers && settings && candidates(providers, settings, lists);
}

interface RowProps {
  worker: Worker;
  n: number;
  disabled: boolean;
  onChoose: (part: Partial<Worker>) => void;
  /** Null for the only one. */
  onRemove: (() => void) | null;
}

function Row({ worker: { who, copying, asked, failure }, n, disabled, onChoose, onRemove }: RowProps) {
  const { t } = useTranslation("copies");
  const { alone } = useModelNames();
  const isAgent = useIsAgent();
  const number = formatNumber(n);
  const name = alone(who.model, who.provider);
  return (
    <li className={css.worker}>
      <span className={css.number} aria-hidden>
        {number}
      </span>
      {asked ? (
        <span className={css.asked}>
          <Check aria-hidden />
          {t("start.asked", { name })}
        </span>
      ) : (
        <ModelChoice
          name={t("start.one", { n: number })}
          agents
          chosen={who}
          disabled={disabled}
          onChoose={(choice) => choice && onChoose({ who: choice, failure: null })}
        />
      )}
      {!asked && onRemove && (
        <IconButton label={t("start.remove", { n: number })} icon={<X aria-hidden />} disabled={disabled} onClick={onRemove} />
      )}
      {copying && (
        <div className={css.wide}>
          <Progress
            label={t("start.copying", { done: formatNumber(copying.done), count: copying.total, n: formatNumber(copying.total) })}
            value={copying.total > 0 ? copying.done / copying.total : null}
          />
        </div>
      )}
      {failure !== null && (
        <div className={css.wide}>
          <ErrorNotice failure={failure} agent={isAgent(who.provider)} />
        </div>
      )}
    </li>
  );
}

interface KindsProps {
  place: CopyPlace;
  worktree: boolean;
  disabled: boolean;
  onChoose: (worktree: boolean) => void;
}

function Kinds({ place: { worktree: possible, beside }, worktree, disabled, onChoose }: KindsProps) {
  const { t } = useTranslation("copies");
  const id = useId();
  return (
    <div role="radiogroup" aria-labelledby={id}>
      <h3 id={id} className={css.label}>
        {t("start.kind")}
      </h3>
      {([true, false] as const).map((one) => (
        <label key={String(one)} className={css.kind}>
          <input
            type="radio"
            name={id}
            checked={worktree === one}
            disabled={disabled || (one && !possible)}
            onChange={() => onChoose(one)}
          />
          <span>{t(one ? "start.worktree" : "start.folder")}</span>
          <span className={quiet.note}>{t(!one ? "start.folderHint" : possible ? "start.worktreeHint" : "start.noWorktree")}</span>
        </label>
      ))}
      <p className={quiet.note}>{t("start.beside", { beside })}</p>
    </div>
  );
}
