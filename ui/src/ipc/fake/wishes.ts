// What the person wants of single sections: pinned until it is not, left out until the next answer; a recalled passage
// until that is taken back.
import type { LeftOut, Section, WishSection } from "../bindings";
import { conversationOf, failure, type State, type StoredConversation } from "./state";

/** Our own instructions and what is being asked. */
const ALWAYS = ["instructions", "draft", "continue"];
const NOT_PINNABLE = ["conversation-instructions", "extract"];

export function set(state: State, { conversation_id, id, wish }: WishSection): null {
  const { wishes } = conversationOf(state, conversation_id);
  if (wish === null) wishes.delete(id);
  else if (ALWAYS.includes(id)) throw failure("bad_request", "this goes with every request");
  else if (wish === "pinned" && NOT_PINNABLE.includes(id)) throw failure("bad_request", "this cannot be pinned");
  else wishes.set(id, wish);
  state.emit({ type: "conversations" }, { type: "conversation", id: conversation_id });
  return null;
}

/** The request under the wishes of a conversation. */
export function carryOut({ wishes }: StoredConversation, sections: Section[], left_out: LeftOut[]): Section[] {
  for (const section of sections) {
    section.pinned = wishes.get(section.id) === "pinned";
    if (section.pinned && ["found", "recent"].includes(section.reason.code)) section.reason = { code: "pinned" };
  }
  const unwanted = sections.filter(({ id }) => wishes.get(id) === "left_out");
  left_out.push(...unwanted.map(({ id, source, tokens }) => ({ id, source, tokens, why: "by_you" as const })));
  return sections.filter((section) => !unwanted.includes(section));
}

/** A request is answered: what it was without may go again. */
export function answered({ wishes }: StoredConversation, left_out: readonly LeftOut[]): void {
  for (const { id, why } of left_out) if (why === "by_you" && id !== null && !id.startsWith("recall:")) wishes.delete(id);
}
