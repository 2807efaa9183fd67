// What a database holds, in words.
import type { Holds } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";

export function useHeld() {
  const { t } = useTranslation("backups");
  return (holds: Holds | null) =>
    holds === null
      ? t("unreadable")
      : t("holds", {
          conversations: t("conversations", { count: holds.conversations, n: formatNumber(holds.conversations) }),
          messages: t("messages", { count: holds.messages, n: formatNumber(holds.messages) }),
        });
}
