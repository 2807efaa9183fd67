// The question before anything is kept: which folders were found, how much is in each and since when, and what a yes means.
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type VaultHome, type VaultSource } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, EmptyState, quiet, Spinner, useAct } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { AgentMark } from "./AgentMark";
import { scan } from "./run";
import css from "./vault.module.css";
import { agentName, daysOf } from "./words";

const idOf = ({ agent, root }: VaultHome): string => `${agent} ${root}`;

export function FirstYes() {
  const { t } = useTranslation("vault");
  const sources = useQuery(queries.vaultSources());
  if (sources.isError) {
    return (
      <div className={css.banner}>
        <ErrorNotice failure={sources.error} />
      </div>
    );
  }
  if (!sources.data) {
    return (
      <div className={css.alone}>
        <Spinner label={t("first.looking")} />
      </div>
    );
  }
  if (sources.data.length > 0) return <Question sources={sources.data} />;
  return (
    <div className={css.alone}>
      <EmptyState
        title={t("none.title")}
        action={
          <Button disabled={sources.isFetching} onClick={() => void sources.refetch()}>
            {t("none.again")}
          </Button>
        }
      >
        <p>{t("none.text")}</p>
        <dl className={css.places}>
          {PLACES.map(([name, folders, variable]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className={css.path}>
                {folders} · {variable}
              </dd>
            </div>
          ))}
        </dl>
      </EmptyState>
    </div>
  );
}

/** Where each agent is looked for, and the variable that names another place. */
const PLACES = [
  [agentName("claude-code"), "~/.claude, ~/.config/claude", "CLAUDE_CONFIG_DIR"],
  [agentName("codex"), "~/.codex", "CODEX_HOME"],
  [agentName("gemini-cli"), "~/.gemini", "GEMINI_CLI_HOME"],
  [agentName("opencode"), "~/.local/share/opencode", "XDG_DATA_HOME"],
  [agentName("cline"), "~/.cline/data", "CLINE_DATA_DIR"],
] as const;

function Question({ sources }: { sources: readonly VaultSource[] }) {
  const { t } = useTranslation("vault");
  const title = useId();
  const [not, setNot] = useState<ReadonlySet<string>>(new Set());
  const { running, failure, act } = useAct();
  const homes = sources.map(({ home }) => home).filter((home) => !not.has(idOf(home)));
  const choose = (id: string, on: boolean) => {
    const next = new Set(not);
    if (on) next.delete(id);
    else next.add(id);
    setNot(next);
  };
  const keep = async () => {
    // What is read goes on by itself; the list shows it.
    if (await act(() => call("vault_agree", { homes, yes: true }))) void scan();
  };
  return (
    <div className={css.scroll}>
      <section className={css.question} aria-labelledby={title}>
        <h2 id={title}>{t("first.title")}</h2>
        <p>{t("first.what")}</p>
        <p>{t("first.where")}</p>
        <ul className={css.homes} aria-label={t("first.folders")}>
          {sources.map((source) => (
            <Home
              key={idOf(source.home)}
              source={source}
              chosen={!not.has(idOf(source.home))}
              disabled={running}
              onChoose={(on) => choose(idOf(source.home), on)}
            />
          ))}
        </ul>
        {failure !== null && <ErrorNotice failure={failure} />}
        <div className={css.row}>
          <Button variant="primary" disabled={running || homes.length === 0} onClick={() => void keep()}>
            {t("first.keep")}
          </Button>
          <span className={quiet.note}>{homes.length === 0 ? t("first.choose") : t("first.looked")}</span>
        </div>
      </section>
    </div>
  );
}

interface HomeProps {
  source: VaultSource;
  chosen: boolean;
  disabled: boolean;
  onChoose: (on: boolean) => void;
}

function Home({ source, chosen, disabled, onChoose }: HomeProps) {
  const { t } = useTranslation("vault");
  const { home, sessions, bytes, first, last, skipped } = source;
  return (
    <li>
      <label className={css.home}>
        <input type="checkbox" checked={chosen} disabled={disabled} onChange={(event) => onChoose(event.currentTarget.checked)} />
        <AgentMark agent={home.agent} />
        <span className={css.homeText}>
          <span>{agentName(home.agent)}</span>
          <span className={css.path}>
            <Revealed text={home.root} name />
          </span>
          {skipped.length > 0 && <span className={quiet.note}>{t("skipped", { count: skipped.length, n: formatNumber(skipped.length) })}</span>}
        </span>
        <span className={css.homeFacts} data-numeric>
          <span>
            {[t("sessions", { count: sessions, n: formatNumber(sessions) }), sessions > 0 && formatBytes(bytes)].filter(Boolean).join(" · ")}
          </span>
          <span className={quiet.note}>{daysOf(first, last)}</span>
        </span>
      </label>
    </li>
  );
}
