// What other agents did in the project, as far as it is kept, and whether what was said there may go in its requests.
import { useQuery } from "@tanstack/react-query";
import { goToVault, runAction } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { agentName, endOf, titleOf } from "@/features/vault";
import { call, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatWhen, useTranslation } from "@/shared/i18n";
import { Button, Switch } from "@/shared/kit";
import { Row } from "./Row";
import css from "./today.module.css";

/** Sessions that are listed. */
const SESSIONS = 5;

export function Sessions({ projectId, folder }: { projectId: ProjectId; folder: string }) {
  const { t } = useTranslation("today");
  const sessions = useQuery(queries.vaultIn(folder, SESSIONS)).data ?? [];
  const { data: settings } = useQuery(queries.settings());
  if (sessions.length === 0) return null;
  const allow = (allow: boolean) => void call("vault_recall", { project_id: projectId, allow }).catch(tellFailure);
  return (
    <section className={css.part} aria-labelledby="today-sessions">
      <header className={css.head}>
        <h2 id="today-sessions">{t("sessions.title")}</h2>
        <Button variant="quiet" onClick={() => runAction("vault")}>
          {t("sessions.all")}
        </Button>
      </header>
      <ul className={css.moments}>
        {sessions.map((item) => {
          const end = endOf(item);
          return (
            <Row
              key={`${item.agent} ${item.id}`}
              name={titleOf(item)}
              note={[agentName(item.agent), end !== null && formatWhen(end)].filter(Boolean).join(" · ")}
              onOpen={() => goToVault({ id: item.id, version: null })}
            />
          );
        })}
      </ul>
      {settings && (
        <Switch
          label={t("sessions.recall")}
          description={t("sessions.recallHint")}
          checked={settings.recall_sessions.includes(projectId)}
          onChange={allow}
        />
      )}
    </section>
  );
}
