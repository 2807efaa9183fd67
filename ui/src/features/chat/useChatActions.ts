// What keys and palette can do in the open conversation. Acts on a reply take the one that has the
// focus, else the last.
import { useAction } from "@/app/actions";
import { deleteConversation, exportConversation } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { call, type ConversationDetail, type MessageItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import type { Turns } from "./useTurns";

interface Given {
  detail: ConversationDetail;
  messages: readonly MessageItem[];
  turns: Turns;
}

function focusedMessage(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row;
}

export function useChatActions({ detail, messages, turns }: Given): void {
  const { t } = useTranslation("actions");
  const { item, open_turn } = detail;
  const { rowActions, stop } = turns;
  const answering = open_turn !== null;

  const isReply = ({ role }: MessageItem) => role === "assistant";
  const reply = () =>
    messages.find((message) => message.id === focusedMessage() && isReply(message)) ??
    messages.findLast(isReply);
  const hasReply = messages.some(isReply);
  const hasVersions = messages.some(({ siblings }) => siblings.ids.length > 1);
  const toSibling = (step: 1 | -1) => {
    const branching = ({ siblings }: MessageItem) => siblings.ids.length > 1;
    const focused = messages.find((message) => message.id === focusedMessage());
    const from = focused && branching(focused) ? focused : messages.findLast(branching);
    const to = from?.siblings.ids[from.siblings.position + step];
    if (to !== undefined) rowActions.onSibling(to);
  };
  const withReply = (act: (id: string) => void) => () => {
    const found = reply();
    if (found) act(found.id);
  };

  const noReply = hasReply ? null : t("noReply");
  useAction("stop", stop, answering ? null : t("notAnswering"));
  useAction("regenerate", withReply(rowActions.onRegenerate), answering ? t("answeringNow") : noReply);
  useAction("sawReply", withReply(rowActions.onSaw), noReply);
  const noVersions = hasVersions ? null : t("noVersions");
  useAction("siblingPrevious", () => toSibling(-1), noVersions);
  useAction("siblingNext", () => toSibling(1), noVersions);
  useAction("delete", () => void deleteConversation(item));
  useAction("exportMarkdown", () => void exportConversation(item.id, "markdown"));
  useAction("exportJson", () => void exportConversation(item.id, "json"));
  useAction("pin", () => {
    call("conversation_pin", { id: item.id, pinned: !item.pinned }).catch(tellFailure);
  });
}
