// How one request differs from another, block for block. Pure.
import type { MessageId } from "@/ipc";
import { blocksOf, isRecalled, type Block, type Piece } from "./view";

export type Mark = "same" | "changed" | "added" | "removed";

export interface Difference {
  mark: Mark;
  /** As it is in the later request; of what is removed, as it was in the earlier one. */
  block: Block;
  /** What a changed one was. */
  before: Piece | null;
}

/** A message is itself whether it was just written or is one of those before; a passage of it is another thing. */
function keyOf({ id, messages }: Pick<Piece, "id"> & { messages: readonly MessageId[] }): string {
  return isRecalled({ id }) ? id : (messages[0] ?? id);
}

/** In the order of the later one; what is removed stands where it stood. */
export function compare(before: readonly Piece[], after: readonly Piece[]): Difference[] {
  const old = new Map(before.map((piece) => [keyOf(piece), piece]));
  const kept = new Set(after.map(keyOf));
  const out: Difference[] = [];
  const add = (mark: Mark, piece: Piece, earlier: Piece | null = null) => {
    const last = out.at(-1);
    // Earlier messages of one mark are one block, as everywhere; a changed one is told alone.
    const joins = last?.mark === mark && mark !== "changed" && last.block.kind === "turn" && piece.kind === "turn";
    const [block] = blocksOf(joins ? [...last.block.pieces, piece] : [piece]);
    if (joins) last.block = block!;
    else out.push({ mark, block: block!, before: earlier });
  };
  let at = 0;
  const leave = (end: number) => {
    for (; at < end; at += 1) if (!kept.has(keyOf(before[at]!))) add("removed", before[at]!);
  };
  for (const piece of after) {
    const earlier = old.get(keyOf(piece));
    if (!earlier) {
      add("added", piece);
      continue;
    }
    leave(Math.max(at, before.indexOf(earlier)));
    if (isSame(earlier, piece)) add("same", piece);
    else add("changed", piece, earlier);
  }
  leave(before.length);
  return out;
}

function isSame(before: Piece, after: Piece): boolean {
  const hashes = ({ attached }: Piece) => attached.map(({ hash }) => hash).join();
  return before.text === after.text && hashes(before) === hashes(after);
}
