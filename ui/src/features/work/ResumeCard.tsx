// Where the work stopped, said once after a project was opened: the last question, what was decided, open files and the
// task; each leads to its source. It is made without a model.
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { followLink } from "@/features/conversations";
import type { ConversationItem, ProjectId, ResumeLine } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, IconButton, quiet } from "@/shared/kit";
import { answered, begin, useAnswered } from "./acts";
import css from "./work.module.css";

/** Open files that are named. */
const FILES = 6;

interface ResumeCardProps {
  projectId: ProjectId;
  conversation: Pick<ConversationItem, "id" | "project_id">;
  /** A reply is on its way: whoever asks has gone on. */
  busy: boolean;
}

export function ResumeCard({ projectId, conversation, busy }: ResumeCardProps) {
  const { t } = useTranslation("work");
  const done = useAnswered((all) => all[projectId] === true);
  const card = useQuery({ ...queries.resume(projectId), enabled: !done }).data;
  useEffect(() => {
    if (busy || card === null) answered(projectId);
  }, [busy, card, projectId]);
  if (done || !card) return null;
  const { doing, summary, decisions, open_files, plan, task, tasks_done, tasks, last_message_at, dialog_turns } = card;
  const line = ({ text, link }: ResumeLine) =>
    link === null ? (
      text
    ) : (
      <button type="button" className={css.source} onClick={() => void followLink(link, conversation)}>
        {text}
      </button>
    );
  const at = last_message_at === null ? NaN : Date.parse(last_message_at);
  return (
    <section className={css.card} aria-labelledby="resume">
      <header>
        <h2 id="resume">{t("resume.title")}</h2>
        <span className={quiet.note} data-numeric>
          {[!Number.isNaN(at) && formatMoment(at), t("resume.turns", { count: dialog_turns, n: formatNumber(dialog_turns) })]
            .filter(Boolean)
            .join(" · ")}
        </span>
        <IconButton label={t("close", { ns: "common" })} icon={<X aria-hidden />} onClick={() => answered(projectId)} />
      </header>
      <dl>
        {doing && <Fact name={t("resume.doing")}>{line(doing)}</Fact>}
        {summary !== "" && <Fact name={t("resume.summary")}>{summary}</Fact>}
        {(task ?? plan) !== null && (
          <Fact name={t(task === null ? "resume.plan" : "resume.task")}>
            {task ?? plan} {tasks > 0 && <span data-numeric>{`${formatNumber(tasks_done)}/${formatNumber(tasks)}`}</span>}
          </Fact>
        )}
        {decisions.length > 0 && (
          <Fact name={t("resume.decisions")}>
            <ul>
              {decisions.map((decision, index) => (
                <li key={index}>{line(decision)}</li>
              ))}
            </ul>
          </Fact>
        )}
        {open_files.length > 0 && (
          <Fact name={t("resume.files")}>
            <ul className={css.files}>
              {open_files.slice(0, FILES).map((path) => (
                <li key={path}>{line({ text: path, link: `silt:file/${encodeURI(path)}` })}</li>
              ))}
            </ul>
          </Fact>
        )}
      </dl>
      <div className={css.buttons}>
        <Button variant="primary" onClick={() => void begin(projectId, false)}>
          {t("resume.continue")}
        </Button>
        <Button onClick={() => void begin(projectId, true)}>{t("resume.fresh")}</Button>
      </div>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
