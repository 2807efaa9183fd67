// What a tool does to the world, as a picture and in words.
import { Eye, FilePen, MessageSquarePlus, SquareTerminal, type LucideIcon } from "lucide-react";
import type { ToolEffect, ToolItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { isBuiltIn, toolName } from "../names";

export const EFFECTS: readonly ToolEffect[] = ["reads", "proposes", "changes", "runs"];

export const EFFECT_ICONS: Readonly<Record<ToolEffect, LucideIcon>> = {
  reads: Eye,
  proposes: MessageSquarePlus,
  changes: FilePen,
  runs: SquareTerminal,
};

/** Names as a hook, so that a switch of the language is followed; and what a tool does. */
export function useToolNames() {
  const { t } = useTranslation("tools");
  return {
    name: toolName,
    does: ({ name, description }: Pick<ToolItem, "name" | "description">) =>
      isBuiltIn(name) ? t(`does.${name}`) : description,
  };
}
