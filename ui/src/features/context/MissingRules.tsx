// Said above the composer: rules in force that the next request would not say, and what can be done.
import { showContext } from "@/app/actions";
import type { ConversationItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import { useRequestPreview } from "./preview";

export function MissingRules({ conversation }: { conversation: Pick<ConversationItem, "id" | "project_id"> }) {
  const { t } = useTranslation("summaries");
  const view = useRequestPreview(conversation).data;
  if (!view || view.missing_constraints.length === 0) return null;
  const { missing_constraints: missing, missing_more: more } = view;
  return (
    <Notice
      tone="warn"
      title={t("receipt.missing", { count: missing.length + more })}
      actions={<Button onClick={() => showContext("next")}>{t("receipt.missingShow")}</Button>}
    >
      <ul>
        {missing.map(({ text, section }) => (
          <li key={`${section} ${text}`}>{text}</li>
        ))}
        {more > 0 && <li>{t("receipt.missingMore", { count: more })}</li>}
      </ul>
      <p>{t("receipt.missingHint")}</p>
    </Notice>
  );
}
