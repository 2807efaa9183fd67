// The checkpoints of the project at hand, and the actions on them that belong to no screen.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { goToCheckpoints, leaveCheckpoints, openOverlay, useAction, usePlace } from "@/app/actions";
import { useHere } from "@/features/conversations";
import type { CheckpointItem, ConversationId, ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { undoRestore, useUndoable } from "./acts";

export function useCheckpointActions(): void {
  const { t } = useTranslation("rail");
  const { projectId, conversationId } = useHere();
  const undoable = useUndoable((undo) => undo.projectId);
  const none = projectId === null ? t("projectFirst") : null;
  const shown = usePlace((place) => place.checkpoints !== null);
  const toggle = () => (shown ? leaveCheckpoints() : goToCheckpoints({ projectId: projectId!, conversationId }));
  useAction("checkpoints", toggle, none);
  useAction("checkpointNow", () => openOverlay({ kind: "checkpoint", projectId: projectId!, conversationId }), none);
  useAction("undo", () => void undoRestore(undoable!), undoable === null ? t("nothingToUndo") : null);
}

/** What is loaded of a project's checkpoints. */
export function useCheckpoints(projectId: ProjectId | null) {
  const list = useInfiniteQuery({ ...queries.checkpoints(projectId ?? ""), enabled: projectId !== null });
  const pages = list.data?.pages;
  const items = useMemo(() => pages?.flatMap((page) => page.items) ?? [], [pages]);
  return { list, items, newest: pages?.[0] };
}

/** A checkpoint at a message. */
export interface Mark {
  item: CheckpointItem;
  projectId: ProjectId;
  conversationId: ConversationId;
}

/** By message. */
export type Marks = ReadonlyMap<string, Mark>;

/** The newest checkpoint at each message of a conversation. */
export function useMarks(projectId: ProjectId | null, conversationId: ConversationId): Marks {
  const { items } = useCheckpoints(projectId);
  return useMemo(() => {
    const marks = new Map<string, Mark>();
    for (const item of items) {
      const { conversation_id, message_id, reason } = item;
      // What a turn left stands under its reply with what it changed.
      if (reason.code === "after_turn") continue;
      if (projectId === null || message_id === null || conversation_id !== conversationId) continue;
      if (!marks.has(message_id)) marks.set(message_id, { item, projectId, conversationId });
    }
    return marks;
  }, [items, projectId, conversationId]);
}
