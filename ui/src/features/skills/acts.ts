// Acts on skills that several places offer: taking one into a conversation, taking it out, the command of the composer.
// Each can be taken back from the toast that tells of it. One is always taken as it was listed.
import { openOverlay } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, toFailure, type ConversationId, type MemoryLineId, type ProjectId, type SkillItem } from "@/ipc";
import { i18n } from "@/shared/i18n";
import { toast } from "@/shared/kit";
import { calledIn } from "./find";
import { faultWords } from "./words";

const t = i18n.getFixedT(null, "skills");

/** Where a skill is looked for and taken to. */
export interface Where {
  projectId: ProjectId | null;
  conversationId: ConversationId;
}

/** Takes a skill into a conversation; false, with the reason told, when it could not. */
export async function takeListed(conversation_id: ConversationId, item: SkillItem): Promise<boolean> {
  const { id, name, hash, chosen } = item;
  if (chosen?.changed === false) {
    toast({ text: t("already", { name }) });
    return true;
  }
  try {
    const line = await call("skill_choose", { conversation_id, id, hash });
    const run = () => void call("memory_remove", { id: line.id }).catch(tellFailure);
    toast({ text: t("used", { name }), action: { label: t("undo"), run } });
    return true;
  } catch (thrown) {
    if (toFailure(thrown).code === "conflict") toast({ text: t("conflict", { name }), tone: "warn" });
    else tellFailure(thrown);
    return false;
  }
}

/** Takes one out of its conversation; throws when it could not. */
export async function drop(id: MemoryLineId, name: string): Promise<void> {
  await call("memory_remove", { id });
  const run = () => void call("memory_undo", { id }).catch(tellFailure);
  toast({ text: t("removed", { name }), action: { label: t("undo"), run } });
}

/** Whether a text is meant for skills and not for the model. */
export function isSkillCommand(text: string): boolean {
  return /^\s*\/skill(\s|$)/.test(text);
}

/** Carries out `/skill NAME`, or lists them all; false, with the reason told, when it could not. */
export async function runSkillCommand({ projectId, conversationId }: Where, text: string): Promise<boolean> {
  const name = text.trim().replace(/^\/skill\s*/, "");
  if (name === "") {
    openOverlay({ kind: "skills", projectId, conversationId });
    return true;
  }
  try {
    const { skills } = await call("skill_list", { project_id: projectId, conversation_id: conversationId });
    const item = calledIn(skills, name);
    if (item && item.fault === null) return await takeListed(conversationId, item);
    const why = item?.fault && faultWords(item.fault);
    toast({ text: why ? t("slash.fault", { name, why }) : t("slash.none", { name }), tone: "warn" });
  } catch (thrown) {
    tellFailure(thrown);
  }
  return false;
}
