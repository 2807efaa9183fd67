// First launch, or nothing open: what this is, a question that is answered at once, what it would send, and three ways to
// begin. One page; nothing on it has to be done.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { BookOpen, Folder, FolderInput, Plug } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { runAction, useChords } from "@/app/actions";
import { importConversation, openProject, startConversation } from "@/features/conversations";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { Connect, FoundServers } from "@/features/models";
import type { Project } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatDay, useTranslation } from "@/shared/i18n";
import { Button, Kbd, quiet, Spinner } from "@/shared/kit";
import { later } from "@/shared/later";
import { Revealed } from "@/shared/Revealed";
import { AskField } from "./AskField";
import { InUse } from "./InUse";
import { useOpenSample } from "./sample";
import css from "./start.module.css";
import { useFirst } from "./useFirst";

/** Its words come after the first picture. */
const Miniature = later(() => import("./Miniature"), "Miniature");

export function StartScreen() {
  const { t } = useTranslation("start");
  const client = useQueryClient();
  const chord = useChords();
  const projects = useQuery(queries.projects());
  const { conversation, ask } = useFirst();
  const sample = useOpenSample();
  const [connecting, setConnecting] = useState(false);
  const talk = () => void startConversation(client, null);
  return (
    <div className={css.screen}>
      <div className={css.page}>
        <div className={css.hero}>
          <div className={css.what}>
            <h1 className={css.name}>Siltstone</h1>
            <p className={css.tagline}>{t("tagline")}</p>
            <AskField onAsk={ask} />
            <InUse />
          </div>
          <Suspense fallback={<div className={css.mini} />}>
            <Miniature conversation={conversation} />
          </Suspense>
        </div>
        <ul className={css.doors} aria-label={t("doors")}>
          <Door
            id="open"
            title={t("open")}
            hint={t("drop")}
            icon={<FolderInput strokeWidth={1.5} aria-hidden />}
            end={<Kbd keys={chord("openFolder")} />}
            onOpen={() => runAction("openFolder")}
          />
          <Door
            id="sample"
            title={t("sample.title")}
            hint={t("sample.hint")}
            icon={sample.running ? <Spinner label={t("sample.opening")} /> : <BookOpen strokeWidth={1.5} aria-hidden />}
            disabled={sample.running}
            onOpen={sample.open}
          />
          <Door
            id="connect"
            title={t("connect")}
            hint={t("connectHint")}
            icon={<Plug strokeWidth={1.5} aria-hidden />}
            expanded={connecting}
            onOpen={() => setConnecting(!connecting)}
          />
        </ul>
        {sample.failure !== null && <ErrorNotice failure={sample.failure} />}
        {connecting && (
          <section className={css.connect} aria-labelledby="start-connecting">
            <h2 id="start-connecting" className="visually-hidden">
              {t("connect")}
            </h2>
            <FoundServers onStart={talk} />
            <Connect onStart={talk} />
          </section>
        )}
        <p className={css.quiet}>
          <Button variant="quiet" onClick={talk}>
            {t("talk")}
          </Button>
          <Button variant="quiet" onClick={() => void importConversation()}>
            {t("import")}
          </Button>
        </p>
        {projects.data && projects.data.length > 0 && <Recent projects={projects.data} />}
      </div>
    </div>
  );
}

interface DoorProps {
  id: string;
  title: string;
  hint: string;
  icon: ReactNode;
  end?: ReactNode;
  disabled?: boolean;
  /** Of one that opens in its place. */
  expanded?: boolean;
  onOpen: () => void;
}

function Door({ id, title, hint, icon, end, disabled, expanded, onOpen }: DoorProps) {
  return (
    <li className={css.door} data-open={expanded || undefined}>
      <span className={css.doorIcon}>
        {icon}
        {end}
      </span>
      <button type="button" aria-describedby={`start-${id}-hint`} aria-expanded={expanded} disabled={disabled} onClick={onOpen}>
        {title}
      </button>
      <span id={`start-${id}-hint`} className={quiet.words}>
        {hint}
      </span>
    </li>
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
