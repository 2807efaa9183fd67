// The next and a sent request in one shape, and their grouping into blocks. Pure.
import { isAttachment, type Attachment } from "@/features/attachments";
import { isNobody, modeOf } from "@/features/models";
import { calledIn, type Called } from "@/features/tools";
import type { LeftOut, MessageId, Part, Reason, RequestView, SectionKind, SentRequestView, Shares, Tuning, TurnId, TurnSpan, Usage, WindowSource } from "@/ipc";

export interface Piece {
  id: string;
  kind: SectionKind;
  source: string;
  link: string | null;
  /** Null when it can no longer be rebuilt. */
  text: string | null;
  attached: Attachment[];
  tokens: number;
  /** Whether a tokenizer counted them; else they are an estimate. */
  exact: boolean;
  reason: Reason;
  /** Kept by the person's wish. */
  pinned: boolean;
  /** The turns it is of, where their numbers are known. */
  turns: TurnSpan | null;
  changed: boolean;
  /** The rules by which secrets were taken out of its text. */
  redacted: readonly string[];
  /** The messages it shows. */
  messages: readonly MessageId[];
  /** What was called, of a message with what a tool answered. */
  called?: Called | null;
}

/** What the bar draws of a piece; a section of the next request is one as it comes. */
export type Drawn = Pick<Piece, "id" | "kind" | "source" | "tokens" | "exact" | "reason" | "pinned" | "turns">;

export interface View {
  pieces: Piece[];
  leftOut: LeftOut[];
  tokens: number;
  budget: number;
  provider: string;
  model: string;
  usage: Usage | null;
  openedAt: string | null;
  /** The turn it was sent for. */
  turnId: TurnId | null;
  /** How the model is or was asked; null while that is not known. */
  tuning: Tuning | null;
  /** The exact bytes: by their number; or that they are not kept; null where there are none to keep. */
  exactBytes: number | "gone" | "none" | null;
  /** How the room for earlier messages is shared out in the next request; null where nothing is recalled. */
  recall: Shares | null;
  /** The agent that would be asked may look up more of the project by itself. */
  looksUp: boolean;
  /** The mode in which the agent works that is asked; null for the one in which it asks, and where it is no agent. */
  mode: string | null;
  /** How much the model holds, of the next request. */
  window: { tokens: number; source: WindowSource } | null;
}

function attachedIn(parts: readonly Part[]): Attachment[] {
  return parts.filter(isAttachment);
}

export function nextView(request: RequestView, tuning: Tuning | null = null): View {
  const called = calledIn(request.sections.map(({ parts, source }) => ({ parts, source })));
  return {
    pieces: request.sections.map((section, at) => ({
      ...section,
      attached: attachedIn(section.parts),
      changed: false,
      called: called[at]!,
    })),
    leftOut: request.left_out,
    tokens: request.tokens,
    budget: request.budget,
    provider: request.provider,
    model: request.model,
    usage: null,
    openedAt: null,
    looksUp: request.looks_up,
    mode: request.mode,
    turnId: null,
    tuning,
    exactBytes: null,
    recall: request.recall,
    window: { tokens: request.window, source: request.window_source },
  };
}

export function sentView(request: SentRequestView): View {
  const called = calledIn(request.sections.map(({ section: { attached, source } }) => ({ parts: attached, source })));
  return {
    pieces: request.sections.map(({ section, text, changed_since }, at) => ({
      ...section,
      called: called[at]!,
      text,
      attached: attachedIn(section.attached),
      changed: changed_since,
    })),
    leftOut: request.left_out,
    tokens: request.tokens,
    budget: request.budget,
    provider: request.provider,
    model: request.model,
    usage: request.usage,
    openedAt: request.opened_at,
    looksUp: false,
    mode: modeOf(request.tuning, request.provider),
    turnId: request.turn_id,
    tuning: request.tuning,
    exactBytes: exactBytesOf(request),
    recall: null,
    window: null,
  };
}

export function isExact(pieces: readonly Drawn[]): boolean {
  return pieces.every((piece) => piece.exact);
}

/** A turn that failed may have failed before anything left. */
function exactBytesOf({ egress, provider, status }: SentRequestView): View["exactBytes"] {
  if (egress !== null) return egress;
  if (isNobody(provider) || status === "open") return null;
  return status === "failed" ? "none" : "gone";
}

export interface Block<P extends Drawn = Piece> {
  /** The id of its first piece. */
  id: string;
  kind: SectionKind;
  pieces: P[];
  tokens: number;
}

/** Whether it is a command of the agent's own, which goes without all else. */
export function goesAlone(leftOut: readonly LeftOut[]): boolean {
  return leftOut.some(({ why }) => why === "agent_command");
}

/** Whether it is a passage of an earlier message. */
export function isRecalled({ id }: { id: string | null }): boolean {
  return id?.startsWith("recall:") ?? false;
}

/**
 * Earlier messages that follow each other are one block; everything else, and what is pinned, stands alone. `gathers` says
 * what else is one block where it follows each other.
 */
export function blocksOf<P extends Drawn>(pieces: readonly P[], gathers: (piece: P) => boolean = () => false): Block<P>[] {
  const blocks: Block<P>[] = [];
  for (const piece of pieces) {
    const last = blocks.at(-1);
    const first = last?.pieces[0];
    const turns = piece.kind === "turn" && !piece.pinned && first?.kind === "turn" && !first.pinned;
    const joins = turns || (first !== undefined && gathers(piece) && gathers(first));
    if (last && joins) {
      last.pieces.push(piece);
      last.tokens += piece.tokens;
    } else {
      blocks.push({ id: piece.id, kind: piece.kind, pieces: [piece], tokens: piece.tokens });
    }
  }
  return blocks;
}

/** Which wishes a piece of the next request can have: what always goes cannot be left out, and need not be pinned. */
export function wishable({ reason: { code } }: Pick<Drawn, "reason">): { pin: boolean; leaveOut: boolean } {
  const leaveOut = code !== "base" && code !== "draft" && code !== "as_the_seed" && code !== "continue";
  return { pin: leaveOut && code !== "conversation_rule" && code !== "key_sentences", leaveOut };
}

/** The first words of a message, to call it by. */
export function startOf({ text, source }: Pick<Piece, "text" | "source">): string {
  const words = text?.trim().split("\n", 1)[0] ?? "";
  return words === "" ? source : words.length > 60 ? `${words.slice(0, 60)}…` : words;
}
