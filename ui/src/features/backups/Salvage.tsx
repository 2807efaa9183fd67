// Salvage of a damaged database: what could be read of it, beside the newest backup, and doing it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type Salvage as Salvaged, type SalvagePlan } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Progress, quiet, toast, useAct } from "@/shared/kit";
import { useHeld } from "./held";
import css from "./backups.module.css";

export function Salvage() {
  const { t } = useTranslation("backups");
  const [asked, setAsked] = useState(false);
  return (
    <section className={css.section}>
      <p className={quiet.note}>{t("salvage.hint")}</p>
      <p>
        <Button variant="primary" onClick={() => setAsked(true)}>
          {t("salvage.open")}
        </Button>
      </p>
      {asked && <SalvageDialog onClose={() => setAsked(false)} />}
    </section>
  );
}

export function SalvageDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("backups");
  const held = useHeld();
  const client = useQueryClient();
  const plan = useQuery(queries.salvagePlan());
  const { running, failure, act } = useAct();
  const run = (backup: string | null) =>
    act(async () => {
      const made = await call("salvage_run", { backup });
      onClose();
      const words = { holds: held(made.holds), count: made.lost_messages, n: formatNumber(made.lost_messages) };
      toast({ text: made.lost_messages === 0 ? t("salvage.done", words) : t("salvage.doneLost", words) });
      void client.invalidateQueries();
    });
  const backup = plan.data?.backup ?? null;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("salvage.title")}
      description={t("salvage.text")}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button variant={backup ? "plain" : "primary"} disabled={running || !plan.data} onClick={() => void run(null)}>
            {t("salvage.run")}
          </Button>
          {backup && (
            <Button variant="primary" disabled={running} onClick={() => void run(backup.name)}>
              {t("salvage.runWith")}
            </Button>
          )}
        </>
      }
    >
      {plan.isError && <ErrorNotice failure={plan.error} />}
      {plan.data && <Choices plan={plan.data} />}
      {(plan.isPending || running) && (
        <Progress label={t(running ? "salvage.running" : "salvage.looking")} value={null} />
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </Dialog>
  );
}

function Choices({ plan }: { plan: SalvagePlan }) {
  const { t } = useTranslation("backups");
  const held = useHeld();
  const when = plan.backup && formatMoment(Date.parse(plan.backup.made_at));
  return (
    <div className={css.plan}>
      <Outcome title={t("salvage.alone")} of={plan.alone} />
      {plan.with_backup && <Outcome title={t("salvage.with", { when })} of={plan.with_backup} />}
      {plan.backup ? (
        <dl className={css.outcome}>
          <dt>{t("salvage.backup")}</dt>
          <dd>{held(plan.backup.holds)}</dd>
        </dl>
      ) : (
        <p className={quiet.note}>{t("salvage.noBackup")}</p>
      )}
    </div>
  );
}

function Outcome({ title, of }: { title: string; of: Salvaged }) {
  const { t } = useTranslation("backups");
  const held = useHeld();
  const counted = (count: number) => ({ count, n: formatNumber(count) });
  const lost = of.lost_messages === 0 ? t("salvage.noneLost") : t("salvage.lost", counted(of.lost_messages));
  const pages = { unreadable: formatNumber(of.unreadable_pages), pages: formatNumber(of.pages) };
  const notes = [lost, t("salvage.pages", pages)];
  if (of.aside > 0) notes.push(t("salvage.aside", counted(of.aside)));
  const more = of.touched_count - of.touched.length;
  return (
    <dl className={css.outcome}>
      <dt>{title}</dt>
      <dd>{held(of.holds)}</dd>
      <dd className={quiet.note}>{notes.join(" · ")}</dd>
      {of.touched.length > 0 && (
        <dd>
          <p>{t("salvage.touched")}</p>
          <ul className={css.going}>
            {of.touched.map((one) => (
              <li key={one.id}>
                <span className={css.name}>{one.title || t("untitled")}</span>
                <span className={quiet.note}>{t("salvage.loses", counted(one.lost))}</span>
              </li>
            ))}
          </ul>
          {more > 0 && <p className={quiet.note}>{t("more", { count: more })}</p>}
        </dd>
      )}
    </dl>
  );
}
