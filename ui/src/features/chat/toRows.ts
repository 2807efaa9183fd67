// Messages of the host as rows of the list. A message that stays the same object stays the same row.
import { modelName } from "@/features/models";
import { useMemo } from "react";
import type { MessageItem, Part as HostPart } from "@/ipc";
import type { Part, Row, Siblings, Usage } from "./rows";

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
  const { id, role, status, model, fault } = message;
  const parts = toParts(message.parts);
  const at = Date.parse(message.created_at);
  const siblings = toSiblings(message);
  const position = message.index + 1;
  switch (role) {
    case "user":
      return { kind: "user", key: id, position, id, parts, at, siblings };
    case "assistant":
      return {
        kind: "assistant",
        key: id,
        position,
        id,
        parts,
        at,
        status,
        siblings,
        model: model !== null && model !== "offline" ? modelName(model) : undefined,
        usage: toUsage(message),
        error: fault ?? undefined,
      };
    case "system": {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
      return { kind: "notice", key: id, position, tone: "info", text };
    }
    case "tool":
      return null;
  }
}

function toSiblings({ siblings }: MessageItem): Siblings {
  return { index: siblings.position, count: siblings.ids.length, ids: siblings.ids };
}

/** Quotes of the offline answer have not been sent to anybody; there is nothing to count. */
function toUsage({ usage, model, cost }: MessageItem): Usage | undefined {
  if (!usage || model === "offline") return undefined;
  const { input_tokens: input, output_tokens: output, cached_input_tokens: cached, exact } = usage;
  return { input, output, cached, exact, cost };
}

/** Thoughts that follow each other are one, however many pieces the provider sealed them in. */
function toParts(parts: readonly HostPart[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === "tool_call" || part.type === "tool_result") continue;
    if (part.type !== "reasoning") out.push(part);
    else if (last?.type !== "reasoning") out.push({ type: "reasoning", text: part.text });
    else out[out.length - 1] = { type: "reasoning", text: [last.text, part.text].filter(Boolean).join("\n\n") };
  }
  return out;
}
