// Commands that are offered while the message begins with `/`: ours, then those of the agent that is asked; behind `/skill `
// the skills there are. Picking one writes it; Enter on a whole one sends it.
import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import type { NamedSkill } from "@/features/skills";
import type { AgentCommand } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import { contains } from "@/shared/match";

/** What a skill is called behind. */
const SKILL = "/skill ";

/** In the order in which they are offered; what one is about is said behind it. */
const COMMANDS = {
  "memory:slash.add": "/memory add ",
  "memory:slash.show": "/memory show",
  "memory:slash.refresh": "/memory refresh",
  "memory:slash.clear": "/memory clear",
  "memory:slash.list": "/memory list",
  "skills:slash.use": SKILL,
  "work:slash.plan_add": "/plan add ",
  "work:slash.plan_switch": "/plan switch ",
  "work:slash.task_add": "/task add ",
  "work:slash.task_start": "/task start ",
  "work:slash.task_finish": "/task finish",
  "work:slash.decide": "/decide ",
} as const;

export type SlashCommand = keyof typeof COMMANDS;

/** Whose commands are offered beside ours. */
export interface Offering {
  agent: string;
  commands: readonly AgentCommand[];
  /** What can be called behind `/skill `. */
  skills?: readonly NamedSkill[];
}

/** A command, and what picking it writes. */
export type SlashHit = { text: string } & (
  | { of: "us"; command: SlashCommand }
  | { of: "agent"; agent: string; command: AgentCommand }
  | { of: "skills"; skill: NamedSkill }
);

export interface Slash {
  /** None while nothing is offered. */
  hits: readonly SlashHit[];
  active: number;
  setActive: (index: number) => void;
  /** The text or the caret changed. */
  look: () => void;
  /** Whether the key was for the list. */
  keyDown: (event: KeyboardEvent) => boolean;
  /** Writes a command, the active one unless told; false when it stands there already or none is offered. */
  pick: (index?: number) => boolean;
  close: () => void;
}

const NONE: readonly SlashHit[] = [];

/** What ours begin with: a message that does is never the agent's. */
const WORDS = new Set(Object.values(COMMANDS).map((text) => text.split(" ")[0]));

const OURS = (Object.keys(COMMANDS) as SlashCommand[]).map((command): SlashHit => ({ of: "us", command, text: COMMANDS[command] }));

/** The commands that a text is the beginning of. */
export function offered(text: string, { agent, commands, skills = [] }: Offering): readonly SlashHit[] {
  if (!text.startsWith("/")) return NONE;
  if (text.startsWith(SKILL) && skills.length > 0) return called(text, skills);
  const ours = OURS.filter((hit) => hit.text.startsWith(text));
  const theirs = commands.filter(({ name }) => `/${name} `.startsWith(text) && !WORDS.has(`/${name}`));
  // One that is written whole goes before what only begins so: Enter is for it.
  const whole = ({ name }: AgentCommand) => Number(`/${name}` === text);
  const hits = theirs.toSorted((a, b) => whole(b) - whole(a)).map((command): SlashHit => {
    const { name, hint } = command;
    return { of: "agent", agent, command, text: hint === "" ? `/${name}` : `/${name} ` };
  });
  return [...ours, ...hits];
}

/** The skills that are meant by what is written so far, the one that is called just so first. */
function called(text: string, skills: readonly NamedSkill[]): readonly SlashHit[] {
  const query = text.slice(SKILL.length);
  const hits = skills
    .filter(({ by, name }) => contains(query, by) || contains(query, name))
    .map((skill): SlashHit => ({ of: "skills", skill, text: SKILL + skill.by }));
  return hits.toSorted((a, b) => Number(b.text === text) - Number(a.text === text));
}

const same = (one: readonly SlashHit[], other: readonly SlashHit[]): boolean =>
  one.length === other.length && one.every(({ text }, at) => text === other[at]!.text);

export function useSlash(
  field: RefObject<HTMLTextAreaElement | null>,
  offering: Offering | null,
  onPicked: () => void,
): Slash {
  const { t } = useTranslation("memory");
  const [hits, setHits] = useState(NONE);
  const [active, setActive] = useState(0);

  const close = useCallback(() => setHits(NONE), []);
  const look = useCallback(() => {
    // The system may tell of a selection after the composer went.
    if (!field.current) return;
    const { value, selectionStart } = field.current;
    const found = offering && selectionStart === value.length ? offered(value, offering) : NONE;
    if (same(found, hits)) return;
    setHits(found);
    setActive(0);
    if (found.length > 0) announce(t("slash.count", { count: found.length }));
  }, [field, hits, offering, t]);
  const pick = useCallback(
    (index = active) => {
      const hit = hits[index];
      close();
      const { value } = field.current!;
      // What nothing is written behind stands there, too, with a space behind it.
      if (!hit || value === hit.text || value.trimEnd() === hit.text) return false;
      field.current!.value = hit.text;
      onPicked();
      // Which one is asked at once.
      if (hit.text === SKILL) look();
      return true;
    },
    [active, close, field, hits, look, onPicked],
  );
  // Skills come when the first is called, which may be after what is written.
  const skills = offering?.skills;
  const known = useRef(skills);
  useEffect(() => {
    if (known.current === skills) return;
    known.current = skills;
    if (document.activeElement === field.current) look();
  }, [field, look, skills]);
  const keyDown = ({ key }: KeyboardEvent): boolean => {
    if (hits.length === 0) return false;
    if (key === "ArrowDown") setActive((active + 1) % hits.length);
    else if (key === "ArrowUp") setActive((active - 1 + hits.length) % hits.length);
    else if (key === "Tab") pick();
    else if (key === "Escape") close();
    else return false;
    return true;
  };
  return { hits, active, setActive, look, keyDown, pick, close };
}
