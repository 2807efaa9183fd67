// What a restore could not write, with what the system said. Everything else was done.
import { closeOverlay } from "@/app/actions";
import type { FailedPath } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet } from "@/shared/kit";
import css from "./restore.module.css";
import rows from "./rows.module.css";

export function UnrestoredDialog({ failed }: { failed: readonly FailedPath[] }) {
  const { t } = useTranslation("checkpoints");
  return (
    <Dialog
      open
      size="m"
      onClose={closeOverlay}
      title={t("unrestored.title", { count: failed.length })}
      description={t("unrestored.text")}
      footer={<Button onClick={closeOverlay}>{t("close", { ns: "common" })}</Button>}
    >
      <ul className={css.failed} data-selectable>
        {failed.map(({ path, detail }) => (
          <li key={path}>
            <span className={rows.path}>{path}</span>
            <span className={quiet.note}>{detail}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
