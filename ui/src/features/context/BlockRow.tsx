// One block of a request, in one line: its pattern, source and tokens, why it is there to whoever looks at it longer; opens to
// the very text.
import { ChevronRight, Pin } from "lucide-react";
import { useEffect, useId, useState, type ReactNode } from "react";
import { openOverlay, usePlace } from "@/app/actions";
import type { ConversationItem, PersistenceKind, SectionKind } from "@/ipc";
import { formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, quiet, Tooltip } from "@/shared/kit";
import { Attached, type AttachedProps } from "./Attached";
import css from "./ContextPane.module.css";
import { Entries } from "./Entries";
import { PieceMenu } from "./PieceMenu";
import { Fill } from "./Strata";
import { type Block, isExact, isRecalled, startOf, type Piece } from "./view";
import { useBlockWords } from "./words";

/** Pieces of one block that are shown at once. */
const MOST = 100;

/** Letters of one piece that are shown in the pane. */
const LETTERS = 20_000;

const STORED: Partial<Record<SectionKind, PersistenceKind>> = {
  persistent_context: "persistent",
  volatile_context: "volatile",
};

interface BlockRowProps {
  block: Block;
  sizes: AttachedProps["sizes"];
  /** Whose next request it is of; undefined for one that was sent, of which nothing can be changed. */
  next?: Pick<ConversationItem, "id" | "project_id">;
  onLink: (url: string) => void;
}

export function BlockRow({ block, sizes, next, onLink }: BlockRowProps) {
  const { t } = useTranslation("context");
  const { blockName, calledName, why: whyOf } = useBlockWords();
  const [open, setOpen] = useState(false);
  const id = useId();
  // The bar names a block to look at: it opens.
  const section = usePlace((place) => place.section);
  useEffect(() => {
    if (section?.id === block.id) setOpen(true);
  }, [section, block.id]);
  const changed = block.pieces.some((piece) => piece.changed);
  const redacted = [...new Set(block.pieces.flatMap((piece) => piece.redacted))];
  const stored = STORED[block.kind];
  const hidden = block.pieces.length - MOST;
  const [first, ...others] = block.pieces as [Piece, ...Piece[]];
  const name = first.called && others.length === 0 ? calledName(first.called) : blockName(block);
  const why = [isRecalled(first) ? headingOf(first) : "", whyOf(first.reason), first.pinned && first.reason.code !== "pinned" ? t("why.pinned") : ""]
    .filter((words) => words !== "")
    .join(" · ");
  return (
    <li className={css.block} data-block={block.id}>
      <div className={css.head}>
        <Tooltip text={why}>
          <button
            type="button"
            className={css.row}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            <ChevronRight aria-hidden className={css.chevron} />
            <span className={css.swatch}>
              <Fill kind={block.kind} />
            </span>
            <span className={css.label}>
              <span className={css.name}>{name}</span>
              {!open && <span className="visually-hidden">{why}</span>}
              {first.pinned && <Pin aria-hidden className={css.pinned} />}
              {changed && <strong>{t("changed")}</strong>}
              {redacted.length > 0 && <strong>{t("redacted", { rules: redacted.join(", ") })}</strong>}
            </span>
            <span className={css.tokens} data-numeric>
              {!isExact(block.pieces) && <abbr title={t("estimated")}>≈</abbr>}
              {formatTokens(block.tokens)}
            </span>
          </button>
        </Tooltip>
        {next && others.length === 0 && (
          <PieceMenu piece={first} name={name} conversationId={next.id} onLink={onLink} />
        )}
      </div>
      {open && (
        <div id={id} className={css.body}>
          <p className={quiet.note}>{why}</p>
          {hidden > 0 && <p className={quiet.note}>{t("earlierHidden", { count: hidden })}</p>}
          {block.pieces.slice(-MOST).map((piece) => (
            <PieceText key={piece.id} piece={piece} sizes={sizes} onLink={onLink}>
              {next && others.length > 0 && (
                <PieceMenu piece={piece} name={piece.called ? calledName(piece.called) : startOf(piece)} conversationId={next.id} onLink={onLink} />
              )}
            </PieceText>
          ))}
          {stored && next && <Entries projectId={next.project_id} kind={stored} />}
        </div>
      )}
    </li>
  );
}

interface PieceTextProps extends Pick<BlockRowProps, "sizes" | "onLink"> {
  piece: Piece;
  children: ReactNode;
}

function PieceText({ piece, sizes, onLink, children }: PieceTextProps) {
  const { t } = useTranslation("context");
  const { calledName } = useBlockWords();
  const { link, text, attached, called } = piece;
  return (
    <div className={css.piece}>
      {called && <p className={quiet.note}>{calledName(called)}</p>}
      <Attached parts={attached} sizes={sizes} />
      {text === null && <p className={quiet.note}>{t("gone")}</p>}
      {text !== null && text !== "" && (
        <pre className={css.text} tabIndex={0} data-selectable>
          {text.slice(0, LETTERS)}
        </pre>
      )}
      <div className={css.acts}>
        {text !== null && text.length > LETTERS && (
          <Button variant="quiet" onClick={() => openOverlay({ kind: "text", name: piece.source, text, hash: "" })}>
            {t("showAll", { ns: "chat", n: formatNumber(text.length) })}
          </Button>
        )}
        {link !== null && (
          <Button variant="quiet" onClick={() => onLink(link)}>
            {t(link.startsWith("silt:summary/") ? "openSummary" : "open")}
          </Button>
        )}
        {children}
      </div>
    </div>
  );
}

/** Who said a passage, when and where: the line that stands above it. */
function headingOf({ text }: Piece): string {
  return /^\[(.*)\]$/.exec(text?.split("\n", 1)[0] ?? "")?.[1] ?? "";
}
