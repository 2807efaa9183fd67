// Says quietly that models propose lines to remember, and opens the list of them.
import { useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { openOverlay } from "@/app/actions";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";

export function InboxBadge({ projectId }: { projectId: ProjectId | null }) {
  const { t } = useTranslation("toolSettings");
  const items = useQuery(queries.inbox(projectId)).data ?? [];
  if (items.length === 0) return null;
  return (
    <Button variant="quiet" icon={<Inbox aria-hidden />} aria-haspopup="dialog" onClick={() => openOverlay({ kind: "inbox", projectId })}>
      {t("inbox.badge", { count: items.length })}
    </Button>
  );
}
