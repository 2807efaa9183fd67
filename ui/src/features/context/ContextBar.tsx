// The last line of the composer: the next request on its side, in send order. Each part names its
// source and tokens and opens the pane there; the total stands beside it as text.
import { showContext } from "@/app/actions";
import type { ConversationId } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Tooltip } from "@/shared/kit";
import css from "./ContextBar.module.css";
import { useRequestPreview } from "./preview";
import { blocksOf, nextView } from "./view";
import { useBlockWords } from "./words";

export function ContextBar({ conversationId }: { conversationId: ConversationId }) {
  const { t } = useTranslation("context");
  const { blockName } = useBlockWords();
  const { data } = useRequestPreview(conversationId);
  if (!data) return <div className={css.bar} />;
  const view = nextView(data);
  const total = t(view.exact ? "total" : "totalEstimated", {
    used: formatTokens(view.tokens),
    budget: formatTokens(view.budget),
  });
  const over = view.tokens > view.budget;
  return (
    <div className={css.bar} role="group" aria-label={t("barLabel", { total })}>
      <div className={css.segments} data-over={over || undefined}>
        {blocksOf(view.pieces).map((block) => {
          const label = t("segment", { name: blockName(block), tokens: formatTokens(block.tokens) });
          return (
            <Tooltip key={block.id} text={label}>
              <button
                type="button"
                className={css.segment}
                style={{ flexGrow: block.tokens }}
                aria-label={label}
                onClick={() => showContext("next", block.id)}
              >
                <span className={css.fill} data-kind={block.kind} />
              </button>
            </Tooltip>
          );
        })}
        <span className={css.free} style={{ flexGrow: Math.max(0, view.budget - view.tokens) }} />
      </div>
      <span className={css.total} data-numeric>
        {total}
      </span>
    </div>
  );
}
