// Checkpoints that another program left at the places of the Checkpoints design: what of each can be had, and taking it over.
import { ErrorNotice } from "@/features/errors";
import { call, type CheckpointId, type ForeignItem, type ProjectId } from "@/ipc";
import { formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, useAct } from "@/shared/kit";
import { tellImported } from "./acts";
import css from "./restore.module.css";
import rows from "./rows.module.css";

interface ForeignDialogProps {
  projectId: ProjectId;
  items: readonly ForeignItem[];
  onImported: (id: CheckpointId) => void;
  onClose: () => void;
}

export function ForeignDialog({ projectId: project_id, items, onImported, onClose }: ForeignDialogProps) {
  const { t } = useTranslation("checkpoints");
  const { running, failure, act } = useAct();
  const take = (path: string) =>
    act(async () => {
      const imported = await call("checkpoint_foreign_import", { project_id, path });
      tellImported(imported);
      onImported(imported.item.id);
      onClose();
    });
  return (
    <Dialog open size="m" onClose={onClose} title={t("foreign.title")} description={t("foreign.text")}>
      {failure !== null && <ErrorNotice failure={failure} />}
      <ul>
        {items.map(({ path, id, tag, timestamp, messages, files, version, notes }) => (
          <li key={path} className={css.planned}>
            <div>
              <strong>{tag ?? id}</strong>
              <p className={rows.path}>{path}</p>
              <p className={quiet.note} data-numeric>
                {[
                  timestamp !== null && formatMoment(Date.parse(timestamp)),
                  t("messages", { count: messages, n: formatNumber(messages) }),
                  files !== null && t("files", { count: files, n: formatNumber(files) }),
                  version !== "" && t("foreign.version", { version }),
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </p>
            </div>
            <div className={css.choice}>
              <Button
                aria-label={t("foreign.takeOne", { name: tag ?? id })}
                disabled={running}
                onClick={() => void take(path)}
              >
                {t("foreign.take")}
              </Button>
            </div>
            {notes.map((note, at) => (
              <p key={at} className={css.why}>
                {t(`foreign.note.${note.note}`, { ...note })}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
