// The folders of agents: what is in each, what is kept of it, whether what is new is kept too, and forgetting an agent.
import { useQuery } from "@tanstack/react-query";
import { ErrorNotice } from "@/features/errors";
import { call, type Agent, type VaultHome, type VaultKept, type VaultSource } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatDay, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, Spinner, Switch, useAct } from "@/shared/kit";
import { AddExports } from "./AddExports";
import { AgentMark } from "./AgentMark";
import type { Forgets } from "./ForgetDialog";
import { scan } from "./run";
import css from "./vault.module.css";
import { agentName, AGENTS, daysOf } from "./words";

interface FoldersDialogProps {
  kept: readonly VaultKept[];
  onForget: (what: Forgets) => void;
  onClose: () => void;
}

interface Folder {
  home: VaultHome;
  source: VaultSource | undefined;
  kept: VaultKept | undefined;
}

export function FoldersDialog({ kept, onForget, onClose }: FoldersDialogProps) {
  const { t } = useTranslation("vault");
  const sources = useQuery(queries.vaultSources());
  const { running, failure, act } = useAct();
  const folders = foldersOf(sources.data ?? [], kept);
  const agree = async (home: VaultHome, yes: boolean) => {
    if ((await act(() => call("vault_agree", { homes: [home], yes }))) && yes) void scan();
  };
  return (
    <Dialog open size="m" onClose={onClose} title={t("folders.title")} description={t("folders.text")}>
      {sources.isError && <ErrorNotice failure={sources.error} />}
      {sources.isPending && <Spinner label={t("first.looking")} />}
      {failure !== null && <ErrorNotice failure={failure} />}
      {sources.data &&
        AGENTS.filter((agent) => folders.some(({ home }) => home.agent === agent)).map((agent) => (
          <Of
            key={agent}
            agent={agent}
            folders={folders.filter(({ home }) => home.agent === agent)}
            disabled={running}
            onAgree={(home, yes) => void agree(home, yes)}
            onForget={() => onForget({ what: { type: "agent", agent }, name: agentName(agent) })}
          />
        ))}
      <AddExports />
    </Dialog>
  );
}

/** Those that are there, and those of which something is kept. */
function foldersOf(sources: readonly VaultSource[], kept: readonly VaultKept[]): Folder[] {
  const same = (a: VaultHome, b: VaultHome) => a.agent === b.agent && a.root === b.root;
  const there = sources.map((source) => ({ home: source.home, source, kept: kept.find(({ home }) => same(home, source.home)) }));
  const gone = kept.filter(({ home }) => !sources.some((source) => same(source.home, home)));
  return [...there, ...gone.map((kept) => ({ home: kept.home, source: undefined, kept }))];
}

interface OfProps {
  agent: Agent;
  folders: readonly Folder[];
  disabled: boolean;
  onAgree: (home: VaultHome, yes: boolean) => void;
  onForget: () => void;
}

function Of({ agent, folders, disabled, onAgree, onForget }: OfProps) {
  const { t } = useTranslation("vault");
  const some = folders.some(({ kept }) => kept !== undefined && kept.files > 0);
  return (
    <section className={css.agent} aria-label={agentName(agent)}>
      <div className={css.agentHead}>
        <AgentMark agent={agent} />
        <h3>{agentName(agent)}</h3>
      </div>
      {folders.map(({ home, source, kept }) => (
        <div key={home.root} className={css.folder}>
          <Switch
            label={home.root}
            description={t(source ? "folders.new" : "folders.gone")}
            checked={source?.agreed ?? kept?.agreed ?? false}
            disabled={disabled}
            onChange={(yes) => onAgree(home, yes)}
          />
          <Facts source={source} kept={kept} />
        </div>
      ))}
      {some && (
        <div className={css.folder}>
          <Button className={css.forget} onClick={onForget}>
            {t("forget.agent")}
          </Button>
        </div>
      )}
    </section>
  );
}

function Facts({ source, kept }: Omit<Folder, "home">) {
  const { t } = useTranslation("vault");
  const there = source && [
    t("sessions", { count: source.sessions, n: formatNumber(source.sessions) }),
    formatBytes(source.bytes),
    daysOf(source.first, source.last),
  ];
  const here = kept && [
    t("sessions", { count: kept.sessions, n: formatNumber(kept.sessions) }),
    formatBytes(kept.bytes),
    kept.kept_at !== null && formatDay(Date.parse(kept.kept_at)),
  ];
  const unknown = Object.entries(kept?.unknown ?? {});
  return (
    <dl className={css.facts} data-numeric>
      {there && (
        <div>
          <dt>{t("folders.there")}</dt>
          <dd>{there.filter(Boolean).join(" · ")}</dd>
        </div>
      )}
      {here && (
        <div>
          <dt>{t("folders.here")}</dt>
          <dd>
            {here.filter(Boolean).join(" · ")}
            {kept.gone > 0 && <span className={quiet.note}> {t("onlyHere", { count: kept.gone, n: formatNumber(kept.gone) })}.</span>}
            {kept.changed > 0 && <span className={quiet.note}> {t("folders.changed", { count: kept.changed, n: formatNumber(kept.changed) })}</span>}
          </dd>
        </div>
      )}
      {unknown.length > 0 && (
        <div>
          <dt>{t("unknownLabel")}</dt>
          <dd>{unknown.map(([kind, count]) => `${kind} ${formatNumber(count)}`).join(", ")}</dd>
        </div>
      )}
      {kept !== undefined && kept.unreadable > 0 && (
        <div>
          <dt>{t("folders.unreadable")}</dt>
          <dd>{formatNumber(kept.unreadable)}</dd>
        </div>
      )}
    </dl>
  );
}
