// The next and a sent request in one shape, and their grouping into blocks. Pure.
import type { Attachment } from "@/features/attachments";
import type { LeftOut, Part, Reason, RequestView, SectionKind, SentRequestView, Tuning, TurnSpan, Usage } from "@/ipc";

export interface Piece {
  id: string;
  kind: SectionKind;
  source: string;
  link: string | null;
  /** Null when it can no longer be rebuilt. */
  text: string | null;
  attached: Attachment[];
  tokens: number;
  reason: Reason;
  /** The turns it is of, where their numbers are known. */
  turns: TurnSpan | null;
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
  /** How the model is or was asked; null while that is not known. */
  tuning: Tuning | null;
  /** The exact bytes: by their number; or that they are not kept; null where there are none to keep. */
  exactBytes: number | "gone" | "none" | null;
}

function attachedIn(parts: readonly Part[]): Attachment[] {
  return parts.filter((part) => part.type === "image" || part.type === "file");
}

export function nextView(request: RequestView, tuning: Tuning | null = null): View {
  return {
    pieces: request.sections.map((section) => ({ ...section, attached: attachedIn(section.parts), changed: false })),
    leftOut: request.left_out,
    tokens: request.tokens,
    budget: request.budget,
    provider: request.provider,
    model: request.model,
    exact: request.sections.every((section) => section.exact),
    usage: null,
    openedAt: null,
    tuning,
    exactBytes: null,
  };
}

export function sentView(request: SentRequestView): View {
  return {
    pieces: request.sections.map(({ section, text, changed_since }) => ({
      ...section,
      text,
      attached: attachedIn(section.attached),
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
    tuning: request.tuning,
    exactBytes: exactBytesOf(request),
  };
}

/** A turn that failed may have failed before anything left. */
function exactBytesOf({ egress, provider, status }: SentRequestView): View["exactBytes"] {
  if (egress !== null) return egress;
  if (provider === "offline" || status === "open") return null;
  return status === "failed" ? "none" : "gone";
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
