// Under the message that made it: a change of the plan or a decision, which is carried out when the person says so. It is in
// no list; the next question passes it by.
import { useQuery } from "@tanstack/react-query";
import { Signpost, X } from "lucide-react";
import { tellFailure } from "@/features/errors";
import { useToolsPlace } from "@/features/tools";
import { call, type MessageId, type ProjectId, type ProposalRecord } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, IconButton } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./work.module.css";
import { useChangeWords } from "./words";

export function ProposedChange({ messageIds }: { messageIds: readonly MessageId[] }) {
  const projectId = useToolsPlace()?.projectId ?? null;
  return projectId !== null && <First projectId={projectId} messageIds={messageIds} />;
}

function First({ projectId, messageIds }: { projectId: ProjectId; messageIds: readonly MessageId[] }) {
  const proposals = useQuery(queries.proposals(projectId)).data ?? [];
  const here = proposals.filter(({ message_id }) => messageIds.includes(message_id));
  const [first] = here;
  return first && <Line projectId={projectId} proposal={first} more={here.length - 1} />;
}

interface LineProps {
  projectId: ProjectId;
  proposal: ProposalRecord;
  /** Further ones, each of which takes its place. */
  more: number;
}

function Line({ projectId, proposal: { id, change }, more }: LineProps) {
  const { t } = useTranslation("work");
  const workflow = useQuery(queries.workflow(projectId)).data;
  const text = useChangeWords(workflow?.plans ?? [])(change);
  if (!workflow) return null;
  return (
    <div className={css.proposed} role="group" aria-label={t("proposals.title")}>
      <Signpost aria-hidden />
      <span className={css.proposedText} data-selectable>
        <Revealed text={text} />
      </span>
      {more > 0 && (
        <span className={css.more} data-numeric>
          {t("proposals.more", { count: more, n: formatNumber(more) })}
        </span>
      )}
      <Button
        variant="quiet"
        aria-label={t("proposals.accept", { text })}
        onClick={() => void call("proposal_accept", { id }).catch(tellFailure)}
      >
        {t("proposals.do")}
      </Button>
      <IconButton
        label={t("proposals.dismiss", { text })}
        icon={<X aria-hidden />}
        onClick={() => void call("proposal_dismiss", { id }).catch(tellFailure)}
      />
    </div>
  );
}
