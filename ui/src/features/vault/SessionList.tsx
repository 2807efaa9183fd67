// The sessions that are kept, by day, and what was said in them with the words that are looked for, as one windowed list: it is one stop of the Tab key, arrows choose and Enter opens.
import { Archive, Scissors } from "lucide-react";
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { create } from "zustand";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { goToVault } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import type { Agent, VaultHit, VaultItem } from "@/ipc";
import { formatDay, formatMoment, formatNumber, formatTime, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, EmptyState, frame, Select, Snippet, Spinner, TextField } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { AgentMark } from "./AgentMark";
import { scan } from "./run";
import { useSaid } from "./said";
import { byDay, EVERYTHING, foldersOf, said, wanted, type Filter, type Line } from "./sessions";
import css from "./vault.module.css";
import { agentName, AGENTS, endOf, lastOf, titleOf, tokensOf } from "./words";

/** Hits that are shown; more of them say the same. */
const MOST = 100;

interface Looked {
  filter: Filter;
  /** The one that was chosen last. */
  chosen: string | null;
  /** Whether it was opened: who comes back stands there again. */
  opened: boolean;
}

/** How the list was looked at, for whoever comes back to it. */
const useLooked = create<Looked>(() => ({ filter: EVERYTHING, chosen: null, opened: false }));

type Option = Extract<Line, { type: "session" | "hit" }>;

const { setState: look, getState: looked } = useLooked;

export function SessionList({ items, running }: { items: readonly VaultItem[]; running: boolean }) {
  const { t } = useTranslation("vault");
  const filter = useLooked(({ filter }) => filter);
  // Typing is not to wait for thousands of rows.
  const rested = useDeferredValue(filter);
  const { agent, folder } = rested;
  const query = rested.words.trim();
  const { found, settled, failure } = useSaid(query === "" ? null : { query, agent, folder, limit: MOST });
  const lines = useMemo(() => [...byDay(wanted(items, rested)), ...said(found)], [items, rested, found]);
  const list = useRef<HTMLDivElement>(null);
  if (items.length === 0) {
    return (
      <div className={css.alone}>
        <EmptyState title={t(running ? "empty.reading" : "empty.title")} action={!running && <Button onClick={() => void scan()}>{t("scan")}</Button>}>
          {t(running ? "empty.readingText" : "empty.text")}
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      <Filters items={items} filter={filter} onDown={() => list.current?.focus()} />
      {failure !== null && (
        <div className={css.banner}>
          <ErrorNotice failure={failure} />
        </div>
      )}
      {lines.length === 0 && !settled ? (
        <div className={css.alone}>
          <Spinner />
        </div>
      ) : lines.length === 0 ? (
        <div className={css.alone}>
          <EmptyState title={t("empty.noMatch")} action={<Button onClick={() => look({ filter: EVERYTHING })}>{t("empty.all")}</Button>} />
        </div>
      ) : (
        <Rows ref={list} lines={lines} />
      )}
    </>
  );
}

const ALL = "";

function Filters({ items, filter, onDown }: { items: readonly VaultItem[]; filter: Filter; onDown: () => void }) {
  const { t } = useTranslation("vault");
  const folders = useMemo(() => foldersOf(items), [items]);
  const agents = AGENTS.filter((agent) => items.some((item) => item.agent === agent));
  const set = (part: Partial<Filter>) => look({ filter: { ...filter, ...part } });
  return (
    <div className={css.filters} role="search" aria-label={t("filter.label")}>
      <TextField
        label={t("filter.words")}
        hideLabel
        type="search"
        className={css.words}
        placeholder={t("filter.words")}
        value={filter.words}
        onChange={(words) => set({ words })}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onDown();
        }}
      />
      {(agents.length > 1 || filter.agent !== null) && (
        <Select<Agent | typeof ALL>
          label={t("filter.agent")}
          hideLabel
          value={filter.agent ?? ALL}
          onChange={(agent) => set({ agent: agent === ALL ? null : agent })}
          options={[{ value: ALL, label: t("filter.everyAgent") }, ...agents.map((agent) => ({ value: agent, label: agentName(agent) }))]}
        />
      )}
      {(folders.length > 1 || filter.folder !== null) && (
        <Select
          label={t("filter.folder")}
          hideLabel
          value={filter.folder ?? ALL}
          onChange={(folder) => set({ folder: folder === ALL ? null : folder })}
          options={[
            { value: ALL, label: t("filter.everyFolder") },
            ...folders.map(([folder, count]) => ({ value: folder, label: lastOf(folder), hint: formatNumber(count) })),
          ]}
        />
      )}
      <Select
        label={t("filter.order")}
        hideLabel
        value={filter.order}
        onChange={(order) => set({ order })}
        options={(["newest", "oldest"] as const).map((value) => ({ value, label: t(`filter.${value}`) }))}
      />
    </div>
  );
}

function Rows({ ref, lines }: { ref: React.RefObject<HTMLDivElement | null>; lines: readonly Line[] }) {
  const { t } = useTranslation("vault");
  const rows = useRef<VirtualizerHandle>(null);
  const id = useId();
  const chosen = useLooked(({ chosen }) => chosen);
  const options = useMemo(() => lines.flatMap((line, index) => (line.type === "session" || line.type === "hit" ? [{ index, line }] : [])), [lines]);
  const place = Math.max(0, options.findIndex(({ line }) => line.key === chosen));
  const here = options[place]!;
  const positions = useMemo(() => new Map(options.map(({ line }, at) => [line.key, at + 1])), [options]);
  const choose = (to: number) => {
    const next = options[Math.min(options.length - 1, Math.max(0, to))]!;
    look({ chosen: next.line.key });
    // With what stands over the first one of a day, or of what was said.
    const first = /^(day|said)$/.test(lines[next.index - 1]?.type ?? "");
    rows.current?.scrollToIndex(first ? next.index - 1 : next.index, { align: "nearest" });
    if (first) rows.current?.scrollToIndex(next.index, { align: "nearest" });
  };
  const open = (line: Option) => {
    look({ chosen: line.key, opened: true });
    if (line.type === "session") goToVault({ id: line.item.id, version: null });
    else goToVault({ id: line.hit.id, version: null }, line.hit.number);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const page = 10;
    const to = {
      ArrowDown: place + 1,
      ArrowUp: place - 1,
      PageDown: place + page,
      PageUp: place - page,
      Home: 0,
      End: options.length - 1,
    }[event.key];
    if (to !== undefined) choose(to);
    else if (event.key === "Enter") open(here.line);
    else return;
    event.preventDefault();
  };
  // Who comes back from a session stands where it was.
  const [back] = useState(() => (looked().opened ? here.index : null));
  useEffect(() => {
    if (back === null) return;
    look({ opened: false });
    rows.current?.scrollToIndex(back, { align: "center" });
    ref.current?.focus({ preventScroll: true });
  }, [back, ref]);
  return (
    <div
      ref={ref}
      className={`${frame.list} ${css.list}`}
      role="listbox"
      data-in-page
      aria-label={t("title")}
      aria-activedescendant={`${id}-${here.line.key}`}
      tabIndex={0}
      onKeyDown={keyDown}
    >
      <Virtualizer ref={rows} scrollRef={ref} data={lines} keepMounted={[here.index]}>
        {(line) =>
          line.type === "day" ? (
            <div key={line.key} className={css.day} aria-hidden>
              {line.at === null ? t("noDay") : formatDay(line.at)}
            </div>
          ) : line.type === "said" ? (
            <div key={line.key} className={css.day} aria-hidden>
              {t("filter.said", { count: line.total, n: `${formatNumber(line.total)}${line.capped ? "+" : ""}` })}
            </div>
          ) : (
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the list has the focus and the keys
            <div
              key={line.key}
              id={`${id}-${line.key}`}
              className={line.type === "session" ? css.session : css.hit}
              role="option"
              aria-selected={line.key === here.line.key}
              aria-posinset={positions.get(line.key)}
              aria-setsize={options.length}
              onClick={() => open(line)}
            >
              {line.type === "session" ? <Session item={line.item} /> : <Hit hit={line.hit} />}
            </div>
          )
        }
      </Virtualizer>
    </div>
  );
}

/** A message in which the words are. */
function Hit({ hit }: { hit: VaultHit }) {
  const { t } = useTranslation("vault");
  const { agent, folder, role, at, snippet } = hit;
  const facts = [agentName(agent), folder !== null && lastOf(folder), (role === "user" || role === "assistant") && t(`by.${role}`)];
  return (
    <>
      <AgentMark agent={agent} />
      <span className={css.sessionText}>
        <span className={css.hitSaid}>
          <Snippet parts={snippet} />
        </span>
        <span className={css.sessionFacts} title={folder ?? agentName(agent)}>
          {[titleOf(hit), ...facts].filter(Boolean).join(" · ")}
        </span>
      </span>
      {at === null ? (
        <span />
      ) : (
        <time className={css.number} dateTime={at} title={formatMoment(Date.parse(at))} data-numeric>
          {formatDay(Date.parse(at))}
        </time>
      )}
    </>
  );
}

function Session({ item }: { item: VaultItem }) {
  const { t } = useTranslation("vault");
  const { agent, folder, git_branch, turns, usage } = item;
  const at = endOf(item);
  const tokens = tokensOf(item);
  return (
    <>
      <AgentMark agent={agent} />
      <span className={css.sessionText}>
        <span className={css.sessionTitle} lang={proseLanguage(titleOf(item))} title={titleOf(item)}>
          {titleOf(item)}
        </span>
        <span className={css.sessionFacts} title={folder ?? agentName(agent)}>
          {[agentName(agent), folder !== null && lastOf(folder), git_branch].filter(Boolean).join(" · ")}
        </span>
      </span>
      <Marks item={item} />
      <span className={`${css.number} ${css.counted}`} data-numeric>
        {t("turns", { count: turns, n: formatNumber(turns) })}
      </span>
      <span className={`${css.number} ${css.counted}`} data-numeric>
        {tokens > 0 && `${usage.exact ? "" : "≈\u202f"}${t("tokens", { n: formatTokens(tokens) })}`}
      </span>
      {at === null ? (
        <span />
      ) : (
        <time className={css.number} dateTime={new Date(at).toISOString()} title={formatMoment(at)} data-numeric>
          <span className="visually-hidden">{formatDay(at)} </span>
          {formatTime(at)}
        </time>
      )}
    </>
  );
}

/** What is not as usual. */
export function Marks({ item: { gone_at, cut, folds, children } }: { item: VaultItem }) {
  const { t } = useTranslation("vault");
  return (
    <span className={css.marks}>
      {gone_at !== null && (
        <span className={css.tag} title={t("mark.goneHint", { when: formatMoment(Date.parse(gone_at)) })}>
          <Archive aria-hidden />
          {t("mark.gone")}
        </span>
      )}
      {cut > 0 && (
        <span className={css.tag} title={t("mark.cutHint")}>
          <Scissors aria-hidden />
          {t("mark.cut")}
        </span>
      )}
      {folds > 0 && <span className={css.tag}>{t("mark.folds", { count: folds, n: formatNumber(folds) })}</span>}
      {children > 0 && <span className={css.tag}>{t("mark.children", { count: children, n: formatNumber(children) })}</span>}
    </span>
  );
}
