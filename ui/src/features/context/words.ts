// What a block is called and why it is there, in the language of the interface.
import type { Reason } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import type { Block, Piece } from "./view";

export function useBlockWords() {
  const { t } = useTranslation("context");
  const pieceName = ({ kind, source }: Piece): string => {
    if (kind === "instructions")
      return source === "siltstone" ? t("kind.instructions") : t("kind.own");
    if (kind === "draft") return t("kind.draft");
    return source;
  };
  return {
    pieceName,
    blockName: (block: Block): string =>
      block.kind === "turn"
        ? t("turns", { count: block.pieces.length })
        : pieceName(block.pieces[0]!),
    why: (reason: Reason): string =>
      reason.code === "found" ? t("why.found", { rank: reason.rank }) : t(`why.${reason.code}`),
  };
}
