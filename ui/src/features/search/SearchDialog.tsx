// Everything a person may have meant in one list: what was said, here and with other agents, summarised, decided, remembered,
// written, kept. A hit opens at its place.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Clock } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { closeOverlay, goToVault, usePlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { useSaid } from "@/features/vault";
import { call, type Found, type FoundGroup, type FoundKind, type Project, type SearchVault, type VaultHit } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { announce, Button, Dialog, EmptyState, quiet, Spinner, TextField } from "@/shared/kit";
import { filterOf, isNarrowed, isRange, UNFILTERED, type Chosen } from "./filter";
import { Filters, Kinds } from "./Filters";
import { Groups, OfAgents } from "./Groups";
import { openFound } from "./open";
import { forgetSearches, rememberSearch, useSearches } from "./recent";
import css from "./search.module.css";

const REST = 150;
/** Hits of each kind beside each other, and of one kind by itself. */
const FEW = 5;
const MOST = 100;

export function SearchDialog() {
  const { t } = useTranslation("search");
  const [text, setText] = useState("");
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(UNFILTERED);
  const [kind, setKind] = useState<FoundKind | null>(null);
  /** Enter came before what it should open. */
  const [awaited, setAwaited] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), REST);
    return () => clearTimeout(timer);
  }, [text]);

  const { projects, names } = useProjects();
  const asked = query !== "" && (chosen.span !== "range" || isRange(chosen));
  const find = (of: FoundKind | null, limit: number) => {
    const filter = filterOf(chosen, of, new Date());
    return {
      queryKey: ["conversations", "find", query, filter, limit],
      queryFn: () => call("find", { query, filter, limit }),
      placeholderData: keepPreviousData,
      staleTime: 0,
      gcTime: 1000,
    };
  };
  const every = useQuery({ ...find(null, FEW), enabled: asked });
  const single = useQuery({ ...find(kind, MOST), enabled: asked && kind !== null });
  const answer = kind === null ? every : single;
  const { found: agents, settled } = useSaid(asked && kind === null ? ofAgents(query, chosen, projects) : null);
  const groups = asked ? answer.data?.groups : undefined;
  const counted = asked ? (every.data?.groups ?? []) : [];
  const fresh = asked && query === text.trim() && groups !== undefined && !answer.isPlaceholderData && settled;

  const total = groups && settled && totalOf(agents.total === 0 ? groups : [...groups, agents]);
  const count = total ? t("count", total) : groups && settled ? t("nothing", { query }) : "";
  useEffect(() => {
    if (count !== "") announce(count);
  }, [count]);

  const open = (found: Found) => {
    rememberSearch(query);
    void openFound(found);
  };
  const openSession = (hit: VaultHit) => {
    rememberSearch(query);
    goToVault({ id: hit.id, version: null }, hit.number);
  };
  const first = groups?.[0]?.found[0];
  const session = agents.hits[0];
  // After every drawing, for `open` is another one each time; it ends with the first that is found.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => {
    if (!awaited || !fresh) return;
    setAwaited(false);
    if (first) open(first);
    else if (session) openSession(session);
  });

  // Arrows walk from the field through the hits and back, over all groups; Tab works as everywhere.
  const walk = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    const stops = [field.current, ...(results.current?.querySelectorAll<HTMLElement>("[data-stop]") ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLInputElement);
    if (at < 0) return;
    const to = stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))];
    to?.focus();
    event.preventDefault();
  };
  const openFirst = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || event.keyCode === 229) return;
    setQuery(text.trim());
    setAwaited(text.trim() !== "");
  };
  const again = (words: string) => {
    setText(words);
    setQuery(words);
    field.current?.focus();
  };
  const widen = () => {
    setChosen(UNFILTERED);
    setKind(null);
    field.current?.focus();
  };
  return (
    <Dialog open size="l" onClose={closeOverlay} title={t("title")} initialFocus={field}>
      <div className={css.search} onKeyDown={walk}>
        <div className={css.top}>
          <TextField
            ref={field}
            label={t("field")}
            hideLabel
            placeholder={t("placeholder")}
            value={text}
            onChange={(next) => {
              setText(next);
              setAwaited(false);
            }}
            onKeyDown={openFirst}
            type="search"
            autoComplete="off"
            spellCheck={false}
          />
          <Filters chosen={chosen} projects={projects} onChange={setChosen} />
          <Kinds groups={counted} kind={asked ? kind : null} onChange={setKind} />
        </div>
        <div ref={results} className={css.results} aria-busy={answer.isFetching}>
          {text.trim() === "" && <Recent onAgain={again} />}
          {asked && answer.isError && <ErrorNotice failure={answer.error} />}
          {asked && answer.isPending && <Spinner />}
          {asked && !answer.isError && groups?.length === 0 && settled && agents.total === 0 && (
            <Nothing query={query} narrowed={isNarrowed(chosen) || kind !== null} onWiden={widen} />
          )}
          {!answer.isError && groups && (
            <Groups groups={groups} single={kind !== null} projects={names} onOpen={open} onAll={setKind} />
          )}
          {agents.total > 0 && <OfAgents found={agents} onOpen={openSession} />}
        </div>
      </div>
    </Dialog>
  );
}

/** Every project, the open one first, and their names where there is more than one. */
function useProjects() {
  const here = usePlace((place) => place.projectId);
  const all = useQuery(queries.projects()).data;
  return useMemo(() => {
    const projects = (all ?? []).toSorted((a, b) => Number(b.id === here) - Number(a.id === here));
    const told = projects.length > 1 ? projects : [];
    return { projects, names: new Map(told.map(({ id, name }) => [id, name])) };
  }, [all, here]);
}

/** Kept sessions of agents are asked where these filters ask for nothing that is not known of them: who said it, and when. */
function ofAgents(query: string, { project, who, span }: Chosen, projects: readonly Project[]): SearchVault | null {
  const folder = projects.find(({ id }) => id === project)?.path ?? null;
  const known = who === "anyone" && span === "any" && (project === null || folder !== null);
  return known ? { query, agent: null, folder, limit: FEW } : null;
}

function totalOf(groups: readonly Pick<FoundGroup, "total" | "capped">[]): { count: number; n: string } | undefined {
  const count = groups.reduce((sum, group) => sum + group.total, 0);
  const more = groups.some(({ capped }) => capped);
  return count === 0 ? undefined : { count, n: formatNumber(count) + (more ? "+" : "") };
}

function Recent({ onAgain }: { onAgain: (words: string) => void }) {
  const { t } = useTranslation("search");
  const searches = useSearches();
  if (searches.length === 0) return <p className={quiet.note}>{t("hint")}</p>;
  return (
    <section className={css.group} aria-labelledby="search-recent">
      <h3 id="search-recent" className={css.groupName}>
        {t("recent")}
      </h3>
      <ul>
        {searches.map((words) => (
          <li key={words}>
            <button type="button" className={css.again} data-stop onClick={() => onAgain(words)}>
              <Clock aria-hidden />
              <span>{words}</span>
            </button>
          </li>
        ))}
      </ul>
      <Button variant="quiet" data-stop onClick={forgetSearches}>
        {t("forget")}
      </Button>
    </section>
  );
}

function Nothing({ query, narrowed, onWiden }: { query: string; narrowed: boolean; onWiden: () => void }) {
  const { t } = useTranslation("search");
  return (
    <EmptyState title={t("nothing", { query })} action={narrowed && <Button onClick={onWiden}>{t("widen")}</Button>}>
      {t("nothingHint")}
    </EmptyState>
  );
}
