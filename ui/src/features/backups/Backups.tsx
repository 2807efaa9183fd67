// Backups of the database: when and why each was made, how large it is and what it holds; making one, and going back
// to one after a look at what that would change.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { goToStart } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type Backup, type BackupPlan } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Progress, quiet, toast, useAct } from "@/shared/kit";
import { useHeld } from "./held";
import css from "./backups.module.css";

/** `open` says whether the database is whole; only then is there something to copy. `alone` on a page of its own. */
export function Backups({ open, alone = false }: { open: boolean; alone?: boolean }) {
  const { t } = useTranslation("backups");
  const client = useQueryClient();
  // Below the title of the dialog of settings, or of the page that stands alone.
  const Heading = alone ? "h2" : "h3";
  const backups = useQuery(queries.backups());
  const [asked, setAsked] = useState<Backup | null>(null);
  const { running: making, failure, act } = useAct();
  const make = async () => {
    if (await act(() => call("backup_create"))) toast({ text: t("made") });
    void client.invalidateQueries({ queryKey: ["backups"] });
  };
  return (
    <section className={css.section} aria-labelledby="backups-title">
      <Heading id="backups-title" className={css.heading}>
        {t("title")}
      </Heading>
      <p className={quiet.note}>{t("hint")}</p>
      {backups.isError && <ErrorNotice failure={backups.error} />}
      {backups.data?.length === 0 && <p>{t("none")}</p>}
      {backups.data && backups.data.length > 0 && (
        <ul aria-labelledby="backups-title">
          {backups.data.map((backup) => (
            <Row key={backup.name} backup={backup} onRestore={() => setAsked(backup)} />
          ))}
        </ul>
      )}
      {making && <Progress label={t("making")} value={null} />}
      {failure !== null && <ErrorNotice failure={failure} />}
      {open && (
        <p>
          <Button disabled={making} onClick={() => void make()}>
            {t("make")}
          </Button>
        </p>
      )}
      {asked && <RestoreDialog backup={asked} open={open} onClose={() => setAsked(null)} />}
    </section>
  );
}

const when = (backup: Backup) => formatMoment(Date.parse(backup.made_at));

function Row({ backup, onRestore }: { backup: Backup; onRestore: () => void }) {
  const { t } = useTranslation("backups");
  const held = useHeld();
  const { kind } = backup;
  const why = kind.why === "migration" ? t("why.migration", { from: kind.from }) : t(`why.${kind.why}`);
  return (
    <li className={css.row} title={backup.name}>
      <div className={css.facts}>
        <span>{when(backup)}</span>
        <span className={quiet.note}>
          {[why, formatBytes(backup.bytes), held(backup.holds)].join(" · ")}
        </span>
      </div>
      {backup.holds !== null && (
        <Button variant="quiet" aria-label={t("restoreOne", { when: when(backup) })} onClick={onRestore}>
          {t("restore")}
        </Button>
      )}
    </li>
  );
}

function RestoreDialog({ backup, open, onClose }: { backup: Backup; open: boolean; onClose: () => void }) {
  const { t } = useTranslation("backups");
  const client = useQueryClient();
  const plan = useQuery(queries.backupPlan(backup.name));
  const { running, failure, act } = useAct();
  const restore = async () => {
    if (!(await act(() => call("backup_restore", { name: backup.name })))) return;
    // What is shown may not be there any more.
    goToStart();
    onClose();
    toast({ text: t("restored") });
    void client.invalidateQueries();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("confirm")}
      description={t(open ? "confirmText" : "confirmDamaged", { when: when(backup) })}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button variant="danger" disabled={running || !plan.data} onClick={() => void restore()}>
            {t("restoreNow")}
          </Button>
        </>
      }
    >
      {plan.isError && <ErrorNotice failure={plan.error} />}
      {plan.data && <Plan plan={plan.data} />}
      {(plan.isPending || running) && <Progress label={t(running ? "restoring" : "looking")} value={null} />}
      {failure !== null && <ErrorNotice failure={failure} />}
    </Dialog>
  );
}

function Plan({ plan }: { plan: BackupPlan }) {
  const { t } = useTranslation("backups");
  const held = useHeld();
  const more = plan.going_count - plan.going.length;
  return (
    <div className={css.plan}>
      <dl className={css.sides}>
        <dt>{t("now")}</dt>
        <dd>{held(plan.present)}</dd>
        <dt>{t("then")}</dt>
        <dd>{held(plan.backup.holds)}</dd>
      </dl>
      {plan.present !== null && plan.going_count === 0 && <p>{t("nothingGoes")}</p>}
      {plan.going_count > 0 && (
        <>
          <p>{t("goes")}</p>
          <ul className={css.going}>
            {plan.going.map((one, index) => (
              <li key={index}>
                <span className={css.name}>{one.title || t("untitled")}</span>
                <span className={quiet.note}>
                  {one.then === null
                    ? t("gone", { count: one.messages })
                    : t("shorter", { now: formatNumber(one.messages), then: formatNumber(one.then) })}
                </span>
              </li>
            ))}
          </ul>
          {more > 0 && <p className={quiet.note}>{t("more", { count: more })}</p>}
        </>
      )}
      {plan.back_count > 0 && <p>{t("back", { count: plan.back_count })}</p>}
    </div>
  );
}
