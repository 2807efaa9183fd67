// What a message proposes to remember, under the message itself.
import { useQuery } from "@tanstack/react-query";
import type { MessageId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { useToolsPlace } from "../place";
import css from "./inbox.module.css";
import { ProposedLine } from "./ProposedLine";

interface ProposedHereProps {
  /** Messages of the reply. */
  messageIds: readonly MessageId[];
}

export function ProposedHere({ messageIds }: ProposedHereProps) {
  const { t } = useTranslation("toolSettings");
  const place = useToolsPlace();
  const items = useQuery({ ...queries.inbox(place?.projectId ?? null), enabled: place !== null }).data ?? [];
  const here = items.filter(({ message_id }) => message_id !== null && messageIds.includes(message_id));
  if (here.length === 0) return null;
  return (
    <details className={css.here}>
      <summary>
        {t("inbox.title")} ({formatNumber(here.length)})
      </summary>
      <ul className={css.lines}>
        {here.map((item) => (
          <li key={item.id} className={css.line}>
            <ProposedLine item={item} />
          </li>
        ))}
      </ul>
    </details>
  );
}
