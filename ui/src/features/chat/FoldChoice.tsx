// Asked once, when the first fold of a conversation is due: what stands for earlier messages from now on.
import { useQuery } from "@tanstack/react-query";
import { tellFailure } from "@/features/errors";
import type { SummaryPolicy } from "@/ipc";
import { queries } from "@/ipc/queries";
import { writeSettings } from "@/ipc/settings";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";

export function FoldChoice() {
  const { t } = useTranslation("chat");
  const settings = useQuery(queries.settings()).data;
  if (settings?.summary.asked !== false) return null;
  const choose = (policy: SummaryPolicy) => {
    const summary = { ...settings.summary, policy, asked: true };
    writeSettings(settings, { ...settings, summary }).catch(tellFailure);
  };
  return (
    <Notice
      title={t("foldChoice.title")}
      actions={
        <>
          <Button onClick={() => choose("rolling")}>{t("foldChoice.rolling")}</Button>
          <Button onClick={() => choose("segments")}>{t("foldChoice.segments")}</Button>
          <Button variant="quiet" onClick={() => choose(settings.summary.policy)}>
            {t("foldChoice.later")}
          </Button>
        </>
      }
    >
      {t("foldChoice.text")}
    </Notice>
  );
}
