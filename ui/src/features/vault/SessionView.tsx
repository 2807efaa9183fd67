// A session, to be read: what is known of it, and what was said on one path through its branches.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Copy, CornerDownRight, CornerLeftUp, Ellipsis, Trash2, Users } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { goToVault } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { copyText } from "@/shared/clipboard";
import type { VaultDropped, VaultItem, VaultRef, VaultSession } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatDay, formatMoment, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { announce, Button, EmptyState, frame, IconButton, Menu, quiet, Select, Spinner, type MenuAction } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { AgentMark } from "./AgentMark";
import { Entries, type EntriesHandle } from "./Entries";
import { ContinueDialog } from "./ContinueDialog";
import { ForgetDialog } from "./ForgetDialog";
import { useProjectOf } from "./project";
import { Marks } from "./SessionList";
import css from "./vault.module.css";
import { agentName, endOf, lastOf, titleOf } from "./words";

const toList = () => goToVault();

interface SessionProps {
  session: VaultRef;
  /** Where it begins, by an entry's number. */
  entry?: number;
}

export function SessionView({ session, entry }: SessionProps) {
  const { t } = useTranslation("vault");
  const found = useQuery(queries.vaultSession(session));
  const dropped = useQuery(queries.vaultDropped(session));
  const read = found.data;
  return (
    <main className={frame.main} data-region tabIndex={-1} aria-label={read ? titleOf(read.item) : t("title")}>
      {read ? (
        <Read key={read.item.id} session={session} entry={entry} read={read} dropped={dropped.data} failure={dropped.error} />
      ) : (
        <>
          <header className={frame.header}>
            <Back />
            <h1>{t("title")}</h1>
          </header>
          <div className={css.alone}>
            {found.error ? (
              <ErrorNotice failure={found.error} actions={<Button onClick={toList}>{t("session.back")}</Button>} />
            ) : (
              <Spinner label={t("session.reading")} />
            )}
          </div>
        </>
      )}
    </main>
  );
}

function Back() {
  const { t } = useTranslation("vault");
  return <IconButton label={t("session.back")} icon={<ArrowLeft aria-hidden />} onClick={toList} />;
}

interface ReadProps extends SessionProps {
  read: VaultSession;
  dropped: readonly VaultDropped[] | undefined;
  failure: unknown;
}

const NONE: readonly VaultDropped[] = [];

function Read({ session, entry, read, dropped = NONE, failure }: ReadProps) {
  const { t } = useTranslation("vault");
  const { item, entries, children } = read;
  const title = titleOf(item);
  const list = useRef<EntriesHandle>(null);
  const project = useProjectOf(item.folder);
  const [forgets, setForgets] = useState(false);
  const [continues, setContinues] = useState(false);
  const folds = useMemo(() => entries.filter(({ kind }) => kind === "fold").map(({ number }) => number), [entries]);
  const copy = async () => announce(t((await copyText(item.id)) ? "copied" : "copyFailed", { ns: "common" }));
  const items: MenuAction[] = [
    { id: "copy", label: t("session.copyId"), icon: <Copy aria-hidden />, onSelect: () => void copy() },
    { id: "forget", label: t("forget.open"), icon: <Trash2 aria-hidden />, danger: true, onSelect: () => setForgets(true) },
  ];
  return (
    <>
      <header className={frame.header}>
        <Back />
        <AgentMark agent={item.agent} />
        <h1 className={css.title} lang={proseLanguage(title)} title={title}>
          {title}
        </h1>
        {item.versions > 1 && <Version item={item} version={session.version} />}
        <Button icon={<CornerDownRight aria-hidden />} onClick={() => setContinues(true)}>
          {t("continue.open")}
        </Button>
        <Menu align="end" trigger={<IconButton label={t("session.more")} icon={<Ellipsis aria-hidden />} />} items={items} />
      </header>
      <About read={read} folds={folds.length} onFold={() => list.current?.nextFold()}>
        {item.parent !== null && (
          <Button variant="quiet" icon={<CornerLeftUp aria-hidden />} onClick={() => goToVault({ id: item.parent!, version: null })}>
            {t("session.parent")}
          </Button>
        )}
        {children.length > 0 && (
          <Menu
            trigger={
              <Button variant="quiet" icon={<Users aria-hidden />}>
                {t("mark.children", { count: children.length, n: formatNumber(children.length) })}
              </Button>
            }
            items={children.map((child) => ({ id: child.id, label: titleOf(child), onSelect: () => goToVault({ id: child.id, version: null }) }))}
          />
        )}
      </About>
      {failure !== null && (
        <div className={css.banner}>
          <ErrorNotice failure={failure} />
        </div>
      )}
      {entries.length === 0 ? (
        <div className={css.alone}>
          <EmptyState title={t("session.empty")}>{t("session.emptyText")}</EmptyState>
        </div>
      ) : (
        <Entries ref={list} session={item.id} first={entry} entries={entries} dropped={dropped} project={project} onLeave={toList} />
      )}
      {continues && <ContinueDialog session={session} title={title} onClose={() => setContinues(false)} />}
      {forgets && (
        <ForgetDialog
          forgets={{ what: { type: "session", id: item.id }, name: title }}
          onForgotten={toList}
          onClose={() => setForgets(false)}
        />
      )}
    </>
  );
}

/** Which version of its file is read: the agent wrote it anew. */
function Version({ item, version }: { item: VaultItem; version: number | null }) {
  const { t } = useTranslation("vault");
  const newest = item.versions;
  const options = Array.from({ length: newest }, (_, at) => newest - at).map((number) => ({
    value: String(number),
    label: number === newest ? t("session.newest", { n: formatNumber(number) }) : t("session.version", { n: formatNumber(number) }),
  }));
  return (
    <Select
      label={t("session.versions")}
      hideLabel
      quiet
      value={String(version ?? newest)}
      onChange={(chosen) => goToVault({ id: item.id, version: Number(chosen) === newest ? null : Number(chosen) })}
      options={options}
    />
  );
}

interface AboutProps {
  read: VaultSession;
  folds: number;
  onFold: () => void;
  children: React.ReactNode;
}

/** What is known of a session, in lines below its title. */
function About({ read, folds, onFold, children }: AboutProps) {
  const { t } = useTranslation("vault");
  const { item, usage, shortened, is_cut } = read;
  const { agent, models, folder, git_branch, turns, calls } = item;
  const at = endOf(item);
  const unknown = Object.entries(item.unknown);
  const facts = [
    agentName(agent),
    models.join(", "),
    t("turns", { count: turns, n: formatNumber(turns) }),
    calls > 0 && t("calls", { count: calls, n: formatNumber(calls) }),
    usage.input_tokens + usage.output_tokens > 0 &&
      `${usage.exact ? "" : "≈\u202f"}${t("usage", { input: formatTokens(usage.input_tokens), output: formatTokens(usage.output_tokens) })}`,
  ];
  const notes = [
    is_cut && t("session.cut"),
    shortened > 0 && t("session.shortened", { count: shortened, n: formatNumber(shortened) }),
    unknown.length > 0 && `${t("unknownLabel")}: ${unknown.map(([kind, count]) => `${kind} ${formatNumber(count)}`).join(", ")}.`,
    item.unreadable > 0 && t("session.unreadable", { count: item.unreadable, n: formatNumber(item.unreadable) }),
  ].filter(Boolean);
  return (
    <div className={css.about}>
      <div className={css.aboutLine} data-numeric>
        <p className={css.aboutFacts}>
          {folder !== null && (
            <span className={css.where} title={folder} data-selectable>
              {lastOf(folder)}
              {git_branch !== null && ` · ${git_branch}`}
            </span>
          )}
          {at !== null && (
            <time dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
              {formatDay(at)}
            </time>
          )}
          <span>{facts.filter(Boolean).join(" · ")}</span>
          <Marks item={{ ...item, folds: 0, children: 0 }} />
        </p>
        {children}
        {folds > 0 && (
          <Button variant="quiet" onClick={onFold}>
            {t("mark.folds", { count: folds, n: formatNumber(folds) })}
          </Button>
        )}
      </div>
      {notes.length > 0 && <p className={quiet.note}>{notes.join(" ")}</p>}
    </div>
  );
}
