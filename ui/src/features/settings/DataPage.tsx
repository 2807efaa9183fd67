// Where everything is kept, and what this program is.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type AppInfo } from "@/ipc";
import { openOverlay } from "@/app/actions";
import { Backups, Salvage } from "@/features/backups";
import { tellFailure } from "@/features/errors";
import { useTranslation } from "@/shared/i18n";
import { Button, CopyButton, quiet } from "@/shared/kit";
import { LicencesDialog } from "./LicencesDialog";
import css from "./settings.module.css";
import { Updates } from "./Updates";

export function DataPage({ info }: { info: AppInfo }) {
  const { t } = useTranslation("settings");
  const isDamaged = info.data.state === "partly_damaged";
  return (
    <div className={css.page}>
      <section aria-labelledby="settings-data">
        <h4 id="settings-data" className={css.heading}>
          {t("data.folder")}
        </h4>
        <p className={css.folder}>
          <span className={css.path} data-selectable>
            {info.data_dir}
          </span>
          <CopyButton text={info.data_dir} />
        </p>
        <p className={quiet.note}>{t("data.hint")}</p>
      </section>
      <p className={css.buttons}>
        <Button onClick={() => void call("open_data_folder").catch(tellFailure)}>{t("data.open")}</Button>
        <Button onClick={() => openOverlay({ kind: "trash" })}>{t("data.trash")}</Button>
      </p>
      {isDamaged && <Salvage />}
      <Backups open={!isDamaged} />
    </div>
  );
}

export function AboutPage({ info }: { info: AppInfo }) {
  const { t } = useTranslation("settings");
  const [others, setOthers] = useState(false);
  return (
    <div className={css.page}>
      <p className={css.product}>
        Siltstone <span data-numeric>{info.version}</span>
      </p>
      <p>{t("about.what")}</p>
      <Updates />
      <p className={quiet.note}>{t("about.systems")}</p>
      <p className={quiet.note}>{t("about.stays", { folder: info.data_dir })}</p>
      <p className={quiet.note}>{t("about.licence")}</p>
      <p className={quiet.note}>{t("about.fonts")}</p>
      <FontsLicence />
      <p className={css.buttons}>
        <Button onClick={() => setOthers(true)}>{t("about.others")}</Button>
      </p>
      {others && <LicencesDialog onClose={() => setOthers(false)} />}
    </div>
  );
}

function FontsLicence() {
  const { t } = useTranslation("settings");
  const [open, setOpen] = useState(false);
  const text = useQuery({
    queryKey: ["fontsLicence"],
    queryFn: async () => (await import("@/shared/styles/fonts.txt?raw")).default,
    enabled: open,
  }).data;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("about.fontsLicence")}</summary>
      {text !== undefined && (
        <pre className={css.legal} lang="en" tabIndex={0} aria-label={t("about.fontsLicence")} data-selectable>
          {text}
        </pre>
      )}
    </details>
  );
}
