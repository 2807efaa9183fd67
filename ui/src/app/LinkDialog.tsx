// Before anything opens outside: the whole address, with the host as the system will resolve it.
import { useRef } from "react";
import { closeOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, CopyButton, Dialog, Notice, useAct } from "@/shared/kit";
import css from "./App.module.css";

/** The host in its ASCII form; null for mail addresses and what is no address. */
export function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host || null : null;
}

export function LinkDialog({ url }: { url: string }) {
  const { t } = useTranslation("shell");
  const { running, failure, act } = useAct();
  // Enter by mistake leaves nothing open, and no tooltip covers what is asked.
  const cancel = useRef<HTMLButtonElement>(null);
  const host = hostOf(url);
  const open = async () => {
    if (await act(() => call("open_link", { url }))) closeOverlay();
  };
  return (
    <Dialog
      open
      onClose={closeOverlay}
      title={t("link.title")}
      description={t("link.text")}
      initialFocus={cancel}
      footer={
        <>
          <CopyButton text={url} label={t("link.copy")} />
          <Button ref={cancel} onClick={closeOverlay}>{t("cancel", { ns: "common" })}</Button>
          <Button variant="primary" disabled={running} onClick={() => void open()}>
            {t("link.open")}
          </Button>
        </>
      }
    >
      <div className={css.linkBody}>
        {host !== null && <p className={css.host}>{t("link.host", { host })}</p>}
        <p className={css.url} data-selectable>
          {url}
        </p>
        {host !== null && /(^|\.)xn--/.test(host) && <Notice tone="warn">{t("link.punycode", { host })}</Notice>}
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
    </Dialog>
  );
}
