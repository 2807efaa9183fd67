// The question before a session, or all of an agent's, is forgotten for ever: which files go, and what that does not touch.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type ForgetWhat } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatNumber, i18n, useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, Spinner, toast, useAct } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./vault.module.css";

export interface Forgets {
  what: ForgetWhat;
  /** What it is called. */
  name: string;
}

interface ForgetDialogProps {
  forgets: Forgets;
  onForgotten?: () => void;
  onClose: () => void;
}

/** Files that are named. */
const MOST = 20;

export function ForgetDialog({ forgets: { what, name }, onForgotten, onClose }: ForgetDialogProps) {
  const { t } = useTranslation("vault");
  const plan = useQuery(queries.vaultForgets(what));
  const { running, failure, act } = useAct();
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => void (here.current = false);
  }, []);
  const forget = async () => {
    const done = await act(async () => {
      try {
        const { freed } = await call("vault_forget", { what, yes: true });
        toast({ text: i18n.t("forget.done", { ns: "vault", freed: formatBytes(freed) }) });
      } catch (thrown) {
        // What went wrong after the dialog was closed is told without it.
        if (!here.current) tellFailure(thrown);
        throw thrown;
      }
    });
    if (!done || !here.current) return;
    onClose();
    onForgotten?.();
  };
  const files = plan.data?.files ?? [];
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const gone = files.filter(({ gone_at }) => gone_at !== null).length;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(`forget.title.${what.type}`, { name })}
      description={t(`forget.text.${what.type}`, { name })}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button variant="danger" disabled={running || !plan.data} onClick={() => void forget()}>
            {t("forget.do")}
          </Button>
        </>
      }
    >
      {plan.isError && <ErrorNotice failure={plan.error} />}
      {plan.isPending && <Spinner />}
      {plan.data && (
        <>
          <p data-numeric>
            {t("forget.files", { count: files.length, n: formatNumber(files.length), bytes: formatBytes(bytes) })}
            {gone > 0 && ` ${t("forget.gone", { count: gone, n: formatNumber(gone) })}`}
          </p>
          <details className={css.more}>
            <summary>{t("forget.which")}</summary>
            <ul className={css.lines} data-selectable>
              {files.slice(0, MOST).map(({ path, bytes }) => (
                <li key={path} className={css.path}>
                  <Revealed text={path} name /> <span data-numeric>{formatBytes(bytes)}</span>
                </li>
              ))}
            </ul>
            {files.length > MOST && (
              <p className={quiet.note}>{t("andMore", { count: files.length - MOST, n: formatNumber(files.length - MOST) })}</p>
            )}
          </details>
        </>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </Dialog>
  );
}
