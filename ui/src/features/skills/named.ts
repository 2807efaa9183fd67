// Skills that the composer and the palette offer by name. Their folders are read once somebody asks for them.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { ConversationId, ProjectId, SkillItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { callable } from "./find";

/** With what it is called by. */
export type NamedSkill = SkillItem & { by: string };

/** Those that can be used in a conversation, each with what it is called by; none while there is none. */
export function useSkills(projectId: ProjectId | null, conversationId: ConversationId | null, wanted: boolean): readonly NamedSkill[] {
  const at = { project_id: projectId, conversation_id: conversationId };
  const { data } = useQuery({ ...queries.skills(at), enabled: wanted && conversationId !== null });
  const listed = conversationId === null ? undefined : data?.skills;
  return useMemo(() => callable(listed ?? []), [listed]);
}

/** The same, from the moment on at which a text begins to call one. */
export function useNamed(projectId: ProjectId | null, conversationId: ConversationId) {
  const [asked, setAsked] = useState(false);
  const heard = useCallback((text: string) => {
    if (/^\/sk/.test(text)) setAsked(true);
  }, []);
  return { skills: useSkills(projectId, conversationId, asked), heard };
}
