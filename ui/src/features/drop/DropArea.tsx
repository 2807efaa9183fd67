// What covers the window while the system drags something over it, and what a drop does.
import { useQueryClient } from "@tanstack/react-query";
import { FolderInput, Paperclip } from "lucide-react";
import { useEffect, useState } from "react";
import { usePlace } from "@/app/actions";
import { onDragDrop } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import css from "./drop.module.css";
import { isAttachable, takeDrop } from "./offer";

export function DropArea() {
  const { t } = useTranslation("drop");
  const client = useQueryClient();
  const inConversation = usePlace((place) => place.conversationId !== null);
  const [over, setOver] = useState<readonly string[] | null>(null);
  useEffect(
    () =>
      onDragDrop((event) => {
        if (event.type === "over") return;
        setOver(event.type === "enter" ? event.paths : null);
        if (event.type === "drop") void takeDrop(client, event.paths);
      }),
    [client],
  );
  if (over === null) return null;
  const attaches = inConversation && over.every(isAttachable);
  const Icon = attaches ? Paperclip : FolderInput;
  return (
    <div className={css.area} aria-hidden>
      <div className={css.areaInner}>
        <Icon strokeWidth={1.5} data-large />
        <p>{attaches ? t("attach", { count: over.length }) : t("area")}</p>
      </div>
    </div>
  );
}
