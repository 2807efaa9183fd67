// One block of a request: its pattern, source, tokens and reason; opens to the very text.
import { ChevronRight } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { usePlace } from "@/app/actions";
import type { PersistenceKind, ProjectId, SectionKind } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import { Attached, type AttachedProps } from "./Attached";
import bar from "./ContextBar.module.css";
import css from "./ContextPane.module.css";
import { Entries } from "./Entries";
import type { Block, Piece } from "./view";
import { useBlockWords } from "./words";

/** Pieces of one block that are shown at once. */
const MOST = 100;

const STORED: Partial<Record<SectionKind, PersistenceKind>> = {
  persistent_context: "persistent",
  volatile_context: "volatile",
};

interface BlockRowProps {
  block: Block;
  exact: boolean;
  sizes: AttachedProps["sizes"];
  /** The project of the next request; undefined for one that was sent, of which nothing can be taken out. */
  projectId?: ProjectId | null;
  onLink: (url: string) => void;
}

export function BlockRow({ block, exact, sizes, projectId, onLink }: BlockRowProps) {
  const { t } = useTranslation("context");
  const { blockName, why } = useBlockWords();
  const [open, setOpen] = useState(false);
  const id = useId();
  // The bar names a block to look at: it opens.
  const section = usePlace((place) => place.section);
  useEffect(() => {
    if (section?.id === block.id) setOpen(true);
  }, [section, block.id]);
  const changed = block.pieces.some((piece) => piece.changed);
  const stored = STORED[block.kind];
  const hidden = block.pieces.length - MOST;
  return (
    <li className={css.block} data-block={block.id}>
      <button
        type="button"
        className={css.row}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={14} aria-hidden className={css.chevron} />
        <span className={css.swatch}>
          <span className={bar.fill} data-kind={block.kind} />
        </span>
        <span className={css.name}>{blockName(block)}</span>
        <span className={css.tokens} data-numeric>
          {formatTokens(block.tokens)}
          {!exact && <abbr title={t("estimatedTitle")}>{t("estimated")}</abbr>}
        </span>
        <span className={css.why}>
          {why(block.pieces[0]!.reason)}
          {changed && <strong>{t("changed")}</strong>}
        </span>
      </button>
      {open && (
        <div id={id} className={css.body}>
          {hidden > 0 && <p className={css.muted}>{t("earlierHidden", { count: hidden })}</p>}
          {block.pieces.slice(-MOST).map((piece) => (
            <PieceText key={piece.id} piece={piece} sizes={sizes} onLink={onLink} />
          ))}
          {stored && projectId !== undefined && <Entries projectId={projectId} kind={stored} />}
        </div>
      )}
    </li>
  );
}

interface PieceTextProps extends Pick<BlockRowProps, "sizes" | "onLink"> {
  piece: Piece;
}

function PieceText({ piece, sizes, onLink }: PieceTextProps) {
  const { t } = useTranslation("context");
  const { link, text, attached } = piece;
  return (
    <div className={css.piece}>
      <Attached parts={attached} sizes={sizes} />
      {text === null && <p className={css.muted}>{t("gone")}</p>}
      {text !== null && text !== "" && (
        <pre className={css.text} tabIndex={0} data-selectable>
          {text}
        </pre>
      )}
      {link !== null && (
        <Button variant="quiet" onClick={() => onLink(link)}>
          {t(link.startsWith("silt:summary/") ? "openSummary" : "open")}
        </Button>
      )}
    </div>
  );
}
