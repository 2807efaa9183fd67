// Where the work stopped: the last question, what was said so far, and open files, each leading to its source; and the two
// ways to go on. It is made without a model.
import { useQuery } from "@tanstack/react-query";
import { followLink } from "@/features/conversations";
import { ErrorNotice } from "@/features/errors";
import { begin } from "@/features/work";
import type { ProjectId, ResumeLine } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, formatWhen, useTranslation } from "@/shared/i18n";
import { Button, quiet } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./today.module.css";

/** Open files that are named. */
const FILES = 6;

export function Stopped({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("today");
  const { data: card, error } = useQuery(queries.resume(projectId));
  if (error) return <ErrorNotice failure={error} />;
  if (card === undefined) return <section className={css.stopped} aria-busy />;
  if (card === null) {
    return (
      <section className={css.stopped} aria-labelledby="today-stopped">
        <h2 id="today-stopped">{t("stopped.none")}</h2>
        <p className={quiet.words}>{t("stopped.noneText")}</p>
      </section>
    );
  }
  const { doing, summary, open_files, last_message_at, dialog_turns } = card;
  const from = { id: null, project_id: projectId };
  const link = ({ text, link }: ResumeLine) =>
    link === null ? (
      <span lang={proseLanguage(text)}>{text}</span>
    ) : (
      <button type="button" className={css.source} lang={proseLanguage(text)} onClick={() => void followLink(link, from)}>
        {text}
      </button>
    );
  const at = last_message_at === null ? NaN : Date.parse(last_message_at);
  return (
    <section className={css.stopped} aria-labelledby="today-stopped">
      <header className={css.head}>
        <h2 id="today-stopped">{t("stopped.title")}</h2>
        {dialog_turns > 0 && (
          <span className={quiet.note} data-numeric>
            {[!Number.isNaN(at) && formatWhen(at), t("stopped.turns", { count: dialog_turns, n: formatNumber(dialog_turns) })]
              .filter(Boolean)
              .join(" · ")}
          </span>
        )}
      </header>
      <dl className={css.lines}>
        {doing && (
          <div>
            <dt>{t("stopped.doing")}</dt>
            <dd>{link(doing)}</dd>
          </div>
        )}
        {summary !== "" && (
          <div>
            <dt>{t("stopped.summary")}</dt>
            <dd>
              <span className={css.summary} lang={proseLanguage(summary)} title={summary} data-selectable>
                {summary}
              </span>
            </dd>
          </div>
        )}
        {open_files.length > 0 && (
          <div>
            <dt>{t("stopped.files")}</dt>
            <dd className={css.files}>
              {open_files.slice(0, FILES).map((path) => (
                <span key={path}>{link({ text: path, link: `silt:file/${encodeURI(path)}` })}</span>
              ))}
            </dd>
          </div>
        )}
      </dl>
      <div className={css.acts}>
        <Button variant="primary" onClick={() => void begin(projectId, false)}>
          {t("stopped.continue")}
        </Button>
        <Button onClick={() => void begin(projectId, true)}>{t("stopped.fresh")}</Button>
      </div>
    </section>
  );
}
