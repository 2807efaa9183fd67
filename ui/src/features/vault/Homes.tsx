// Folders of agents to choose from, each with how much is in it and since when.
import type { VaultHome, VaultSource } from "@/ipc";
import { formatBytes, formatNumber, useTranslation } from "@/shared/i18n";
import { quiet } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { AgentMark } from "./AgentMark";
import css from "./vault.module.css";
import { agentName, daysOf } from "./words";

export const idOf = ({ agent, root }: VaultHome): string => `${agent} ${root}`;

interface HomesProps {
  label: string;
  sources: readonly VaultSource[];
  /** Those that are not chosen, by their ids. */
  not: ReadonlySet<string>;
  disabled: boolean;
  onNot: (not: ReadonlySet<string>) => void;
}

export function Homes({ label, sources, not, disabled, onNot }: HomesProps) {
  const choose = (id: string, on: boolean) => {
    const next = new Set(not);
    if (on) next.delete(id);
    else next.add(id);
    onNot(next);
  };
  return (
    <ul className={css.homes} aria-label={label}>
      {sources.map((source) => (
        <Home
          key={idOf(source.home)}
          source={source}
          chosen={!not.has(idOf(source.home))}
          disabled={disabled}
          onChoose={(on) => choose(idOf(source.home), on)}
        />
      ))}
    </ul>
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
