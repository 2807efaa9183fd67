// The data folder cannot be written: everything can be read, and what would change something waits until it can.
import { useQueryClient } from "@tanstack/react-query";
import { tellFailure } from "@/features/errors";
import { call, type AppInfo } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import css from "./start.module.css";

export function ReadOnlyNotice({ info, detail }: { info: AppInfo; detail: string }) {
  const { t } = useTranslation("shell");
  const client = useQueryClient();
  return (
    <div className={css.readOnly} role="status">
      <Notice
        tone="warn"
        title={t("readOnly.title")}
        actions={
          <>
            <Button onClick={() => void call("open_data_folder").catch(tellFailure)}>{t("data.openFolder")}</Button>
            <Button onClick={() => void client.invalidateQueries()}>{t("data.again")}</Button>
          </>
        }
      >
        <span title={detail}>{t("readOnly.text", { path: info.data_dir })}</span>
      </Notice>
    </div>
  );
}
