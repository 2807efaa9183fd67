// What the model saw last at a moment: the request of the reply it stands at, read-only. A block leads to where it can
// be read.
import { useQuery } from "@tanstack/react-query";
import { goToConversation, showContext } from "@/app/actions";
import { sentView, Strata, useBlockWords } from "@/features/context";
import { ErrorNotice } from "@/features/errors";
import type { ConversationId, ProjectId, TurnId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import css from "./checkpoints.module.css";

interface MomentRequestProps {
  conversationId: ConversationId;
  projectId: ProjectId;
  turnId: TurnId;
}

export function MomentRequest({ conversationId, projectId, turnId }: MomentRequestProps) {
  const { t } = useTranslation("checkpoints");
  const { requestTotal } = useBlockWords();
  const sent = useQuery({ ...queries.sent(conversationId, turnId), select: sentView });
  if (sent.isError) return <ErrorNotice failure={sent.error} />;
  if (!sent.data) return <div className={css.request} />;
  const open = (block?: string) => {
    goToConversation({ id: conversationId, project_id: projectId });
    showContext(turnId, block);
  };
  return (
    <div className={css.request} role="group" aria-label={t("request.label")}>
      <Strata {...sent.data} onOpen={open} />
      <button type="button" className={css.link} onClick={() => open()} data-numeric>
        {t("request.open", { total: requestTotal(sent.data) })}
      </button>
    </div>
  );
}
