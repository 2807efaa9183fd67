// Of a turn that changed files, under its reply and on the Today page, or of a copy: how many, by how many lines, and the
// ways to look at it and to take it back.
import { useQuery } from "@tanstack/react-query";
import { FileDiff } from "lucide-react";
import type { ReactNode } from "react";
import { openOverlay } from "@/app/actions";
import type { ChangesOf } from "@/ipc";
import { queries } from "@/ipc/queries";
import { Counts } from "@/shared/diff";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet } from "@/shared/kit";
import css from "./changes.module.css";

interface ChangesBarProps {
  of: ChangesOf;
  /** Which turn it was, where its reply is not above. */
  turn?: ReactNode;
}

export function ChangesBar({ of, turn }: ChangesBarProps) {
  const { t } = useTranslation("changes");
  const { data } = useQuery(queries.changes(of));
  const copy = of.of === "copy";
  if (data?.known === "gone") return <p className={quiet.note}>{t(copy ? "copy.gone" : "gone")}</p>;
  if (!data?.project_id || data.files.length === 0) return null;
  const { files, added, removed, project_id: projectId } = data;
  const taken = files.every(({ standing }) => standing === "taken_back");
  const open = (all: boolean) => openOverlay({ kind: "changes", of, projectId, all });
  return (
    <div className={css.bar} role="group" aria-label={t(copy ? "copy.label" : "label")}>
      <FileDiff aria-hidden />
      {turn}
      <span>{t("files", { count: files.length })}</span>
      <Counts added={added} removed={removed} />
      {taken && <span className={css.taken}>{t("takenBack")}</span>}
      <span className={css.acts}>
        <Button variant="quiet" onClick={() => open(false)}>
          {t("review")}
        </Button>
        {!taken && (
          <Button variant="quiet" onClick={() => open(true)}>
            {t(copy ? "copy.takeBack" : "undoTurn")}
          </Button>
        )}
      </span>
    </div>
  );
}
