// What the Today page and the palette say of a project beside its plan: what waits for the person, and the last turns that
// changed files.
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { useCheckpoints } from "@/features/checkpoints";
import { toolName } from "@/features/tools";
import type { Approval, CheckpointDetail, CheckpointItem, ConversationItem, ProjectId, TurnChanges, TurnId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber } from "@/shared/i18n";

/** Conversations that are asked whether they wait: a call waits where something was said last. */
const CONVERSATIONS = 12;

/** Turns that are listed. */
const TURNS = 5;

export interface Waiting {
  conversation: ConversationItem;
  approvals: readonly Approval[];
}

/** Conversations of a project whose calls wait for the person. */
export function useWaiting(projectId: ProjectId | null): readonly Waiting[] {
  const { data: all } = useQuery({ ...queries.conversations(projectId), enabled: projectId !== null });
  const latest = useMemo(
    () =>
      (projectId === null ? [] : (all ?? []))
        .filter(({ message_count }) => message_count > 0)
        .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
        .slice(0, CONVERSATIONS),
    [all, projectId],
  );
  const approvals = useQueries({ queries: latest.map(({ id }) => queries.approvals(id)), combine: dataOf<Approval[]> });
  return useMemo(
    () =>
      latest.flatMap((conversation, at) => {
        const waiting = approvals[at] ?? [];
        return waiting.length > 0 ? [{ conversation, approvals: waiting }] : [];
      }),
    [latest, approvals],
  );
}

/** What calls that wait would do, the first in words. */
export function aboutCalls([first, ...more]: readonly Approval[]): string {
  if (!first) return "";
  const about = first.command ?? first.change?.path;
  const words = about === undefined ? toolName(first.tool) : `${toolName(first.tool)}: ${about}`;
  return more.length > 0 ? `${words} (+${formatNumber(more.length)})` : words;
}

export interface ChangedTurn {
  turnId: TurnId;
  /** What the turn left. */
  left: CheckpointItem;
  changes: TurnChanges;
}

/** The last turns that changed files of a project, the newest first: each left a checkpoint. */
export function useChangedTurns(projectId: ProjectId | null): readonly ChangedTurn[] {
  const { items } = useCheckpoints(projectId);
  const left = useMemo(() => items.filter(({ reason }) => reason.code === "after_turn").slice(0, TURNS), [items]);
  const details = useQueries({ queries: left.map(({ id }) => queries.checkpoint(id)), combine: dataOf<CheckpointDetail> });
  const turns = useMemo(
    () => details.flatMap((detail) => (detail?.turn_id ? [{ turnId: detail.turn_id, left: detail.item }] : [])),
    [details],
  );
  const changes = useQueries({ queries: turns.map(({ turnId }) => queries.changes({ of: "turn", id: turnId })), combine: dataOf<TurnChanges> });
  return useMemo(
    () =>
      turns.flatMap((turn, at) => {
        const changed = changes[at];
        return changed && changed.files.length > 0 ? [{ ...turn, changes: changed }] : [];
      }),
    [turns, changes],
  );
}

function dataOf<T>(results: readonly UseQueryResult<T>[]): (T | undefined)[] {
  return results.map(({ data }) => data);
}
