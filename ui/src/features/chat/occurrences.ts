// Where words stand in a conversation, counted in the texts of its messages as they are drawn, so that what is not in the
// document counts too. Each is named by the message it is drawn for and by how many come before it there: what is drawn
// says the same (`data-said`), and highlight.ts finds it again. Pure.
import { FIELD_BYTES } from "@/features/attachments";
import type { MessageId, MessageItem } from "@/ipc";
import { drawnText } from "@/shared/markdown";
import { startOf } from "./rows";
import { byTurn } from "./toRows";

export interface Occurrence {
  messageId: MessageId;
  /** From 0. */
  nth: number;
}

/** In lower case, where that leaves every letter in its place. */
export function lower(text: string): string {
  const lowered = text.toLowerCase();
  return lowered.length === text.length ? lowered : text;
}

/** As it is compared: blanks of any kind and number part words. */
export function fold(text: string): string {
  return lower(text).replace(/\s+/g, " ").trim();
}

/** Where folded words begin in a folded text, none over another. */
export function placesIn(text: string, words: string): number[] {
  const places: number[] = [];
  if (words === "") return places;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) places.push(at);
  return places;
}

export function occurrencesIn(messages: readonly MessageItem[], words: string): Occurrence[] {
  const wanted = fold(words);
  return byTurn(messages).flatMap((together) => {
    const first = together[0]!;
    // What several messages of a turn say is drawn as one; a result stands for itself.
    let said = 0;
    return together.flatMap((message) => {
      const count = textsOf(message).reduce((sum, text) => sum + placesIn(text, wanted).length, 0);
      if (message.role === "tool") return numbered(message.id, 0, count);
      said += count;
      return numbered(first.id, said - count, count);
    });
  });
}

function numbered(messageId: MessageId, from: number, count: number): Occurrence[] {
  return Array.from({ length: count }, (_, n) => ({ messageId, nth: from + n }));
}

const known = new WeakMap<MessageItem, readonly string[]>();

/** The texts of a message, folded; once for each. */
function textsOf(message: MessageItem): readonly string[] {
  let texts = known.get(message);
  if (!texts) known.set(message, (texts = readTexts(message)));
  return texts;
}

function readTexts({ role, parts }: MessageItem): string[] {
  if (role === "tool") return parts.flatMap((part) => (part.type === "tool_result" ? [fold(part.text)] : []));
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (role === "assistant") return texts.map((text) => fold(drawnText(text)));
  if (role !== "user") return [];
  const text = texts.join("\n\n");
  // Of a longer one the beginning is all that is ever drawn.
  return [fold(drawnText(text.length > FIELD_BYTES ? startOf(text) : text))];
}
