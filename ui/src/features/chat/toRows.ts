// Messages of the host as rows of the list. A message that stays the same object stays the same row.
import { modelName } from "@/features/models";
import { useMemo } from "react";
import type { MessageItem, Part as HostPart } from "@/ipc";
import type { Part, Row, Siblings } from "./rows";

export function useRows(messages: readonly MessageItem[]): readonly Row[] {
  const known = useMemo(() => new WeakMap<MessageItem, Row>(), []);
  return useMemo(
    () =>
      messages.flatMap((message) => {
        const row = known.get(message) ?? toRow(message);
        if (row === null) return [];
        known.set(message, row);
        return [row];
      }),
    [messages, known],
  );
}

function toRow(message: MessageItem): Row | null {
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
        model: model !== null && model !== "offline" ? modelName(model) : undefined,
        usage: usage?.exact ? { input: usage.input_tokens, output: usage.output_tokens } : undefined,
        error: fault ?? undefined,
      };
    case "system": {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
      return { kind: "notice", key: id, tone: "info", text };
    }
    case "tool":
      return null;
  }
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
