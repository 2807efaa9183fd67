// Why messages could not be unfolded: by how much they do not fit, or what else went wrong.
import { ErrorNotice } from "@/features/errors";
import { toFailure } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Notice } from "@/shared/kit";

export function UnfoldFailure({ failure }: { failure: unknown }) {
  const { t } = useTranslation("summaries");
  const { code, excess } = toFailure(failure);
  if (code !== "unfold_too_large" || !excess) return <ErrorNotice failure={failure} />;
  const { over, budget } = excess;
  return (
    <div role="alert">
      <Notice tone="warn" title={t("tooLarge.title", { count: over, n: formatTokens(over) })}>
        {t("tooLarge.hint", { budget: formatTokens(budget) })}
      </Notice>
    </div>
  );
}
