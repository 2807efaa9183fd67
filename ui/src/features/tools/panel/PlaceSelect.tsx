// Which project a list is about, or all of them.
import { useQuery } from "@tanstack/react-query";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Select } from "@/shared/kit";

const ALL = "all";

interface PlaceSelectProps {
  /** Null is conversations without a project. */
  value: ProjectId | null;
  onChange: (value: ProjectId | null) => void;
}

export function PlaceSelect({ value, onChange }: PlaceSelectProps) {
  const { t } = useTranslation("toolSettings");
  const projects = useQuery(queries.projects()).data ?? [];
  if (projects.length === 0) return null;
  return (
    <Select
      label={t("place.label")}
      value={value ?? ALL}
      onChange={(next) => onChange(next === ALL ? null : next)}
      options={[
        { value: ALL, label: t("place.none") },
        ...projects.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
