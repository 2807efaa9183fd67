// When checkpoints are made by themselves, what of a folder they hold, how long they stay, and whether what is kept is
// whole.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { Sealing } from "@/features/sealing";
import { call, type CheckpointSettings, type Retention, type Verified } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Progress, quiet, Switch } from "@/shared/kit";
import { PatternsField } from "./PatternsField";
import { RestingField } from "./RestingField";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

const MEGABYTE = 1_000_000;

export function CheckpointsPage() {
  const { t } = useTranslation("checkpoints");
  const { settings, change, store } = useSettings();
  if (!settings) return null;
  const { checkpoints } = settings;
  const storePart = (part: Partial<CheckpointSettings>) =>
    store({ checkpoints: { ...checkpoints, ...part } });
  const rule = (key: keyof Retention, label: string, unit = 1) => {
    const kept = checkpoints.retention[key];
    return (
      <RestingField
        className={css.amount}
        label={label}
        inputMode="numeric"
        placeholder={t("page.unlimited")}
        stored={kept === null ? "" : String(kept / unit)}
        check={(text) => (/^\s*([1-9]\d{0,6})?\s*$/.test(text) ? null : t("page.number"))}
        onStore={(text) =>
          storePart({ retention: { ...checkpoints.retention, [key]: text.trim() === "" ? null : Number(text) * unit } })
        }
      />
    );
  };
  return (
    <div className={css.page}>
      <Switch
        label={t("page.on")}
        description={t("page.onHint")}
        checked={checkpoints.on}
        onChange={(on) => change({ checkpoints: { ...checkpoints, on } })}
      />
      <section className={css.group} aria-labelledby="checkpoints-stay">
        <h4 id="checkpoints-stay" className={css.heading}>
          {t("page.stay")}
        </h4>
        <p className={quiet.note}>{t("page.stayHint")}</p>
        {rule("days", t("page.days"))}
        {rule("count", t("page.count"))}
        {rule("bytes", t("page.size"), MEGABYTE)}
      </section>
      <RestingField
        className={css.amount}
        label={t("page.largest")}
        description={t("page.largestHint")}
        inputMode="numeric"
        stored={formatPlain(checkpoints.max_file_bytes / MEGABYTE)}
        check={(text) => (/^\s*\d{1,5}(\.\d+)?\s*$/.test(text) && Number(text) > 0 ? null : t("page.number"))}
        onStore={(text) => storePart({ max_file_bytes: Math.round(Number(text) * MEGABYTE) })}
      />
      <PatternsField
        label={t("page.also")}
        description={t("page.alsoHint")}
        placeholder={"dist/\n*.sqlite"}
        stored={checkpoints.also}
        onStore={(also) => storePart({ also })}
      />
      <RestingField
        label={t("page.user")}
        description={t("page.userHint")}
        stored={checkpoints.user_id}
        onStore={(text) => storePart({ user_id: text.trim() })}
      />
      <Sealing />
      <Whole />
    </div>
  );
}

/** With a decimal point in every language, as it is typed. */
function formatPlain(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Looks at every byte that is kept, and finds again what can be found. */
function Whole() {
  const { t } = useTranslation("checkpoints");
  const [busy, setBusy] = useState<"verify" | "repair" | null>(null);
  const [found, setFound] = useState<Verified | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const run = async (what: "verify" | "repair") => {
    setBusy(what);
    setFailure(null);
    setFound(null);
    try {
      setFound(await call(`checkpoint_${what}`));
    } catch (thrown) {
      setFailure(thrown);
    }
    setBusy(null);
  };
  const damaged = found?.damaged ?? [];
  const touched = new Set(damaged.flatMap(({ checkpoints }) => checkpoints)).size;
  return (
    <section className={css.group} aria-labelledby="checkpoints-whole">
      <h4 id="checkpoints-whole" className={css.heading}>
        {t("page.whole")}
      </h4>
      <p className={quiet.note}>{t("page.wholeHint")}</p>
      <p className={css.buttons}>
        <Button disabled={busy !== null} onClick={() => void run("verify")}>
          {t("page.verify")}
        </Button>
        {damaged.length > 0 && (
          <Button disabled={busy !== null} onClick={() => void run("repair")}>
            {t("page.repair")}
          </Button>
        )}
      </p>
      {busy && <Progress label={t(`page.${busy}Busy`)} value={null} />}
      {failure !== null && <ErrorNotice failure={failure} />}
      {found && (
        <div role="status">
          {found.repaired > 0 && <p>{t("page.repaired", { count: found.repaired })}</p>}
          <p>
            {damaged.length === 0
              ? t("page.isWhole")
              : t("page.damaged", { count: damaged.length, touched: formatNumber(touched) })}
          </p>
          <ul>
            {damaged.slice(0, 20).map(({ id }) => (
              <li key={id} className={css.path} data-selectable>
                {id}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
