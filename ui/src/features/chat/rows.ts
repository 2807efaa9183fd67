// What the conversation shows, as plain data. The page that owns the conversation makes these from
// what the backend tells; nothing here knows where they come from. A row object must stay the same
// object while nothing in it changed: rows are memoised by identity.
import { isAttachment, type Attachment, type Pasting } from "@/features/attachments";
import type { Call } from "@/features/tools";
import type { DefaultModel } from "@/ipc";

export type Part =
  | { type: "text"; text: string }
  /** Empty when the provider keeps the thought to itself. */
  | { type: "reasoning"; text: string }
  /** A tool that the model asked for, with what came of it. */
  | { type: "call"; call: Call }
  | Attachment;

export type Status = "complete" | "streaming" | "interrupted" | "failed";

export interface Siblings {
  /** From 0. */
  index: number;
  count: number;
  /** Message ids of all versions, in order. */
  ids: readonly string[];
}

export interface RowError {
  /** Its words are the interface's. */
  code: string;
  /** The technical detail. */
  message: string;
}

export interface Usage {
  input: number;
  output: number;
  /** Those of `input` that the provider had in its cache. */
  cached: number;
  /** Whether the provider counted; else it is our own estimate. */
  exact: boolean;
  /** In billionths of a US dollar, when the price is known. */
  cost: number | null;
}

interface Base {
  /** Stable over the row's whole life; usually the message id. */
  key: string;
  /** From 1, in the whole conversation as it is shown. */
  position: number;
}

export interface UserRow extends Base {
  kind: "user";
  id: string;
  parts: readonly Part[];
  /** When it was written, in milliseconds. */
  at: number;
  siblings?: Siblings;
}

export interface ReplyRow extends Base {
  kind: "assistant";
  /** Its first message: the answer to the question, which versions hang on. */
  id: string;
  /** The message it answers, which all of its versions do. */
  question?: string;
  /** The message that the model wrote last: what is continued. */
  lastId?: string;
  /** All messages it shows, where they are several: what was said between calls, and their results. */
  ids?: readonly string[];
  /** Position of the last of them. */
  end?: number;
  /** The turn, while it is known: what its calls are looked up by. */
  turnId?: string;
  /** Whether the turn's record is here: what was sent, what it is judged by. A reply that came in a file has none. */
  recorded?: boolean;
  /** While streaming, what stream.ts holds for the last message is shown in place of its own parts. */
  parts: readonly Part[];
  /** So many of them are of the messages before the last; null while the last is not being written. */
  settled?: number | null;
  at: number;
  status: Status;
  /** The next row goes on where this one ended. */
  continued?: boolean;
  /** It goes on with a row that ended inside a block of code, which began with this line. */
  within?: string;
  siblings?: Siblings;
  /** Name of the model, as people know it. */
  model?: string;
  usage?: Usage;
  error?: RowError;
}

export interface NoticeRow extends Base {
  kind: "notice";
  tone: "info" | "warn" | "danger";
  text: string;
  action?: { label: string; run: () => void };
}

export type Row = UserRow | ReplyRow | NoticeRow;

/** What the rows let a person do. Give the same object each time: rows are memoised. */
export interface RowActions {
  /** `attachments` are the hashes of those that go with the new text. */
  onEdit: (id: string, text: string, attachments: string[]) => void;
  /** What of the clipboard goes with the text that is being written, and not into it. */
  pasting: Pasting;
  onRegenerate: (id: string) => void;
  onSibling: (id: string) => void;
  onContinue: (id: string) => void;
  onRetry: (id: string) => void;
  /** Another reply to the same question by this model; all of them are shown side by side then. */
  onAsk: (id: string, question: string, model: DefaultModel) => void;
  /** Shows what was sent for a reply. */
  onSaw: (id: string) => void;
  /** Keeps what a message says in memory. */
  onRemember: (id: string, text: string) => void;
  /** Shows where the key of the provider that is asked is entered. */
  onEnterKey: () => void;
}

/** The place a row stands at, which stays when another version of its reply takes it: the focus stays there, and what is read. */
export function placeOf(row: { kind: string; key: string; question?: string }): string {
  return row.question === undefined ? row.key : `answer to ${row.question}`;
}

/** Whether a row shows a message. */
export function shows(row: { key: string; ids?: readonly string[] }, message: string): boolean {
  return row.key === message || (row.ids?.includes(message) ?? false);
}

export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

export function attachmentsOf(parts: readonly Part[]): Attachment[] {
  return parts.filter(isAttachment);
}

/** Lines and letters of a long message of the person that are shown at first. */
const LINES = 16;
const LETTERS = 1600;

/** The beginning of a long message; a short one is all of it. */
export function startOf(text: string): string {
  const few = text.slice(0, LETTERS).split("\n").slice(0, LINES).join("\n");
  // What is nearly all of it is not worth a press.
  return few.length * 1.25 >= text.length ? text : few;
}
