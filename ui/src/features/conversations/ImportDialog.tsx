// How far an import of many conversations is. Closing it cancels nothing.
import { closeOverlay } from "@/app/actions";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Progress } from "@/shared/kit";
import { cancelImport, useImporting } from "./importing";

export function ImportDialog() {
  const { t } = useTranslation("rail");
  const { done, total } = useImporting(({ event }) => event);
  return (
    <Dialog
      open
      onClose={closeOverlay}
      title={t("importing.title")}
      description={t("importing.text")}
      footer={<Button onClick={cancelImport}>{t("cancel", { ns: "common" })}</Button>}
    >
      <Progress
        label={t("importing.running")}
        value={total > 0 ? done / total : null}
        detail={total > 0 ? `${formatNumber(done)}/${formatNumber(total)}` : undefined}
      />
    </Dialog>
  );
}
