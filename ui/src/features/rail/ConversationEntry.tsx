// One conversation in the list: opens it, and renames it in its place; what else can be done with it is in the menu.
import { CircleHelp, Ellipsis } from "lucide-react";
import { memo, useState, type KeyboardEvent, type MouseEvent } from "react";
import { goToConversation } from "@/app/actions";
import { deleteConversation, useTitle } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { useWaits } from "@/features/tools";
import { call, type ConversationId, type ConversationItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { IconButton, MenuButton, type MenuOf } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./rail.module.css";

interface ConversationEntryProps {
  item: ConversationItem;
  current: boolean;
  renaming: boolean;
  menu: MenuOf<ConversationItem>;
  onRename: (id: ConversationId) => void;
  /** The name is given or kept, by Enter or Escape where a key did it. */
  onRenamed: (id: ConversationId, byKey: boolean) => void;
}

export const ConversationEntry = memo(function ConversationEntry(props: ConversationEntryProps) {
  const { item, current, renaming, menu, onRename, onRenamed } = props;
  const { t } = useTranslation(["rail", "tools"]);
  const waits = useWaits(item.id);
  const titleOf = useTitle();
  const title = titleOf(item);
  if (renaming) {
    const done = (next: string, byKey: boolean) => {
      onRenamed(item.id, byKey);
      const trimmed = next.trim();
      if (trimmed === "" || trimmed === item.title) return;
      call("conversation_rename", { id: item.id, title: trimmed }).catch(tellFailure);
    };
    return (
      <div className={css.entry} data-entry={item.id}>
        <RenameField title={item.title} onDone={done} />
      </div>
    );
  }
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "F2") onRename(item.id);
    else if (event.key === "Delete") void deleteConversation(item);
    else return;
    event.preventDefault();
  };
  const openMenu = (event: MouseEvent) => {
    event.preventDefault();
    event.currentTarget.querySelector<HTMLElement>("[aria-haspopup]")?.click();
  };
  return (
    <div className={css.entry} data-entry={item.id} data-current={current || undefined} onContextMenu={openMenu}>
      <button
        type="button"
        className={css.open}
        aria-current={current ? "page" : undefined}
        title={title}
        lang={proseLanguage(title)}
        onClick={() => goToConversation(item)}
        onDoubleClick={() => onRename(item.id)}
        onKeyDown={keyDown}
      >
        {waits && (
          <span className={css.waits} role="img" aria-label={t("waits", { ns: "tools" })}>
            <CircleHelp aria-hidden />
          </span>
        )}
        {title}
      </button>
      <MenuButton
        menu={menu}
        about={item}
        trigger={
          <IconButton
            className={css.more}
            label={t("more", { title })}
            icon={<Ellipsis aria-hidden />}
          />
        }
      />
    </div>
  );
});

interface RenameFieldProps {
  title: string;
  onDone: (title: string, byKey: boolean) => void;
}

/** The focus follows the act that opened it; leaving the field keeps what was written. */
function takeOver(field: HTMLInputElement | null): void {
  field?.focus();
  field?.select();
}

function RenameField({ title, onDone }: RenameFieldProps) {
  const { t } = useTranslation("rail");
  const [by] = useState({ key: "" });
  return (
    <input
      className={css.rename}
      aria-label={t("renameLabel")}
      defaultValue={title}
      ref={takeOver}
      onBlur={({ currentTarget }) => onDone(by.key === "Escape" ? title : currentTarget.value, by.key !== "")}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        by.key = event.key;
        event.currentTarget.blur();
      }}
    />
  );
}
