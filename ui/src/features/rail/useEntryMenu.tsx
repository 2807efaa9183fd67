// What the menu of a conversation offers.
import { Download, Forward, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { openOverlay } from "@/app/actions";
import { deleteConversation, exportConversation, useTitle } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { call, type ConversationId, type ConversationItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import type { MenuItems } from "@/shared/kit";

export function useEntryMenu(onRename: (id: ConversationId) => void): (item: ConversationItem) => MenuItems {
  const { t } = useTranslation("rail");
  const titleOf = useTitle();
  return (item) => [
    {
      id: "rename",
      label: t("rename"),
      icon: <Pencil aria-hidden />,
      shortcut: "F2",
      onSelect: () => onRename(item.id),
    },
    {
      id: "pin",
      label: item.pinned ? t("unpin") : t("pin"),
      icon: item.pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />,
      onSelect: () => void call("conversation_pin", { id: item.id, pinned: !item.pinned }).catch(tellFailure),
    },
    {
      id: "markdown",
      label: t("exportMarkdown"),
      icon: <Download aria-hidden />,
      onSelect: () => void exportConversation(item.id, "markdown"),
    },
    {
      id: "json",
      label: t("exportJson"),
      icon: <Download aria-hidden />,
      onSelect: () => void exportConversation(item.id, "json"),
    },
    {
      id: "as-is",
      label: t("exportAsIs"),
      icon: <Download aria-hidden />,
      onSelect: () => void exportConversation(item.id, "json", true),
    },
    {
      id: "go-on",
      label: t("goOn"),
      icon: <Forward aria-hidden />,
      onSelect: () => openOverlay({ kind: "goOn", conversationId: item.id, title: titleOf(item) }),
    },
    "separator",
    {
      id: "delete",
      label: t("delete"),
      icon: <Trash2 aria-hidden />,
      danger: true,
      onSelect: () => void deleteConversation(item),
    },
  ];
}
