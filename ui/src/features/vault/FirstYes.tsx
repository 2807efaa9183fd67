// The question before anything is kept: which folders were found, how much is in each and since when, and what a yes means.
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type VaultSource } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, EmptyState, quiet, Spinner, useAct } from "@/shared/kit";
import { AddExports } from "./AddExports";
import { Homes, idOf } from "./Homes";
import { scan } from "./run";
import css from "./vault.module.css";
import { agentName } from "./words";

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
                {[folders, variable].filter((it) => it !== null).join(" · ")}
              </dd>
            </div>
          ))}
        </dl>
        <AddExports />
      </EmptyState>
    </div>
  );
}

/** Where an editor that is made of VS Code keeps what it has. */
const EDITORS = navigator.platform.startsWith("Mac")
  ? "~/Library/Application Support"
  : navigator.platform.startsWith("Win")
    ? "%APPDATA%"
    : "~/.config";

/** Where each agent is looked for, and the variable that names another place. */
const PLACES = [
  [agentName("claude-code"), "~/.claude, ~/.config/claude", "CLAUDE_CONFIG_DIR"],
  [agentName("codex"), "~/.codex", "CODEX_HOME"],
  [agentName("gemini-cli"), "~/.gemini", "GEMINI_CLI_HOME"],
  [agentName("antigravity"), "~/.gemini/antigravity-cli, antigravity-ide, antigravity", null],
  [agentName("opencode"), "~/.local/share/opencode", "XDG_DATA_HOME"],
  [agentName("cline"), `~/.cline/data, ${EDITORS}/*/User/globalStorage/saoudrizwan.claude-dev`, "CLINE_DATA_DIR"],
  [agentName("cursor"), `${EDITORS}/Cursor/User, ~/.cursor`, "CURSOR_DATA_DIR"],
] as const;

function Question({ sources }: { sources: readonly VaultSource[] }) {
  const { t } = useTranslation("vault");
  const title = useId();
  const [not, setNot] = useState<ReadonlySet<string>>(new Set());
  const { running, failure, act } = useAct();
  const homes = sources.map(({ home }) => home).filter((home) => !not.has(idOf(home)));
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
        <Homes label={t("first.folders")} sources={sources} not={not} disabled={running} onNot={setNot} />
        {failure !== null && <ErrorNotice failure={failure} />}
        <div className={css.row}>
          <Button variant="primary" disabled={running || homes.length === 0} onClick={() => void keep()}>
            {t("first.keep")}
          </Button>
          <span className={quiet.note}>{homes.length === 0 ? t("first.choose") : t("first.looked")}</span>
        </div>
        <AddExports />
      </section>
    </div>
  );
}
