// Something of the open database cannot be read: the rest is used as ever, and the ways to mend it are offered.
import { useState } from "react";
import { openOverlay } from "@/app/actions";
import { SalvageDialog } from "@/features/backups";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import css from "./start.module.css";

export function DamageNotice({ detail }: { detail: string }) {
  const { t } = useTranslation("shell");
  const [asked, setAsked] = useState(false);
  return (
    <div className={css.readOnly} role="status">
      <Notice
        tone="warn"
        title={t("damage.title")}
        actions={
          <>
            <Button variant="primary" onClick={() => setAsked(true)}>
              {t("salvage.open", { ns: "backups" })}
            </Button>
            <Button onClick={() => openOverlay({ kind: "settings", tab: "data" })}>{t("damage.backups")}</Button>
          </>
        }
      >
        <span title={detail}>{t("damage.text")}</span>
      </Notice>
      {asked && <SalvageDialog onClose={() => setAsked(false)} />}
    </div>
  );
}
