// Messages of the host as rows of the list. A message that stays the same object stays the same row.
import { useMemo } from "react";
import { useFailureWords } from "@/features/errors";
import type { MessageItem, Part as HostPart } from "@/ipc";
import { currentLanguage } from "@/shared/i18n";
import type { Part, Row, Siblings } from "./rows";

type Words = ReturnType<typeof useFailureWords>;

export function useRows(messages: readonly MessageItem[]): readonly Row[] {
  const words = useFailureWords();
  const language = currentLanguage();
  // Error rows hold words: another language makes other rows.
  const known = useMemo(() => new WeakMap<MessageItem, Row>(), [language]);
  return useMemo(
    () =>
      messages.flatMap((message) => {
        const row = known.get(message) ?? toRow(message, words);
        if (row === null) return [];
        known.set(message, row);
        return [row];
      }),
    [messages, known, words],
  );
}

function toRow(message: MessageItem, words: Words): Row | null {
  const { id, role, status, model, usage, fault } = message;
  const parts = message.parts.flatMap(toPart);
  const at = Date.parse(message.created_at);
  const siblings = toSiblings(message);
  switch (role) {
    case "user":
      return { kind: "user", key: id, id, parts, at, siblings };
    case "assistant":
      return {
        kind: "assistant",
        key: id,
        id,
        parts,
        at,
        status,
        siblings,
        model: model !== null && model !== "offline" ? model : undefined,
        usage: usage?.exact ? { input: usage.input_tokens, output: usage.output_tokens } : undefined,
        error: fault ? toError(fault.code, words) : undefined,
      };
    case "system": {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
      return { kind: "notice", key: id, tone: "info", text };
    }
    case "tool":
      return null;
  }
}

function toError(code: string, words: Words) {
  const { title, hint } = words(code);
  return { code, message: title, hint };
}

function toSiblings({ siblings }: MessageItem): Siblings {
  return { index: siblings.position, count: siblings.ids.length, ids: siblings.ids };
}

function toPart(part: HostPart): Part[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [part];
    case "image":
      return [{ type: "image", name: part.name, source: null }];
    case "file":
      return [{ type: "file", name: part.name, bytes: null }];
    case "tool_call":
    case "tool_result":
      return [];
  }
}
