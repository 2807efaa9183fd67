// Lines that models propose to remember: what each says, in words that can be changed, what it rests on and where it was
// said. Loaded when it is first opened.
import { useQuery } from "@tanstack/react-query";
import { closeOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Dialog, Spinner } from "@/shared/kit";
import css from "./inbox.module.css";
import { ProposedLine } from "./ProposedLine";

export function InboxDialog({ projectId }: { projectId: ProjectId | null }) {
  const { t } = useTranslation("toolSettings");
  const inbox = useQuery(queries.inbox(projectId));
  return (
    <Dialog open size="m" onClose={closeOverlay} title={t("inbox.title")} description={t("inbox.text")}>
      {inbox.isError && <ErrorNotice failure={inbox.error} />}
      {inbox.isPending && <Spinner />}
      {inbox.data?.length === 0 && <p role="status">{t("inbox.none")}</p>}
      <ul className={css.lines} aria-label={t("inbox.title")} hidden={!inbox.data?.length}>
        {inbox.data?.map((item) => (
          <li key={item.id} className={css.line}>
            <ProposedLine item={item} onLeave={closeOverlay} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
