// Places of words are numbered by the message that they are drawn for, in the order in which they are read.
import { expect, it } from "vitest";
import type { MessageItem, Part } from "@/ipc";
import { occurrencesIn } from "./occurrences";

let made = 0;
function message(role: MessageItem["role"], turn_id: string | null, ...parts: Part[]): MessageItem {
  made += 1;
  return { id: `${role}-${made}`, role, turn_id, parts } as MessageItem;
}
const text = (said: string): Part => ({ type: "text", text: said });

it("counts what several messages of a turn say as one, and results by themselves", () => {
  made = 0;
  const result = { type: "tool_result", call_id: "c", text: "token\nTOKEN", is_error: false, kept: null } as Part;
  const messages = [
    message("user", "t", text("a *token*"), text("and a token")),
    message("assistant", "t", text("**tok**en [token](https://example.com/token)")),
    message("tool", "t", result),
    message("assistant", "t", text("no to\nken"), text("token")),
    message("system", null, text("token")),
  ];
  const places = occurrencesIn(messages, " Token ").map(({ messageId, nth }) => `${messageId} ${nth}`);
  expect(places).toEqual(["user-1 0", "user-1 1", "assistant-2 0", "assistant-2 1", "tool-3 0", "tool-3 1", "assistant-2 2"]);
  expect(occurrencesIn(messages, " ")).toEqual([]);
  // Found is what can be seen.
  expect(occurrencesIn(messages, "*token*")).toEqual([]);
});

it("counts of a message that is longer than is ever drawn its beginning", () => {
  const long = message("user", "u", text(`token ${"line\n".repeat(10_000)} token`));
  expect(occurrencesIn([long], "token")).toHaveLength(1);
});
