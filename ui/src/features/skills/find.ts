// Skills by what a person types of them. Pure.
import type { SkillItem } from "@/ipc";
import { contains } from "@/shared/match";

/** From so many on they are filtered. */
export const MANY = 8;

const plain = (text: string) => text.normalize("NFC").toLowerCase();

/** Whether it is the person's own, of every project. */
export const isOwn = ({ id }: Pick<SkillItem, "id">): boolean => id.startsWith("~/");

/** The one that is called so, or lies there; what can be used goes before what cannot, what is listed first before the others. */
export function calledIn(skills: readonly SkillItem[], name: string): SkillItem | undefined {
  const same = skills.filter((item) => plain(item.name) === plain(name) || item.id === name);
  return same.find(({ fault }) => fault === null) ?? same[0];
}

/** What each that can be used is called by: its name, or its folder where another one has that name before it. */
export function callable(skills: readonly SkillItem[]): (SkillItem & { by: string })[] {
  const usable = skills.filter(({ fault }) => fault === null);
  return usable.map((item) => ({ ...item, by: calledIn(usable, item.name) === item ? item.name : item.id }));
}

/** Those that a text says something of, in their order. */
export function filtered(skills: readonly SkillItem[], query: string): readonly SkillItem[] {
  return skills.filter(({ id, name, description }) => [name, description, id].some((text) => contains(query, text)));
}
