// Which projects are copies of which, and what they are called beside each other. Pure.
import type { Project, ProjectId } from "./bindings";

/** The project that one is a copy of; the project itself where it is none, or where that was forgotten. */
export function originalOf(projects: readonly Project[], id: ProjectId | null): Project | undefined {
  const project = projects.find((one) => one.id === id);
  return projects.find((one) => one.id === project?.copy?.project) ?? project;
}

/** Copies of a project, the oldest first: an id says when it was made. */
export function copiesOf(projects: readonly Project[], id: ProjectId | undefined): Project[] {
  return projects.filter(({ copy }) => copy !== null && copy.project === id).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What a copy is called where its project is named beside it: its folder is called after both. */
export function copyName({ name }: Pick<Project, "name">, original: Pick<Project, "name"> | undefined): string {
  const begins = `${original?.name}-`;
  return name.startsWith(begins) && name.length > begins.length ? name.slice(begins.length) : name;
}
