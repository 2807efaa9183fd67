// Which of the person's projects a session worked in.
import { useQuery } from "@tanstack/react-query";
import type { Project as Known } from "@/ipc";
import { queries } from "@/ipc/queries";

export type Project = Pick<Known, "id" | "name">;

/** The nearest one around a folder; null where none is. */
export function projectOf(projects: readonly Pick<Known, "id" | "name" | "path">[], folder: string | null): Project | null {
  if (folder === null) return null;
  const around = projects.filter(({ path }) => folder === path || folder.startsWith(`${path}/`) || folder.startsWith(`${path}\\`));
  return around.toSorted((a, b) => b.path.length - a.path.length)[0] ?? null;
}

export function useProjectOf(folder: string | null): Project | null {
  return projectOf(useQuery(queries.projects()).data ?? [], folder);
}
