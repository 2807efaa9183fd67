// The folders that were opened and the person's answer about each; both can be taken back.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { openOverlay, showProject, usePlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type Project } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, useTranslation } from "@/shared/i18n";
import { Button, Dialog, EmptyState, Switch } from "@/shared/kit";
import css from "./settings.module.css";

export function ProjectsPage() {
  const { t } = useTranslation("settings");
  const projects = useQuery(queries.projects());
  return (
    <div className={css.page}>
      {projects.isError && <ErrorNotice failure={projects.error} />}
      {projects.data?.length === 0 && <EmptyState title={t("projects.none")} />}
      <ul>
        {projects.data?.map((project) => (
          <ProjectRow key={project.id} project={project} />
        ))}
      </ul>
    </div>
  );
}

function ProjectRow({ project }: { project: Project }) {
  const { t } = useTranslation("settings");
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { id, name, path, trust } = project;
  const forget = () => {
    setAsking(false);
    if (usePlace.getState().projectId === id) showProject(null);
    call("project_forget", { id }).catch(setFailure);
  };
  return (
    <li className={css.item}>
      <div className={css.itemText}>
        <span className={css.itemName}>{name}</span>
        <span className={css.path}>{path}</span>
      </div>
      <Button variant="quiet" aria-label={t("projects.forgetOne", { name })} onClick={() => setAsking(true)}>
        {t("projects.forget")}
      </Button>
      <div className={css.wide}>
        <Switch
          label={t("projects.trust")}
          description={t(trust === "trusted" ? "projects.trusted" : "projects.untrusted")}
          checked={trust === "trusted"}
          onChange={(on) => {
            setFailure(null);
            call("project_trust", { id, trust: on ? "trusted" : "untrusted" }).catch((thrown: unknown) => {
              // About another folder nobody was asked yet: what it brings is shown with the question.
              if (toFailure(thrown).code === "folder_replaced") openOverlay({ kind: "folder", path });
              else setFailure(thrown);
            });
          }}
        />
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
      {asking && <ForgetDialog project={project} onClose={() => setAsking(false)} onForget={forget} />}
    </li>
  );
}

/** What is counted, in the order in which it is said. */
const HELD = ["plans", "tasks", "decisions", "lines", "proposals", "servers", "checkpoints"] as const;

/** Forgetting is for ever: what goes is said before it goes. */
function ForgetDialog({ project, onClose, onForget }: { project: Project; onClose: () => void; onForget: () => void }) {
  const { t } = useTranslation("settings");
  const holds = useQuery(queries.projectHolds(project.id));
  const held = HELD.filter((what) => (holds.data?.[what] ?? 0) > 0);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("projects.confirm", { name: project.name })}
      description={t("projects.confirmText")}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button variant="danger" disabled={!holds.data} onClick={onForget}>
            {t("projects.forget")}
          </Button>
        </>
      }
    >
      {holds.isError && <ErrorNotice failure={holds.error} />}
      {holds.data && held.length > 0 && (
        <>
          <p>{t("projects.goes")}</p>
          <ul className={css.held}>
            {held.map((what) => (
              <li key={what}>
                {t(`projects.held.${what}`, { count: holds.data[what], size: formatBytes(holds.data.bytes) })}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
