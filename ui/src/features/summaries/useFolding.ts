// What a conversation needs of its summaries: its folds and which of them are closed, the acts of keys and palette, and
// the words for who does not see them form.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { flushSync } from "react-dom";
import { create } from "zustand";
import { showContextTab, showSummaries, toggleSide, useAction, usePlace, useSides } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, type ConversationId, type SummaryPanel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import { endOf, foldKey, type Summary } from "./cards";
import { useSummaryWords } from "./words";

/** A stretch of the conversation and the summary that stands for it. */
export interface Fold {
  /** Stays the same over the versions of its summary. */
  key: string;
  summary: Summary;
  /** The person closed it: its messages before this index are out of sight. 0 while all of them are in sight. */
  closed: number;
}

export interface Folding {
  folds: readonly Fold[];
  /** Whether the folds are known; until then nothing can be said about what is in sight. */
  ready: boolean;
  /** Closes a fold over all its messages, or opens it. */
  toggle: (fold: Fold, close: boolean) => void;
  /** Opens the fold that hides a message, by the message's index, and renders it. */
  reveal: (index: number) => void;
}

/**
 * Where they end that were closed, by key, for as long as the window is open: conversations are left and come back to. What a
 * later version of the summary stands for besides stays in sight.
 */
const useClosed = create<Record<string, number>>(() => ({}));

/** The fold that the person is closing now, by its key: its line comes with a motion, and one that is scrolled to does not. */
let closing: string | null = null;

export function isClosing({ key }: Fold): boolean {
  return key === closing;
}

/** All but the words that are still being written: those change nothing here. */
const known = ({ records, shown, distance, busy }: SummaryPanel) => ({ records, shown, distance, busy });

export function useFolding(id: ConversationId): Folding {
  const { t } = useTranslation("summaries");
  const client = useQueryClient();
  const { data: panel, isPending } = useQuery({ ...queries.summaries(id), select: known });
  const pane = useSides().pane;
  const closed = useClosed();
  useAnnounced(panel?.records);
  useAction("summaries", () => {
    const shown = pane && usePlace.getState().contextTab === "summaries";
    if (!shown) return showSummaries();
    showContextTab("request");
    toggleSide("pane", false);
  });
  const foldNow = async () => {
    try {
      await call("summary_run", { id });
      await client.invalidateQueries(queries.summaries(id));
      showSummaries();
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const cannot = !panel?.distance ? t("noFolding") : panel.busy !== null ? t("busy") : null;
  useAction("fold", () => void foldNow(), cannot);

  const folds = useMemo(() => (panel ? foldsOf(panel, closed) : []), [panel, closed]);
  const current = useRef(folds);
  useLayoutEffect(() => {
    current.current = folds;
  });
  const toggle = useCallback(({ key, summary }: Fold, close: boolean) => {
    closing = close ? key : null;
    setTimeout(() => (closing = null));
    useClosed.setState({ [key]: close ? endOf(summary) : 0 });
  }, []);
  const reveal = useCallback((index: number) => {
    const hiding = current.current.find((fold) => index < fold.closed && covers(fold, index));
    if (hiding) flushSync(() => useClosed.setState({ [hiding.key]: 0 }));
  }, []);
  return { folds, ready: !isPending, toggle, reveal };
}

/** One whose messages are sent word for word again stands for nothing. */
function foldsOf({ records, shown }: Pick<SummaryPanel, "records" | "shown">, closed: Record<string, number>): Fold[] {
  return records
    .filter(({ id, unfolded_at }) => shown.includes(id) && unfolded_at === null)
    .sort((a, b) => a.coverage.start - b.coverage.start)
    .map((summary) => {
      const key = foldKey(summary);
      return { key, summary, closed: Math.min(closed[key] ?? 0, endOf(summary)) };
    });
}

/** Whether a fold stands for the message of this index. */
export function covers({ summary }: Fold, index: number): boolean {
  return index >= summary.coverage.start && index < endOf(summary);
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
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [records, t]);
}
