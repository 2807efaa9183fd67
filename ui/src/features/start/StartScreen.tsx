// First launch, or nothing open: bring a folder, just talk, connect a model. One page, no tour.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Folder, FolderInput, MessageSquare } from "lucide-react";
import { runAction, useChords } from "@/app/actions";
import { openProject, startConversation } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { Connect, FoundServers, useProviderName } from "@/features/models";
import type { Project } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatDay, useTranslation } from "@/shared/i18n";
import { Button, Kbd, quiet } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { Sample } from "./Sample";
import css from "./start.module.css";

export function StartScreen() {
  const { t } = useTranslation("start");
  const client = useQueryClient();
  const chord = useChords();
  const projects = useQuery(queries.projects());
  return (
    <div className={css.screen}>
      <h1 className="visually-hidden">{t("title")}</h1>
      <div className={css.column}>
        <section className={css.drop} aria-label={t("drop")}>
          <FolderInput strokeWidth={1.5} data-large aria-hidden />
          <p className={css.dropText}>{t("drop")}</p>
          <p className={css.dropOr}>{t("or")}</p>
          <Button variant="primary" onClick={() => runAction("openFolder")}>
            {t("open")}
          </Button>
          <Kbd keys={chord("openFolder")} />
        </section>

        <button type="button" className={css.talk} onClick={() => void startConversation(client, null)}>
          <MessageSquare strokeWidth={1.75} aria-hidden />
          <span>
            <strong>{t("talk")}</strong>
            <span className={quiet.words}>{t("talkHint")}</span>
          </span>
        </button>

        <Sample />

        {projects.data && projects.data.length > 0 && <Recent projects={projects.data} />}

        <section className={css.connect} aria-labelledby="start-connect">
          <h2 id="start-connect" className={css.heading}>
            {t("connect")}
          </h2>
          <InUse />
          <Connect />
          <FoundServers />
        </section>
      </div>
    </div>
  );
}

function InUse() {
  const { t } = useTranslation("start");
  const providerName = useProviderName();
  const { data } = useQuery(queries.settings());
  if (!data) return null;
  return data.default_provider === "offline" ? (
    <p className={quiet.words}>
      {t("usingOffline")} {t("connectHint")}
    </p>
  ) : (
    <p>{t("using", { model: `${data.default_model} (${providerName(data.default_provider)})` })}</p>
  );
}

function Recent({ projects }: { projects: readonly Project[] }) {
  const { t } = useTranslation("start");
  const client = useQueryClient();
  return (
    <section aria-labelledby="start-recent">
      <h2 id="start-recent" className={css.heading}>
        {t("recent")}
      </h2>
      <ul className={css.recent}>
        {projects.slice(0, 6).map((project) => (
          <li key={project.id}>
            <button
              type="button"
              className={css.project}
              onClick={() => void openProject(client, project.id).catch(tellFailure)}
            >
              <Folder aria-hidden />
              <span className={css.projectName}>
                <Revealed text={project.name} name />
              </span>
              <span className={css.projectPath}>
                <Revealed text={project.path} name />
              </span>
              <span className={quiet.note}>
                {project.trust === "untrusted" ? t("untrusted") : formatDay(Date.parse(project.opened_at))}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
