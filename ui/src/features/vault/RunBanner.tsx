// How far reading is, and what it came to, in one line that opens to the particulars.
import { X } from "lucide-react";
import { ErrorNotice } from "@/features/errors";
import type { VaultScanned, VaultVerified } from "@/ipc";
import { formatBytes, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, IconButton, Notice, Progress, quiet, type Tone } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { cancelRun, putAway, useVaultRun } from "./run";
import css from "./vault.module.css";
import { agentName } from "./words";

/** Lines of one kind that are shown. */
const MOST = 20;

export function RunBanner() {
  const { t } = useTranslation("vault");
  const { run, told, failure } = useVaultRun();
  if (run) {
    const { files, of, bytes } = run.event;
    const counted = of > 0 && run.what === "scan" && t("run.files", { files: formatNumber(files), of: formatNumber(of) });
    return (
      <div className={`${css.banner} ${css.running}`}>
        <Progress
          label={t(`run.${run.what}`)}
          value={run.what === "scan" && of > 0 ? files / of : null}
          detail={
            <span data-numeric>{[counted, bytes > 0 && formatBytes(bytes)].filter(Boolean).join(" · ")}</span>
          }
        />
        <Button onClick={cancelRun}>{t("cancel", { ns: "common" })}</Button>
      </div>
    );
  }
  if (failure !== null) {
    return (
      <div className={css.banner}>
        <ErrorNotice failure={failure} actions={<PutAway />} />
      </div>
    );
  }
  if (told === null) return null;
  return (
    <div className={css.banner} role="status">
      {told.what === "scan" && <Scanned result={told.result} />}
      {told.what === "verify" && <Verified result={told.result} />}
      {told.what === "stopped" && <Notice actions={<PutAway />}>{t("run.verifyStopped")}</Notice>}
    </div>
  );
}

function PutAway() {
  const { t } = useTranslation("common");
  return <IconButton label={t("close")} icon={<X aria-hidden />} onClick={putAway} />;
}

function Scanned({ result }: { result: VaultScanned }) {
  const { t } = useTranslation("vault");
  const { bytes, cancelled, unreadable, skipped, unknown } = result;
  const kinds = Object.entries(unknown);
  const counted = (["new", "grew", "rewritten", "cut"] as const).flatMap((what) =>
    result[what] > 0 ? [t(`scanned.${what}`, { count: result[what], n: formatNumber(result[what]) })] : [],
  );
  if (bytes > 0) counted.push(formatBytes(bytes));
  if (counted.length === 0) counted.push(t("scanned.nothing"));
  if (unreadable.length > 0) counted.push(t("scanned.unreadable", { count: unreadable.length, n: formatNumber(unreadable.length) }));
  if (kinds.length > 0) counted.push(t("scanned.unknown", { count: kinds.length, n: formatNumber(kinds.length) }));
  const tone: Tone = unreadable.length > 0 ? "warn" : "info";
  return (
    <Notice tone={tone} title={cancelled ? t("scanned.cancelled") : undefined} actions={<PutAway />}>
      <span data-numeric>{counted.join(" · ")}</span>
      {(unreadable.length > 0 || skipped.length > 0 || kinds.length > 0) && (
        <details className={css.more}>
          <summary>{t("particulars")}</summary>
          <Lines label={t("scanned.unreadableLabel")} lines={unreadable} />
          <Lines label={t("scanned.skippedLabel")} lines={skipped} />
          <Lines label={t("unknownLabel")} lines={kinds.map(([kind, count]) => `${kind} ${formatNumber(count)}`)} />
        </details>
      )}
    </Notice>
  );
}

function Verified({ result: { versions, bytes, faults } }: { result: VaultVerified }) {
  const { t } = useTranslation("vault");
  const read = t("verified.read", { count: versions, n: formatNumber(versions), bytes: formatBytes(bytes) });
  if (faults.length === 0) {
    return (
      <Notice actions={<PutAway />}>
        {t("verified.whole")} <span data-numeric>{read}</span>
      </Notice>
    );
  }
  const lines = faults.map(({ agent, path, version, at, detail }) =>
    t("verified.fault", { agent: agentName(agent), path, version, at: formatNumber(at), detail }),
  );
  return (
    <Notice tone="danger" title={t("verified.faults", { count: faults.length, n: formatNumber(faults.length) })} actions={<PutAway />}>
      <span data-numeric>{read}</span>
      <Lines label={t("verified.label")} lines={lines} />
    </Notice>
  );
}

function Lines({ label, lines }: { label: string; lines: readonly string[] }) {
  const { t } = useTranslation("vault");
  if (lines.length === 0) return null;
  return (
    <>
      <p className={quiet.note}>{label}</p>
      <ul className={css.lines} aria-label={label} data-selectable>
        {lines.slice(0, MOST).map((line, at) => (
          <li key={at} className={css.path}>
            <Revealed text={line} name />
          </li>
        ))}
      </ul>
      {lines.length > MOST && (
        <p className={quiet.note}>{t("andMore", { count: lines.length - MOST, n: formatNumber(lines.length - MOST) })}</p>
      )}
    </>
  );
}
