// A request on its side, in send order: each block as wide as its share of the tokens, then what is free. A block names
// its source and tokens; what opening one does is for the owner to say.
import type { ReactNode } from "react";
import type { SectionKind } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Tooltip } from "@/shared/kit";
import css from "./ContextBar.module.css";
import { blocksOf, isRecalled, type Block, type Drawn } from "./view";
import { useBlockWords } from "./words";

interface StrataProps {
  pieces: readonly Drawn[];
  tokens: number;
  budget: number;
  /** By the block's id. */
  onOpen: (block: string) => void;
  /** More to say of a block than its name and its tokens. */
  more?: (block: Block<Drawn>) => string | null;
  /** What stands in the free part. */
  children?: ReactNode;
}

/** The pattern of a kind of layer. */
export function Fill({ kind }: { kind: SectionKind }) {
  return <span className={css.fill} data-kind={kind} />;
}

export function Strata({ pieces, tokens, budget, onOpen, more, children }: StrataProps) {
  const { t } = useTranslation("context");
  const { blockName } = useBlockWords();
  return (
    <div className={css.segments} data-over={tokens > budget || undefined}>
      {blocksOf(pieces, isRecalled).map((block) => {
        const segment = t("segment", { name: blockName(block), tokens: formatTokens(block.tokens) });
        const further = more?.(block) ?? null;
        const label = further === null ? segment : `${segment}. ${further}`;
        return (
          <Tooltip key={block.id} text={label}>
            <button
              type="button"
              className={css.segment}
              style={{ flexGrow: block.tokens }}
              aria-label={label}
              onClick={() => onOpen(block.id)}
            >
              <Fill kind={block.kind} />
            </button>
          </Tooltip>
        );
      })}
      <span className={css.free} style={{ flexGrow: Math.max(0, budget - tokens) }}>
        {children}
      </span>
    </div>
  );
}
