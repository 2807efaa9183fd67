// The last line of the composer: the next request on its side, in send order. Each part names its
// source and tokens and opens the pane there; a tick marks the next fold; the total stands beside it as text.
import { useQuery } from "@tanstack/react-query";
import { openOverlay, showContext, showSummaries } from "@/app/actions";
import { useSummaryWords } from "@/features/summaries";
import type { ConversationItem, SummaryPanel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Tooltip } from "@/shared/kit";
import css from "./ContextBar.module.css";
import { useRequestPreview } from "./preview";
import { Strata } from "./Strata";
import { tickOf } from "./tick";
import { isRecalled } from "./view";
import { useBlockWords } from "./words";

const ahead = ({ distance, busy }: SummaryPanel) => ({ distance, busy });

export function ContextBar({ conversation }: { conversation: ConversationItem }) {
  const { t } = useTranslation("context");
  const { requestTotal, shareWhy } = useBlockWords();
  const { nextFold } = useSummaryWords();
  const { data } = useRequestPreview(conversation);
  const panel = useQuery({ ...queries.summaries(conversation.id), select: ahead }).data;
  if (!data) return <div className={css.bar} />;
  const { sections, tokens, budget, recall, model, window, window_source } = data;
  const total = requestTotal({ pieces: sections, tokens, budget });
  const free = Math.max(0, budget - tokens);
  const tick = panel?.distance ? tickOf(panel.distance, { pieces: sections, tokens }) : null;
  /** Share of the free part; none where the fold lies beyond. */
  const share = free > 0 && tick && tick.at !== null ? (tick.at - tokens) / free : -1;
  const more = (block: { id: string }) => (recall && isRecalled(block) ? shareWhy(recall) : null);
  const fold = panel?.busy ? t("folding") : tick && nextFold(tick.left);
  return (
    <div className={css.bar} role="group" aria-label={t("barLabel", { total })}>
      <Strata pieces={sections} tokens={tokens} budget={budget} onOpen={(block) => showContext("next", block)} more={more}>
        {fold && share >= 0 && share <= 1 && (
          <Tooltip text={fold}>
            <span className={css.tick} style={{ insetInlineStart: `${share * 100}%` }} />
          </Tooltip>
        )}
      </Strata>
      {fold && (
        <Tooltip text={t("foldHint")}>
          <button type="button" className={css.fold} onClick={() => showSummaries()} data-numeric>
            {fold}
          </button>
        </Tooltip>
      )}
      <span className={css.total} data-numeric>
        {total}
      </span>
      {window_source === "assumed" && (
        <Tooltip text={t("window.assumedHint", { model, tokens: formatTokens(window) })}>
          <button type="button" className={css.fold} onClick={() => openOverlay({ kind: "window", model, tokens: window })}>
            {t("window.assumed")}
          </button>
        </Tooltip>
      )}
    </div>
  );
}
