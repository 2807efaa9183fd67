// Commands that are offered while the message begins with `/`. Picking one writes it; Enter on a whole one sends it.
import { useCallback, useState, type KeyboardEvent, type RefObject } from "react";
import { useTranslation } from "@/shared/i18n";
import { announce } from "@/shared/kit";

/** In the order in which they are offered; what one is about is said behind it. */
const COMMANDS = {
  "memory:slash.add": "/memory add ",
  "memory:slash.show": "/memory show",
  "memory:slash.refresh": "/memory refresh",
  "memory:slash.clear": "/memory clear",
  "memory:slash.list": "/memory list",
  "work:slash.plan_add": "/plan add ",
  "work:slash.plan_switch": "/plan switch ",
  "work:slash.task_add": "/task add ",
  "work:slash.task_start": "/task start ",
  "work:slash.task_finish": "/task finish",
  "work:slash.decide": "/decide ",
} as const;

export type SlashCommand = keyof typeof COMMANDS;

export interface Slash {
  /** None while nothing is offered. */
  hits: readonly SlashCommand[];
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

const NONE: readonly SlashCommand[] = [];

export function written(command: SlashCommand): string {
  return COMMANDS[command];
}

/** The commands that a text is the beginning of. */
export function offered(text: string): readonly SlashCommand[] {
  if (!text.startsWith("/")) return NONE;
  return (Object.keys(COMMANDS) as SlashCommand[]).filter((command) => written(command).startsWith(text));
}

export function useSlash(field: RefObject<HTMLTextAreaElement | null>, enabled: boolean, onPicked: () => void): Slash {
  const { t } = useTranslation("memory");
  const [hits, setHits] = useState(NONE);
  const [active, setActive] = useState(0);

  const close = useCallback(() => setHits(NONE), []);
  const look = useCallback(() => {
    // The system may tell of a selection after the composer went.
    if (!field.current) return;
    const { value, selectionStart } = field.current;
    const found = enabled && selectionStart === value.length ? offered(value) : NONE;
    if (found.join() === hits.join()) return;
    setHits(found);
    setActive(0);
    if (found.length > 0) announce(t("slash.count", { count: found.length }));
  }, [enabled, field, hits, t]);
  const pick = useCallback(
    (index = active) => {
      const hit = hits[index];
      close();
      if (!hit || field.current!.value === written(hit)) return false;
      field.current!.value = written(hit);
      onPicked();
      return true;
    },
    [active, close, field, hits, onPicked],
  );
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
