// The way to the copies of a project, below that to its Today page: how many there are, and, within one, of what it is a copy.
import { useQuery } from "@tanstack/react-query";
import { Columns3 } from "lucide-react";
import { goToCopies, usePlace } from "@/app/actions";
import type { Project } from "@/ipc";
import { copiesOf, originalOf } from "@/ipc/copies";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { WayEntry } from "@/shared/kit";

export function CopiesEntry({ project }: { project: Project }) {
  const { t } = useTranslation("rail");
  const { data: projects = [] } = useQuery(queries.projects());
  const shown = usePlace(({ copies, memory, checkpoints, vault }) => copies !== null && memory === null && checkpoints === null && vault === null);
  const original = originalOf(projects, project.id) ?? project;
  const copies = copiesOf(projects, original.id);
  if (copies.length === 0) return null;
  return (
    <WayEntry
      icon={Columns3}
      name={t("copies")}
      shown={shown}
      end={<span data-numeric>{formatNumber(copies.length)}</span>}
      below={original.id !== project.id && <span>{t("copyOf", { project: original.name })}</span>}
      onClick={() => goToCopies(original.id)}
    />
  );
}
