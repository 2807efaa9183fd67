// What the list shows, line by line: pinned ones first; then by day, or by project when all are shown. Pure.
import type { ConversationId, ConversationItem, Project, ProjectId } from "@/ipc";

interface Group {
  key: string;
  kind: "pinned" | "day" | "project" | "none";
  /** A day's time for `day`, a project's name for `project`. */
  label: string;
  items: ConversationItem[];
}

/** A group's heading, or a conversation of the group before it. */
export type Line = ({ type: "heading" } & Omit<Group, "items">) | { type: "entry"; key: string; item: ConversationItem };

export function linesOf(all: readonly ConversationItem[], projects: readonly Project[], shown: ProjectId | null): Line[] {
  const byProject = shown === null ? groupConversations(all, projects, "project") : [];
  // With nothing but conversations of no project there is nothing to tell apart: days say more.
  const tells = byProject.some(({ kind }) => kind === "project");
  return (tells ? byProject : groupConversations(all, projects, "day")).flatMap(({ items, ...group }) => [
    { type: "heading" as const, ...group },
    ...items.map((item) => ({ type: "entry" as const, key: item.id, item })),
  ]);
}

/** What stands below a conversation in the list, or else above it. */
export function neighbourOf(id: ConversationId, lines: readonly Line[]): ConversationId | null {
  const entries = lines.flatMap((line) => (line.type === "entry" ? [line.item.id] : []));
  const at = entries.indexOf(id);
  return at < 0 ? null : (entries[at + 1] ?? entries[at - 1] ?? null);
}

function groupConversations(
  all: readonly ConversationItem[],
  projects: readonly Project[],
  by: "day" | "project",
): Group[] {
  const groups = new Map<string, Group>();
  const sorted = [...all].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  for (const item of sorted) {
    const group = item.pinned
      ? { key: "pinned", kind: "pinned" as const, label: "" }
      : by === "day"
        ? dayOf(item)
        : projectOf(item, projects);
    const known = groups.get(group.key);
    if (known) known.items.push(item);
    else groups.set(group.key, { ...group, items: [item] });
  }
  const rank = (group: Group) => (group.kind === "pinned" ? 0 : 1);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

function dayOf({ updated_at }: ConversationItem) {
  const date = new Date(updated_at);
  const day = new Date(date.getFullYear(), date.getMonth(), date.getDate()).toISOString();
  return { key: day, kind: "day" as const, label: day };
}

function projectOf({ project_id }: ConversationItem, projects: readonly Project[]) {
  const project = projects.find(({ id }) => id === project_id);
  return project
    ? { key: project.id, kind: "project" as const, label: project.name }
    : { key: "none", kind: "none" as const, label: "" };
}
