// The versions of a memory file that passed through here, on-disk changes included.
import { useQuery } from "@tanstack/react-query";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type MemoryDocument, type ProjectId, type Saved, type VersionOrigin } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatMoment, formatWhen, useTranslation } from "@/shared/i18n";
import { Button, quiet, toast } from "@/shared/kit";
import css from "./memory.module.css";
import { numbered } from "./words";

const ORIGINS = { disk: "disk", saved: "saved", restored: "restoredFrom" } as const satisfies Record<VersionOrigin, string>;

interface HistoryProps {
  projectId: ProjectId | null;
  path: string;
  document: MemoryDocument;
  onCompare: (seq: number) => void;
  /** Whether it is what the file is now. */
  onRestored: (saved: Saved) => boolean;
}

export function History({ projectId, path, document, onCompare, onRestored }: HistoryProps) {
  const { t } = useTranslation("memory");
  const versions = useQuery(queries.memoryVersions(projectId, path));
  if (versions.isError) return <ErrorNotice failure={versions.error} />;
  const all = numbered(versions.data ?? []);
  const restore = async (seq: number, n: number) => {
    const before = document.text;
    try {
      const saved = await call("memory_restore", { project_id: projectId, path, seq, base: document.hash });
      if (!onRestored(saved) || saved.state !== "saved") return;
      const undo = () =>
        void call("memory_save", { project_id: projectId, path, text: before, base: saved.document.hash })
          .then(onRestored)
          .catch(tellFailure);
      toast({ text: t("history.restored", { n }), action: { label: t("undo"), run: undo } });
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  if (all.length === 0) return <p className={css.none}>{t("history.empty")}</p>;
  return (
    <ul className={css.versions} aria-label={t("history.label", { path })}>
      {all.map(({ seq, n, at, origin, size, hash }) => (
        <li key={seq} className={css.version}>
          <span className={css.versionName} title={formatMoment(Date.parse(at))}>
            <span>
              {t("history.version", { n })} <span className={quiet.note}>{formatWhen(Date.parse(at))}</span>
            </span>
            <span className={quiet.note}>
              {t(`history.${ORIGINS[origin]}`)}, {formatBytes(size)}
              {hash === document.hash && `, ${t("history.now")}`}
            </span>
          </span>
          <Button variant="quiet" aria-label={t("history.compareName", { n })} onClick={() => onCompare(seq)}>
            {t("history.compare")}
          </Button>
          <Button disabled={hash === document.hash} aria-label={t("history.restoreName", { n })} onClick={() => void restore(seq, n)}>
            {t("history.restore")}
          </Button>
        </li>
      ))}
    </ul>
  );
}
