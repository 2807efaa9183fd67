// What would go by the rules, and how much room each of them makes; nothing goes before the person says so.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type ProjectId } from "@/ipc";
import { formatBytes, formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, Spinner, toast, useAct } from "@/shared/kit";
import css from "./restore.module.css";

const RULES = ["age", "count", "size"] as const;

export function CleanDialog({ projectId: project_id, onClose }: { projectId: ProjectId; onClose: () => void }) {
  const { t } = useTranslation("checkpoints");
  const client = useQueryClient();
  const dry = useQuery({
    // With the list, which is read again when the rules change or what they are about does.
    queryKey: ["checkpoints", "list", project_id, "cleaning"],
    queryFn: () => call("checkpoint_clean", { project_id, rules: null, only: null, dry_run: true }),
    gcTime: 0,
  });
  const gone = dry.data?.gone ?? [];
  const toRules = () => {
    onClose();
    openOverlay({ kind: "settings", tab: "checkpoints" });
  };
  const { running, failure, act } = useAct();
  const clean = () =>
    act(async () => {
      const only = gone.map(({ id }) => id);
      const done = await call("checkpoint_clean", { project_id, rules: null, only, dry_run: false });
      await client.invalidateQueries({ queryKey: ["checkpoints"] });
      onClose();
      toast({ text: t("clean.done", { count: done.gone.length, freed: formatBytes(done.freed) }) });
    });
  return (
    <Dialog
      open
      size="m"
      onClose={onClose}
      title={t("clean.title")}
      description={t("clean.text")}
      footer={
        <>
          <Button onClick={toRules}>{t("clean.rules")}</Button>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button variant="danger" disabled={running || gone.length === 0} onClick={() => void clean()}>
            {t("clean.do", { count: gone.length })}
          </Button>
        </>
      }
    >
      {dry.isPending && <Spinner />}
      {dry.isError && <ErrorNotice failure={dry.error} />}
      {failure !== null && <ErrorNotice failure={failure} />}
      {dry.data && gone.length === 0 && <p className={quiet.note}>{t("clean.nothing")}</p>}
      {dry.data && gone.length > 0 && (
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t("clean.rule")}</th>
              <th scope="col">{t("clean.checkpoints")}</th>
              <th scope="col">{t("clean.oldest")}</th>
              <th scope="col">{t("clean.bytes")}</th>
            </tr>
          </thead>
          <tbody>
            {RULES.map((rule) => {
              const of = gone.filter((one) => one.rule === rule);
              return (
                <tr key={rule}>
                  <th scope="row">{t(`clean.by.${rule}`)}</th>
                  <td>{formatNumber(of.length)}</td>
                  <td>{of[0] ? formatMoment(Date.parse(of[0].created_at)) : "–"}</td>
                  <td>{formatBytes(of.reduce((sum, { bytes }) => sum + bytes, 0))}</td>
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t("clean.total")}</th>
              <td>{formatNumber(gone.length)}</td>
              <td />
              <td>{t("clean.about", { size: formatBytes(dry.data.freed) })}</td>
            </tr>
          </tfoot>
        </table>
      )}
    </Dialog>
  );
}
