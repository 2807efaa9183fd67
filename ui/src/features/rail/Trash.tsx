// What was deleted: take it back, or delete it for ever after a question.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { closeOverlay } from "@/app/actions";
import { useTitle } from "@/features/conversations";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type ConversationItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatMoment, useTranslation } from "@/shared/i18n";
import { Button, Dialog, EmptyState, quiet } from "@/shared/kit";
import { PurgeDialog } from "./PurgeDialog";
import css from "./rail.module.css";

export function Trash() {
  const { t } = useTranslation("rail");
  const titleOf = useTitle();
  const trashed = useQuery(queries.conversations(null, true));
  const [asked, setAsked] = useState<ConversationItem | null>(null);
  return (
    <Dialog open size="m" onClose={closeOverlay} title={t("trash.title")}>
      {trashed.isError && <ErrorNotice failure={trashed.error} />}
      {trashed.data?.length === 0 && <EmptyState title={t("trash.empty")} />}
      <ul className={css.trash}>
        {trashed.data?.map((item) => (
          <li key={item.id} className={css.trashed}>
            <span className={css.trashedTitle}>
              {titleOf(item)}
              <span className={quiet.note}>
                {t("trash.since", { when: formatMoment(Date.parse(item.deleted_at ?? item.updated_at)) })}
              </span>
            </span>
            <Button
              aria-label={t("trash.restoreOne", { title: titleOf(item) })}
              onClick={() => void call("conversation_restore", { id: item.id }).catch(tellFailure)}
            >
              {t("trash.restore")}
            </Button>
            <Button
              variant="danger"
              aria-label={t("trash.purgeOne", { title: titleOf(item) })}
              onClick={() => setAsked(item)}
            >
              {t("trash.purge")}
            </Button>
          </li>
        ))}
      </ul>
      {asked && <PurgeDialog item={asked} onClose={() => setAsked(null)} />}
    </Dialog>
  );
}
