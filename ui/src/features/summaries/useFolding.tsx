// What a conversation needs of its summaries: the line under the last message of each, the acts of keys and palette, and
// the words for who does not see them form.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, type ReactNode } from "react";
import { showContextTab, showSummaries, toggleSide, useAction, usePlace, useSides } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, type ConversationId, type MessageId, type SummaryPanel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import type { Summary } from "./cards";
import { FoldLine } from "./FoldLine";
import { useSummaryWords } from "./words";

/** All but the words that are still being written: those change nothing here. */
const known = ({ records, shown, distance, busy }: SummaryPanel) => ({ records, shown, distance, busy });

/** Gives what stands below a message. */
export function useFolding(id: ConversationId): (message: MessageId) => ReactNode {
  const { t } = useTranslation("summaries");
  const client = useQueryClient();
  const { data: panel } = useQuery({ ...queries.summaries(id), select: known });
  const pane = useSides().pane;
  useAnnounced(panel?.records);
  useAction("summaries", () => {
    const shown = pane && usePlace.getState().contextTab === "summaries";
    if (!shown) return showSummaries();
    showContextTab("request");
    toggleSide("pane", false);
  });
  const foldNow = async () => {
    try {
      const next = await call("summary_run", { id });
      client.setQueryData(queries.summaries(id).queryKey, next);
      showSummaries();
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const cannot = !panel?.distance ? t("noFolding") : panel.busy !== null ? t("busy") : null;
  useAction("fold", () => void foldNow(), cannot);
  const folds = useMemo(() => {
    const shown = new Set(panel?.shown);
    const held = panel?.records.filter((record) => shown.has(record.id)) ?? [];
    return new Map(held.map((record) => [record.coverage.last, record]));
  }, [panel]);
  return useCallback(
    (message) => {
      const summary = folds.get(message);
      return summary && <FoldLine summary={summary} />;
    },
    [folds],
  );
}

/** Says when a summary is begun, made or failed; never what was there when the conversation was opened. */
function useAnnounced(records: readonly Summary[] | undefined): void {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const last = useRef<Map<string, Summary["status"]> | null>(null);
  useEffect(() => {
    if (!records) return;
    const before = last.current;
    last.current = new Map(records.map(({ id, status }) => [id, status]));
    if (!before) return;
    for (const record of records) {
      const { id, status, edited } = record;
      if (before.get(id) === status || edited) continue;
      announce(t(`said.${status}`, { span: words.span(record) }));
    }
    // The words change with t alone.
  }, [records, t]);
}
