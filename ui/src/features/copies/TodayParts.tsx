// On the Today page: of a copy, what it is of, what changed in it, and the ways to take that over or to remove it; of any
// other project that is trusted, the way to let several work on it.
import { useQuery } from "@tanstack/react-query";
import { Columns3 } from "lucide-react";
import { goToCopies, openOverlay } from "@/app/actions";
import { ChangesBar } from "@/features/changes";
import type { ProjectId } from "@/ipc";
import { copiesOf } from "@/ipc/copies";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, quiet } from "@/shared/kit";
import css from "./copies.module.css";

export function CopyPart({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("copies");
  const { data: projects = [] } = useQuery(queries.projects());
  const copy = projects.find(({ id }) => id === projectId)?.copy ?? null;
  const of = { of: "copy", id: projectId } as const;
  const changes = useQuery({ ...queries.changes(of), enabled: copy !== null }).data;
  if (copy === null) return null;
  const original = projects.find(({ id }) => id === copy.project);
  return (
    <section className={css.part} aria-labelledby="today-copy">
      <h2 id="today-copy">{original ? t("copyOf", { ns: "rail", project: original.name }) : t("today.copy")}</h2>
      <ChangesBar of={of} />
      {changes?.known === "whole" && changes.files.length === 0 && <p className={quiet.note}>{t("files.none")}</p>}
      <div className={css.acts}>
        {original && (
          <>
            <Button onClick={() => openOverlay({ kind: "mergeCopy", copyId: projectId })}>
              {t("merge.open", { project: original.name })}
            </Button>
            <Button onClick={() => goToCopies(original.id)}>{t("title")}</Button>
          </>
        )}
        <Button variant="quiet" onClick={() => openOverlay({ kind: "removeCopy", copyId: projectId })}>
          {t("remove.open")}
        </Button>
      </div>
    </section>
  );
}

export function SideBySidePart({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("copies");
  const { data: projects = [] } = useQuery(queries.projects());
  const project = projects.find(({ id }) => id === projectId);
  const count = copiesOf(projects, projectId).length;
  if (!project || project.copy !== null || project.trust !== "trusted") return null;
  return (
    <section className={css.part} aria-labelledby="today-copies">
      <h2 id="today-copies">{t("title")}</h2>
      <p className={quiet.note}>{t("today.text")}</p>
      <div className={css.acts}>
        <Button icon={<Columns3 aria-hidden />} onClick={() => openOverlay({ kind: "startCopies", projectId })}>
          {t("begin")}
        </Button>
        {count > 0 && (
          <Button variant="quiet" onClick={() => goToCopies(projectId)}>
            {t("today.count", { count, n: formatNumber(count) })}
          </Button>
        )}
      </div>
    </section>
  );
}
