// What is known of a moment beside what differs: the model, the tokens, the message it stood at, what the model saw
// last, and what of the folder it does not hold, with why.
import { useQuery } from "@tanstack/react-query";
import { goToMessage, usePlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { useModelNames } from "@/features/models";
import { toFailure, type CheckpointItem, type NotCaptured } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Notice, quiet } from "@/shared/kit";
import css from "./checkpoints.module.css";
import { MomentRequest } from "./MomentRequest";
import rows from "./rows.module.css";

export function MomentFacts({ item }: { item: CheckpointItem }) {
  const { t } = useTranslation("checkpoints");
  const { alone } = useModelNames();
  const detail = useQuery(queries.checkpoint(item.id));
  const projectId = usePlace((place) => place.checkpoints?.projectId ?? null);
  const { conversation_id, message_id } = item;
  if (detail.isError) {
    // That they are locked is said once, where they can be opened.
    if (toFailure(detail.error).code === "checkpoints_locked") return null;
    return (
      <div className={css.momentFacts}>
        <ErrorNotice failure={detail.error} />
      </div>
    );
  }
  const state = detail.data?.conversation ?? null;
  return (
    <div className={css.momentFacts}>
      {!item.known && <Notice tone="warn">{t("newer")}</Notice>}
      <p className={quiet.note} data-numeric>
        {[
          state && state.model !== "" && state.model !== "offline" && alone(state.model, state.provider),
          conversation_id !== null && t("messages", { count: item.messages, n: formatNumber(item.messages) }),
          state &&
            state.token_usage.input_tokens > 0 &&
            t("tokens", {
              input: formatTokens(state.token_usage.input_tokens),
              output: formatTokens(state.token_usage.output_tokens),
            }),
          item.files !== null && t("files", { count: item.files, n: formatNumber(item.files) }),
          detail.data && t("version", { version: detail.data.metadata.version }),
        ]
          .filter(Boolean)
          .join(" · ")}
        {conversation_id !== null && message_id !== null && (
          <button
            type="button"
            className={css.link}
            onClick={() => goToMessage(conversation_id, projectId, message_id)}
          >
            {t("toMessage")}
          </button>
        )}
      </p>
      {conversation_id !== null && projectId !== null && detail.data?.turn_id && (
        <MomentRequest conversationId={conversation_id} projectId={projectId} turnId={detail.data.turn_id} />
      )}
      {item.not_captured > 0 && detail.data && (
        <NotCapturedList paths={detail.data.not_captured} count={item.not_captured} />
      )}
    </div>
  );
}

interface NotCapturedListProps {
  paths: readonly NotCaptured[];
  /** How many there are; more than are named. */
  count: number;
  /** What becomes of them, where they do not stay as they are. */
  title?: string;
}

/** What is in the folder and not in the checkpoint. */
export function NotCapturedList({ paths, count, title }: NotCapturedListProps) {
  const { t } = useTranslation("checkpoints");
  return (
    <details className={css.details}>
      <summary>{title ?? t("notCaptured", { count })}</summary>
      <ul>
        {paths.map(({ path, why }) => (
          <li key={path}>
            <span className={rows.path}>{path}</span> <span className={quiet.note}>{t(`notCapturedWhy.${why}`)}</span>
          </li>
        ))}
      </ul>
      {count > paths.length && <p className={quiet.note}>{t("andMore", { count: count - paths.length })}</p>}
    </details>
  );
}
