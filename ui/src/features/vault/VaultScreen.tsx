// The screen of agents' sessions: the first yes while there was none, then the list of what is kept, and one of them.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { leaveVault, type VaultPlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import type { VaultStatus } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, frame, IconButton, quiet, Spinner } from "@/shared/kit";
import { FirstYes } from "./FirstYes";
import { FoldersDialog } from "./FoldersDialog";
import { ForgetDialog, type Forgets } from "./ForgetDialog";
import { scan, useVaultRun, verify } from "./run";
import { RunBanner } from "./RunBanner";
import { SessionList } from "./SessionList";
import { SessionView } from "./SessionView";
import css from "./vault.module.css";

export function VaultScreen({ place: { session, entry } }: { place: VaultPlace }) {
  if (session === null) return <Kept />;
  return <SessionView key={`${session.id} ${session.version} ${entry}`} session={session} entry={entry} />;
}

function Kept() {
  const { t } = useTranslation("vault");
  const status = useQuery(queries.vaultStatus());
  const list = useQuery(queries.vaultList());
  const running = useVaultRun(({ run }) => run !== null);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // The list has it already when it is come back to.
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, []);
  const kept = status.data?.kept;
  const agreed = kept?.some(({ agreed }) => agreed) ?? false;
  const begun = kept && (agreed || kept.some(({ files }) => files > 0));
  const follows = status.data?.following;
  const failure = status.error ?? list.error ?? follows?.failure;
  return (
    <main ref={main} className={frame.main} data-region tabIndex={-1} aria-label={t("title")}>
      <header className={frame.header}>
        <IconButton label={t("leave")} icon={<ArrowLeft aria-hidden />} onClick={leaveVault} />
        <h1>{t("title")}</h1>
        <span className={`${quiet.note} ${css.grow}`} data-numeric>
          {[
            list.data && list.data.length > 0 && t("sessions", { count: list.data.length, n: formatNumber(list.data.length) }),
            follows?.on && follows.failure === null && t("following"),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
        {agreed && (
          <Button disabled={running} onClick={() => void scan()}>
            {t("scan")}
          </Button>
        )}
      </header>
      <RunBanner />
      {failure && (
        <div className={css.banner}>
          <ErrorNotice failure={failure} />
        </div>
      )}
      {!(status.error ?? list.error) && (status.isPending || (begun && list.isPending)) && (
        <div className={css.alone}>
          <Spinner />
        </div>
      )}
      {kept && !begun && <FirstYes />}
      {begun && list.data && <SessionList items={list.data} running={running} />}
      {begun && status.data && <Foot status={status.data} running={running} />}
    </main>
  );
}

/** How much is kept, and what is done with all of it. */
function Foot({ status, running }: { status: VaultStatus; running: boolean }) {
  const { t } = useTranslation("vault");
  const [open, setOpen] = useState(false);
  const [forgets, setForgets] = useState<Forgets | null>(null);
  const gone = status.kept.reduce((sum, { gone }) => sum + gone, 0);
  return (
    <footer className={css.foot}>
      <span data-numeric>
        {t("kept", { bytes: formatBytes(status.bytes), stored: formatBytes(status.stored) })}
        {gone > 0 && ` · ${t("onlyHere", { count: gone, n: formatNumber(gone) })}`}
      </span>
      <Button variant="quiet" onClick={() => setOpen(true)}>
        {t("folders.open")}
      </Button>
      <Button variant="quiet" disabled={running} onClick={() => void verify()}>
        {t("verify")}
      </Button>
      {open && (
        <FoldersDialog
          kept={status.kept}
          onForget={(what) => {
            setOpen(false);
            setForgets(what);
          }}
          onClose={() => setOpen(false)}
        />
      )}
      {forgets && <ForgetDialog forgets={forgets} onClose={() => setForgets(null)} />}
    </footer>
  );
}
