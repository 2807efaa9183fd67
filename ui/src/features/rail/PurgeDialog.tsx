// The question before a conversation is deleted for ever: what goes, and what that does not reach.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTitle } from "@/features/conversations";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type ConversationItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, toast, useAct } from "@/shared/kit";
import css from "./rail.module.css";

interface PurgeDialogProps {
  item: ConversationItem;
  onClose: () => void;
}

export function PurgeDialog({ item, onClose }: PurgeDialogProps) {
  const { t } = useTranslation("rail");
  const titleOf = useTitle();
  const traces = useQuery(queries.traces(item.id));
  const { backups = [], sent_to = [], pushed_to = [] } = traces.data ?? {};
  const named = (names: string[]) => names.join(", ");
  const { running, failure, act } = useAct();
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => void (here.current = false);
  }, []);
  /** What went wrong after the dialog was closed is told without it. */
  const told = (run: () => Promise<void>) =>
    act(async () => {
      try {
        await run();
      } catch (thrown) {
        if (!here.current) tellFailure(thrown);
        throw thrown;
      }
    });
  const purge = async () => {
    let refused: string[] = [];
    const run = async () => void ({ refused } = await call("conversation_purge", { id: item.id }));
    if (!(await told(run))) return;
    if (refused.length > 0) toast({ text: t("trash.refused", { names: named(refused) }), tone: "warn" });
    if (here.current) onClose();
  };
  const dropBackups = async () => {
    const run = async () => void (await call("backup_delete", { names: backups.map(({ name }) => name) }));
    if (!(await told(run))) return;
    toast({ text: t("trash.dropped") });
    await traces.refetch();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("trash.confirm")}
      description={t("trash.confirmText", { title: titleOf(item) })}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button variant="danger" disabled={running} onClick={() => void purge()}>
            {t("trash.purge")}
          </Button>
        </>
      }
    >
      <ul className={css.unreached}>
        {backups.length > 0 && (
          <li>
            {t("trash.backups", { count: backups.length })}
            <Button disabled={running} onClick={() => void dropBackups()}>
              {t("trash.dropBackups")}
            </Button>
          </li>
        )}
        {sent_to.length > 0 && <li>{t("trash.sent", { names: named(sent_to) })}</li>}
        {pushed_to.length > 0 && <li>{t("trash.pushed", { names: named(pushed_to) })}</li>}
      </ul>
      {failure !== null && <ErrorNotice failure={failure} />}
    </Dialog>
  );
}
