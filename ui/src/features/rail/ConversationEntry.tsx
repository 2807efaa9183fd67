// One conversation in the list: opens it; renames in its place; pin, export and delete in a menu.
import { CircleHelp, Download, Ellipsis, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { goToConversation } from "@/app/actions";
import { deleteConversation, exportConversation, useTitle } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { useWaits } from "@/features/tools";
import { call, type ConversationItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { IconButton, Menu } from "@/shared/kit";
import css from "./rail.module.css";

export function ConversationEntry({ item, current }: { item: ConversationItem; current: boolean }) {
  const { t } = useTranslation(["rail", "tools"]);
  const waits = useWaits(item.id);
  const titleOf = useTitle();
  const title = titleOf(item);
  const [renaming, setRenaming] = useState(false);
  const rename = (next: string) => {
    setRenaming(false);
    const trimmed = next.trim();
    if (trimmed === "" || trimmed === item.title) return;
    call("conversation_rename", { id: item.id, title: trimmed }).catch(tellFailure);
  };
  if (renaming) {
    return (
      <li className={css.entry}>
        <RenameField title={item.title} onDone={rename} onCancel={() => setRenaming(false)} />
      </li>
    );
  }
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "F2") setRenaming(true);
    else if (event.key === "Delete") void deleteConversation(item);
    else return;
    event.preventDefault();
  };
  return (
    <li className={css.entry} data-current={current || undefined}>
      <button
        type="button"
        className={css.open}
        aria-current={current ? "page" : undefined}
        title={title}
        onClick={() => goToConversation(item)}
        onDoubleClick={() => setRenaming(true)}
        onKeyDown={keyDown}
      >
        {waits && (
          <span className={css.waits} role="img" aria-label={t("waits", { ns: "tools" })}>
            <CircleHelp size={14} aria-hidden />
          </span>
        )}
        {title}
      </button>
      <Menu
        align="end"
        trigger={
          <IconButton
            className={css.more}
            label={t("more", { title })}
            icon={<Ellipsis size={16} aria-hidden />}
          />
        }
        items={[
          {
            id: "rename",
            label: t("rename"),
            icon: <Pencil size={14} aria-hidden />,
            shortcut: "F2",
            onSelect: () => setRenaming(true),
          },
          {
            id: "pin",
            label: item.pinned ? t("unpin") : t("pin"),
            icon: item.pinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />,
            onSelect: () =>
              void call("conversation_pin", { id: item.id, pinned: !item.pinned }).catch(tellFailure),
          },
          {
            id: "markdown",
            label: t("exportMarkdown"),
            icon: <Download size={14} aria-hidden />,
            onSelect: () => void exportConversation(item.id, "markdown"),
          },
          {
            id: "json",
            label: t("exportJson"),
            icon: <Download size={14} aria-hidden />,
            onSelect: () => void exportConversation(item.id, "json"),
          },
          {
            id: "as-is",
            label: t("exportAsIs"),
            icon: <Download size={14} aria-hidden />,
            onSelect: () => void exportConversation(item.id, "json", true),
          },
          "separator",
          {
            id: "delete",
            label: t("delete"),
            icon: <Trash2 size={14} aria-hidden />,
            danger: true,
            onSelect: () => void deleteConversation(item),
          },
        ]}
      />
    </li>
  );
}

interface RenameFieldProps {
  title: string;
  onDone: (title: string) => void;
  onCancel: () => void;
}

function RenameField({ title, onDone, onCancel }: RenameFieldProps) {
  const { t } = useTranslation("rail");
  const [cancelled] = useState({ now: false });
  return (
    <input
      className={css.rename}
      aria-label={t("renameLabel")}
      defaultValue={title}
      // Focus follows the act that opened it; leaving the field keeps what was written.
      ref={(field) => field?.select()}
      onBlur={(event) => (cancelled.now ? onCancel() : onDone(event.currentTarget.value))}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        cancelled.now = event.key === "Escape";
        event.currentTarget.blur();
      }}
    />
  );
}
