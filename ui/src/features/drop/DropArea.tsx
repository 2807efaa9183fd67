// What covers the window while the system drags something over it, and what a drop does.
import { useQueryClient } from "@tanstack/react-query";
import { FolderInput } from "lucide-react";
import { useEffect, useState } from "react";
import { onDragDrop } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { toast } from "@/shared/kit";
import css from "./drop.module.css";
import { offerFolder } from "./offer";

export function DropArea() {
  const { t } = useTranslation("drop");
  const client = useQueryClient();
  const [over, setOver] = useState(false);
  useEffect(
    () =>
      onDragDrop((event) => {
        if (event.type === "over") return;
        setOver(event.type === "enter");
        if (event.type !== "drop") return;
        const [path, ...more] = event.paths;
        if (path !== undefined) void offerFolder(client, path);
        if (more.length > 0) toast({ text: t("oneAtATime") });
      }),
    [client, t],
  );
  if (!over) return null;
  return (
    <div className={css.area} aria-hidden>
      <div className={css.areaInner}>
        <FolderInput size={32} strokeWidth={1.5} />
        <p>{t("area")}</p>
      </div>
    </div>
  );
}
