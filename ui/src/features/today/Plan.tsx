// On the Today page: the plan that is worked on with its tasks, other plans to switch to, and what was decided.
import { useQuery } from "@tanstack/react-query";
import { Archive, ArrowDown, ArrowUp, Check, Ellipsis, ListTree, Pencil, Play, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { goToMessage, openOverlay, type TodayPlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { PlanRun } from "@/features/tools";
import { changeWork, progressOf, shownTasks } from "@/features/work";
import type { ProjectId, Task, Workflow, WorkflowChange } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, IconButton, Menu, quiet, Select, Spinner, TextField } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./plan.module.css";
import { Sharing } from "./Sharing";

/** Decisions that are listed at first. */
const DECISIONS = 5;

const NONE = "none";
const NEW = "new";

interface WorkProps {
  projectId: ProjectId;
  workflow: Workflow;
}

interface PlanProps {
  projectId: ProjectId;
  /** The decision that the page was opened for. */
  sought: TodayPlace["decision"];
}

export function Plan(props: PlanProps) {
  const { t } = useTranslation("today");
  const { data, error } = useQuery(queries.workflow(props.projectId));
  return (
    <section className={css.work} aria-labelledby="today-plan">
      <h2 id="today-plan">{t("plan")}</h2>
      {error && <ErrorNotice failure={error} />}
      {data ? <Work {...props} workflow={data} /> : !error && <Spinner />}
    </section>
  );
}

function Work({ projectId, workflow, sought }: PlanProps & WorkProps) {
  const { t } = useTranslation("work");
  const { plan } = progressOf(workflow);
  const change = (change: WorkflowChange) => changeWork(projectId, change);
  const tasks = shownTasks(plan);
  return (
    <>
      <PlanRun projectId={projectId} workflow={workflow} />
      <Plans projectId={projectId} workflow={workflow} />
      {plan && (
        <>
          <ul className={css.tasks} aria-label={t("tasks.list")}>
            {tasks.map((task, at) => (
              <TaskRow
                key={task.id}
                task={task}
                current={task.id === workflow.current_task_id}
                place={[at, tasks.length]}
                waits={task.depends_on.some((id) => plan.tasks.some((other) => other.id === id && other.status !== "done"))}
                onChange={change}
                onMove={(to) => void change({ change: "move_task", id: task.id, to: plan.tasks.indexOf(tasks[to]!) })}
              />
            ))}
          </ul>
          <Add
            key={plan.id}
            label={t("tasks.add")}
            onAdd={(title) =>
              change({ change: "add_task", plan_id: plan.id, title, notes: "", acceptance: [], depends_on: [] })
            }
          />
        </>
      )}
      <Button variant="quiet" className={css.planWith} icon={<ListTree aria-hidden />} onClick={() => openOverlay({ kind: "plan", projectId })}>
        {t("planWith")}
      </Button>
      <Decisions key={sought?.nonce} workflow={workflow} projectId={projectId} sought={sought?.id} />
      <Sharing projectId={projectId} />
    </>
  );
}

/** Which plan is worked on. Leaving one for another asks what becomes of the running summary. */
function Plans({ projectId, workflow }: WorkProps) {
  const { t } = useTranslation("work");
  const { plan, done, total } = progressOf(workflow);
  const [to, setTo] = useState<string | null>(null);
  const [naming, setNaming] = useState<"new" | "rename" | null>(null);
  const choose = (value: string) => {
    if (value === NEW) return setNaming("new");
    if (value === (plan?.id ?? NONE)) return;
    if (plan) return setTo(value);
    void changeWork(projectId, { change: "switch_plan", id: value });
  };
  const switchTo = (reset: boolean) => {
    void changeWork(projectId, { change: "switch_plan", id: to === NONE ? null : to }, reset);
    setTo(null);
  };
  const open = workflow.plans.filter(({ id, status }) => status !== "archived" || id === plan?.id);
  if (naming !== null || open.length === 0) {
    const add = async (title: string) => {
      const done = await changeWork(
        projectId,
        naming === "rename" && plan
          ? { change: "edit_plan", id: plan.id, title, description: null }
          : { change: "add_plan", title, description: "" },
      );
      if (done) setNaming(null);
      return done;
    };
    return (
      <Add
        key={naming}
        label={t(naming === "rename" ? "plans.rename" : "plans.add")}
        text={naming === "rename" ? plan?.title : ""}
        focused={naming !== null}
        onAdd={add}
        onCancel={naming === null ? undefined : () => setNaming(null)}
      />
    );
  }
  return (
    <>
      <div className={css.plan}>
        <Select
          label={t("plans.current")}
          hideLabel
          value={to ?? plan?.id ?? NONE}
          onChange={choose}
          options={[
            ...open.map(({ id, title, status }) => ({
              value: id,
              label: status === "done" ? t("plans.done", { title }) : title,
            })),
            { value: NONE, label: t("plans.none") },
            { value: NEW, label: t("plans.new") },
          ]}
        />
        {plan && (
          <Menu
            align="end"
            trigger={<IconButton label={t("more", { title: plan.title })} icon={<Ellipsis aria-hidden />} />}
            items={[
              { id: "rename", label: t("plans.rename"), icon: <Pencil aria-hidden />, onSelect: () => setNaming("rename") },
              {
                id: "finish",
                label: t("plans.finish"),
                icon: <Check aria-hidden />,
                disabledReason: plan.status === "done" ? t("plans.isDone") : undefined,
                onSelect: () => void changeWork(projectId, { change: "finish_plan", id: plan.id }),
              },
              {
                id: "archive",
                label: t("archive"),
                icon: <Archive aria-hidden />,
                onSelect: () => void changeWork(projectId, { change: "archive_plan", id: plan.id }),
              },
            ]}
          />
        )}
      </div>
      {plan && total > 0 && to === null && (
        <p className={quiet.note} data-numeric>
          {t("plans.progress", { done, count: total })}
        </p>
      )}
      {to !== null && (
        <div className={css.switching} role="group" aria-label={t("switch.title")}>
          <p>{t("switch.text")}</p>
          <div className={css.buttons}>
            <Button variant="primary" onClick={() => switchTo(false)}>
              {t("switch.keep")}
            </Button>
            <Button onClick={() => switchTo(true)}>{t("switch.reset")}</Button>
            <Button variant="quiet" onClick={() => setTo(null)}>
              {t("cancel", { ns: "common" })}
            </Button>
          </div>
        </div>
      )}
    </>
  );
}

interface TaskRowProps {
  task: Task;
  current: boolean;
  /** Its place, and how many there are. */
  place: [number, number];
  /** Others must be done before. */
  waits: boolean;
  onChange: (change: WorkflowChange) => Promise<boolean>;
  onMove: (to: number) => void;
}

function TaskRow({ task: { id, title, status, acceptance, notes }, current, place: [at, count], waits, onChange, onMove }: TaskRowProps) {
  const { t } = useTranslation("work");
  const [editing, setEditing] = useState(false);
  const done = status === "done";
  if (editing) {
    const rename = async (next: string) => {
      const changed = await onChange({
        change: "edit_task",
        id,
        title: next,
        notes: null,
        acceptance: null,
        depends_on: null,
      });
      if (changed) setEditing(false);
      return changed;
    };
    return (
      <li>
        <Add label={t("tasks.rename")} text={title} focused onAdd={rename} onCancel={() => setEditing(false)} />
      </li>
    );
  }
  const hint = [waits && !done && t("tasks.waits"), ...acceptance, notes].filter(Boolean).join("\n");
  return (
    <li className={css.task} data-current={current || undefined} data-done={done || undefined}>
      <input
        type="checkbox"
        checked={done}
        aria-label={t("tasks.finish", { title })}
        onChange={() => void onChange({ change: done ? "start_task" : "finish_task", id })}
      />
      <span className={css.taskName} title={hint || undefined}>
        <span lang={proseLanguage(title)}>{title}</span>
        {current && <span className={quiet.note}> {t("tasks.current")}</span>}
      </span>
      <Menu
        align="end"
        trigger={<IconButton label={t("more", { title })} icon={<Ellipsis aria-hidden />} />}
        items={[
          {
            id: "start",
            label: t("tasks.start"),
            icon: <Play aria-hidden />,
            disabledReason: current ? t("tasks.current") : undefined,
            onSelect: () => void onChange({ change: "start_task", id }),
          },
          { id: "rename", label: t("tasks.rename"), icon: <Pencil aria-hidden />, onSelect: () => setEditing(true) },
          ...(at > 0
            ? [{ id: "up", label: t("tasks.up"), icon: <ArrowUp aria-hidden />, onSelect: () => onMove(at - 1) }]
            : []),
          ...(at < count - 1
            ? [{ id: "down", label: t("tasks.down"), icon: <ArrowDown aria-hidden />, onSelect: () => onMove(at + 1) }]
            : []),
          "separator",
          {
            id: "archive",
            label: t("archive"),
            icon: <Archive aria-hidden />,
            onSelect: () => void onChange({ change: "archive_task", id }),
          },
        ]}
      />
    </li>
  );
}

interface AddProps {
  label: string;
  text?: string;
  focused?: boolean;
  /** False keeps what was typed. */
  onAdd: (text: string) => Promise<boolean>;
  onCancel?: () => void;
}

/** One line to write a name in; Enter takes it. */
function Add({ label, text = "", focused, onAdd, onCancel }: AddProps) {
  const [typed, setTyped] = useState(text);
  return (
    <TextField
      label={label}
      hideLabel
      placeholder={label}
      value={typed}
      onChange={setTyped}
      autoFocus={focused}
      autoComplete="off"
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Escape" && onCancel) {
          event.stopPropagation();
          onCancel();
        }
        const title = typed.trim();
        if (event.key === "Enter" && title !== "") void onAdd(title).then((done) => done && setTyped(""));
      }}
    />
  );
}

function Decisions({ projectId, workflow: { decisions }, sought }: WorkProps & { sought: string | undefined }) {
  const { t } = useTranslation("work");
  const [all, setAll] = useState(sought !== undefined);
  const found = useRef<HTMLLIElement>(null);
  useEffect(() => {
    found.current?.scrollIntoView({ block: "center" });
    found.current?.focus({ preventScroll: true });
  }, []);
  const newest = decisions.toReversed();
  return (
    <section className={css.part} aria-labelledby="work-decisions">
      <h3 id="work-decisions">{t("decisions.title")}</h3>
      {newest.length === 0 && <p className={quiet.note}>{t("decisions.none")}</p>}
      <ul hidden={newest.length === 0}>
        {newest.slice(0, all ? undefined : DECISIONS).map(({ id, text, source }) => (
          <li
            key={id}
            className={css.decision}
            {...(id === sought && { ref: found, tabIndex: -1, "data-sought": true })}
          >
            <span lang={proseLanguage(text)} data-selectable>
              {text}
            </span>
            {source && (
              <button
                type="button"
                className={css.link}
                onClick={() => goToMessage(source.conversation_id, projectId, source.message_id)}
              >
                {t("decisions.source")}
              </button>
            )}
            <IconButton
              label={t("decisions.remove", { text })}
              icon={<X aria-hidden />}
              onClick={() => void changeWork(projectId, { change: "remove_decision", id })}
            />
          </li>
        ))}
      </ul>
      {!all && newest.length > DECISIONS && (
        <Button variant="quiet" onClick={() => setAll(true)}>
          {t("decisions.all", { count: newest.length })}
        </Button>
      )}
      <Add
        label={t("decisions.add")}
        onAdd={(text) => changeWork(projectId, { change: "add_decision", text, source: null, origin: "person" })}
      />
    </section>
  );
}
