// Says quietly that models propose lines to remember, and opens the list of them.
import { useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { Suspense, useState } from "react";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import { later } from "@/shared/later";

const InboxDialog = later(() => import("./InboxDialog"), "InboxDialog");

export function InboxBadge({ projectId }: { projectId: ProjectId | null }) {
  const { t } = useTranslation("toolSettings");
  const items = useQuery(queries.inbox(projectId)).data ?? [];
  const [open, setOpen] = useState(false);
  return (
    <>
      {items.length > 0 && (
        <Button variant="quiet" icon={<Inbox aria-hidden />} aria-haspopup="dialog" onClick={() => setOpen(true)}>
          {t("inbox.badge", { count: items.length })}
        </Button>
      )}
      {open && (
        <Suspense>
          <InboxDialog projectId={projectId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
