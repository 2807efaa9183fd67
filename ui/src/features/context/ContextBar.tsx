// Below the composer: the next request on its side, in send order. Each stratum names its source, its tokens and why it is
// there, and opens the pane there; a tick marks the next fold. Its numbers are said once, by the line above the composer.
import { useQuery } from "@tanstack/react-query";
import { showContext, showSummaries } from "@/app/actions";
import { useSummaryWords } from "@/features/summaries";
import type { ConversationItem, SummaryPanel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Tooltip } from "@/shared/kit";
import css from "./ContextBar.module.css";
import { useRequestPreview } from "./preview";
import { Strata } from "./Strata";
import { tickOf } from "./tick";
import { isRecalled, type Block, type Drawn } from "./view";
import { useBlockWords } from "./words";

const ahead = ({ distance, busy }: SummaryPanel) => ({ distance, busy });

export function ContextBar({ conversation }: { conversation: ConversationItem }) {
  const { t } = useTranslation("context");
  const { requestTotal, shareWhy, why } = useBlockWords();
  const { nextFold } = useSummaryWords();
  const { data } = useRequestPreview(conversation);
  const panel = useQuery({ ...queries.summaries(conversation.id), select: ahead }).data;
  if (!data) return <div className={css.bar} />;
  const { sections, tokens, budget, recall } = data;
  const total = requestTotal({ pieces: sections, tokens, budget });
  const free = Math.max(0, budget - tokens);
  const tick = panel?.distance ? tickOf(panel.distance, { pieces: sections, tokens }) : null;
  /** Share of the free part; none where the fold lies beyond. */
  const share = free > 0 && tick && tick.at !== null ? (tick.at - tokens) / free : -1;
  const more = (block: Block<Drawn>) => (recall && isRecalled(block) ? shareWhy(recall) : why(block.pieces[0]!.reason));
  const fold = panel?.busy ? t("folding") : tick && nextFold(tick.left);
  return (
    <div className={css.bar} role="group" aria-label={t("barLabel", { total })}>
      <Strata pieces={sections} tokens={tokens} budget={budget} onOpen={(block) => showContext("next", block)} more={more}>
        {fold && share >= 0 && share <= 1 && (
          <Tooltip text={fold}>
            <button
              type="button"
              className={css.tick}
              style={{ insetInlineStart: `${share * 100}%` }}
              aria-label={fold}
              onClick={() => showSummaries()}
            />
          </Tooltip>
        )}
      </Strata>
    </div>
  );
}
