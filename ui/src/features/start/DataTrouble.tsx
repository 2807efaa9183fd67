// The database cannot be used: says what is wrong, that nothing was changed, and offers backups.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Backups, Salvage } from "@/features/backups";
import { tellFailure, useFailureWords } from "@/features/errors";
import { call, type AppInfo, type DataState } from "@/ipc";
import { setLanguage, useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet } from "@/shared/kit";
import css from "./start.module.css";

const CODE = { damaged: "damaged", newer: "newer_data", unavailable: "io" } as const;

interface DataTroubleProps {
  info: AppInfo;
  data: Exclude<DataState, { state: "open" | "read_only" | "partly_damaged" }>;
}

export function DataTrouble({ info, data }: DataTroubleProps) {
  const { t } = useTranslation("shell");
  const client = useQueryClient();
  // The person's own choice is among what cannot be read; the host knows the system's better than the web view does.
  useEffect(() => setLanguage(info.system_language === "ko" ? "ko" : "en"), [info.system_language]);
  const { title, hint } = useFailureWords()(CODE[data.state]);
  return (
    <main className={css.screen} data-region>
      <div className={css.column}>
        <h1 className={css.troubleTitle}>{title}</h1>
        <p>{hint}</p>
        <p className={css.detail} data-selectable>
          {data.detail}
        </p>
        <p className={quiet.words}>{t("data.kept", { path: info.data_dir })}</p>
        {data.state === "damaged" && <Salvage />}
        {data.state !== "unavailable" && <Backups open={false} alone />}
        {data.state === "damaged" && <StartAnew />}
        <p className={css.buttons}>
          <Button onClick={() => void call("open_data_folder").catch(tellFailure)}>{t("data.openFolder")}</Button>
          <Button onClick={() => void client.invalidateQueries()}>{t("data.again")}</Button>
        </p>
      </div>
    </main>
  );
}

function StartAnew() {
  const { t } = useTranslation("shell");
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const begin = () => {
    setAsked(false);
    call("data_start_anew").then(() => client.invalidateQueries(), tellFailure);
  };
  return (
    <p>
      <Button onClick={() => setAsked(true)}>{t("data.anew")}</Button>
      <Dialog
        open={asked}
        onClose={() => setAsked(false)}
        title={t("data.anewConfirm")}
        description={t("data.anewText")}
        footer={
          <>
            <Button onClick={() => setAsked(false)}>{t("cancel", { ns: "common" })}</Button>
            <Button variant="primary" onClick={begin}>
              {t("data.anew")}
            </Button>
          </>
        }
      />
    </p>
  );
}
