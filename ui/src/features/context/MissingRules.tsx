// Said above the composer: rules in force that the next request would not say, and what can be done.
import { showContext } from "@/app/actions";
import type { ConversationItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import { useRequestPreview } from "./preview";

export function MissingRules({ conversation }: { conversation: Pick<ConversationItem, "id" | "project_id"> }) {
  const { t } = useTranslation("summaries");
  const missing = useRequestPreview(conversation).data?.missing_constraints ?? [];
  if (missing.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={t("receipt.missing", { count: missing.length })}
      actions={<Button onClick={() => showContext("next")}>{t("receipt.missingShow")}</Button>}
    >
      <ul>
        {missing.map(({ text, section }) => (
          <li key={`${section} ${text}`}>{text}</li>
        ))}
      </ul>
      <p>{t("receipt.missingHint")}</p>
    </Notice>
  );
}
