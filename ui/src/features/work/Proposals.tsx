// What was found in the conversation or asked for by a model: nothing of it is done before the person says so.
import { useQuery } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import { goToMessage } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, type ProjectId, type Workflow } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { IconButton } from "@/shared/kit";
import css from "./work.module.css";
import { useChangeWords } from "./words";

export function Proposals({ projectId, workflow }: { projectId: ProjectId; workflow: Workflow }) {
  const { t } = useTranslation("work");
  const words = useChangeWords(workflow);
  const proposals = useQuery(queries.proposals(projectId)).data ?? [];
  if (proposals.length === 0) return null;
  return (
    <section className={css.part} aria-labelledby="work-proposed">
      <h3 id="work-proposed">{t("proposals.title")}</h3>
      <ul>
        {proposals.map(({ id, change, conversation_id, message_id }) => {
          const text = words(change);
          return (
            <li key={id} className={css.decision}>
              <span data-selectable>{text}</span>
              <button type="button" className={css.link} onClick={() => goToMessage(conversation_id, projectId, message_id)}>
                {t("decisions.source")}
              </button>
              <IconButton
                label={t("proposals.accept", { text })}
                icon={<Check aria-hidden />}
                onClick={() => void call("proposal_accept", { id }).catch(tellFailure)}
              />
              <IconButton
                label={t("proposals.dismiss", { text })}
                icon={<X aria-hidden />}
                onClick={() => void call("proposal_dismiss", { id }).catch(tellFailure)}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
