// The next and a sent request in one shape, and their grouping into blocks. Pure.
import type { LeftOut, Reason, RequestView, SectionKind, SentRequestView, Usage } from "@/ipc";

export interface Piece {
  id: string;
  kind: SectionKind;
  source: string;
  link: string | null;
  /** Null when it can no longer be rebuilt. */
  text: string | null;
  tokens: number;
  reason: Reason;
  changed: boolean;
}

export interface View {
  pieces: Piece[];
  leftOut: LeftOut[];
  tokens: number;
  budget: number;
  provider: string;
  model: string;
  exact: boolean;
  usage: Usage | null;
  openedAt: string | null;
}

export function nextView(request: RequestView): View {
  return {
    pieces: request.sections.map((section) => ({ ...section, changed: false })),
    leftOut: request.left_out,
    tokens: request.tokens,
    budget: request.budget,
    provider: request.provider,
    model: request.model,
    exact: request.sections.every((section) => section.exact),
    usage: null,
    openedAt: null,
  };
}

export function sentView(request: SentRequestView): View {
  return {
    pieces: request.sections.map(({ section, text, changed_since }) => ({
      ...section,
      text,
      changed: changed_since,
    })),
    leftOut: request.left_out,
    tokens: request.tokens,
    budget: request.budget,
    provider: request.provider,
    model: request.model,
    exact: request.usage?.exact ?? false,
    usage: request.usage,
    openedAt: request.opened_at,
  };
}

export interface Block {
  /** The id of its first piece. */
  id: string;
  kind: SectionKind;
  pieces: Piece[];
  tokens: number;
}

/** Earlier messages that follow each other are one block; everything else stands alone. */
export function blocksOf(pieces: readonly Piece[]): Block[] {
  const blocks: Block[] = [];
  for (const piece of pieces) {
    const last = blocks.at(-1);
    if (last && piece.kind === "turn" && last.kind === "turn") {
      last.pieces.push(piece);
      last.tokens += piece.tokens;
    } else {
      blocks.push({ id: piece.id, kind: piece.kind, pieces: [piece], tokens: piece.tokens });
    }
  }
  return blocks;
}
