// Exports of ChatGPT, Claude and Siltstone, which lie where a person put them: a folder is chosen, what is in it shown, and kept after a
// yes to it.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type VaultSource } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, quiet, Spinner, useAct } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { Homes, idOf } from "./Homes";
import { scan } from "./run";
import css from "./vault.module.css";

interface Found {
  folder: string;
  sources: readonly VaultSource[];
}

export function AddExports() {
  const { t } = useTranslation("vault");
  const [found, setFound] = useState<Found | null>(null);
  const [not, setNot] = useState<ReadonlySet<string>>(new Set());
  const [reading, setReading] = useState(false);
  const { running, failure, act } = useAct();
  const pick = () =>
    act(async () => {
      const folder = await call("pick_folder");
      if (folder === null) return;
      setFound(null);
      setNot(new Set());
      // Exports are read through to say what is in them, which takes seconds for large ones.
      setReading(true);
      try {
        setFound({ folder, sources: await call("vault_look", { path: folder, agent: null }) });
      } finally {
        setReading(false);
      }
    });
  const some = found?.sources.filter(({ sessions }) => sessions > 0) ?? [];
  const homes = some.map(({ home }) => home).filter((home) => !not.has(idOf(home)));
  const keep = async () => {
    if (!(await act(() => call("vault_agree", { homes, yes: true })))) return;
    setFound(null);
    void scan();
  };
  return (
    <section className={css.exports} aria-label={t("exports.label")}>
      <p className={quiet.note}>{t("exports.what")}</p>
      {failure !== null && <ErrorNotice failure={failure} />}
      {reading && <Spinner label={t("exports.looking")} />}
      {found && some.length > 0 && <Homes label={t("exports.found")} sources={some} not={not} disabled={running} onNot={setNot} />}
      {found && some.length === 0 && <Nothing found={found} />}
      <div className={css.row}>
        {some.length > 0 && (
          <Button variant="primary" disabled={running || homes.length === 0} onClick={() => void keep()}>
            {t("exports.keep")}
          </Button>
        )}
        <Button disabled={running} onClick={() => void pick()}>
          {t("exports.add")}
        </Button>
      </div>
    </section>
  );
}

function Nothing({ found: { folder, sources } }: { found: Found }) {
  const { t } = useTranslation("vault");
  const unread = Math.max(0, ...sources.map(({ skipped }) => skipped.length));
  return (
    <p role="status">
      {t("exports.none")} <span className={css.path}><Revealed text={folder} name /></span>
      {unread > 0 && ` ${t("exports.unread", { count: unread, n: formatNumber(unread) })}`}
    </p>
  );
}
