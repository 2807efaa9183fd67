// The dialog and its pages, in groups below each other. Every change applies at once; there is nothing to save.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { actionFor, chordOf, closeOverlay, openOverlay, SETTINGS, useMedia, usePlace, type SettingsTab } from "@/app/actions";
import { bestOf, findPages, loadPages } from "@/app/actions/pages";
import { bring, highlight, rangeOf } from "@/features/chat";
import { RemotesPage } from "@/features/remotes";
import { ServersPage } from "@/features/tools";
import type { AppInfo } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Dialog, quiet, Select, Tabs, TextField } from "@/shared/kit";
import { AboutPage, DataPage } from "./DataPage";
import { CheckpointsPage } from "./CheckpointsPage";
import { GeneralPage } from "./GeneralPage";
import { MemoryPage } from "./MemoryPage";
import { ModelsPage } from "./ModelsPage";
import { NetworkPage } from "./NetworkPage";
import { PrivacyPage } from "./PrivacyPage";
import { ProjectsPage } from "./ProjectsPage";
import { RecallPage } from "./RecallPage";
import css from "./settings.module.css";
import { ShortcutsPage } from "./ShortcutsPage";
import { SpendingPage } from "./SpendingPage";
import { SummariesPage } from "./SummariesPage";
import { ToolsPage } from "./ToolsPage";

interface SettingsDialogProps {
  tab: SettingsTab;
  /** On the page of models: whose key is to be entered. */
  provider?: string;
  info: AppInfo;
}

/** With less room the pages are chosen from a list: a narrow window, or everything made large. */
const ROOM = "(min-width: 700px)";

export function SettingsDialog({ tab, provider, info }: SettingsDialogProps) {
  const { t } = useTranslation("settings");
  const room = useMedia(ROOM);
  const show = (next: SettingsTab) => openOverlay({ kind: "settings", tab: next });
  const { query, search, keyDown, found, field, body } = useSearch(tab, show);
  const pages: Record<SettingsTab, ReactNode> = {
    general: <GeneralPage />,
    shortcuts: <ShortcutsPage />,
    models: <ModelsPage provider={provider} />,
    tools: <ToolsPage />,
    servers: <ServersPage />,
    spending: <SpendingPage />,
    memory: <MemoryPage />,
    summaries: <SummariesPage />,
    recall: <RecallPage />,
    projects: <ProjectsPage />,
    checkpoints: <CheckpointsPage />,
    remotes: <RemotesPage />,
    privacy: <PrivacyPage />,
    network: <NetworkPage />,
    data: <DataPage info={info} />,
    about: <AboutPage info={info} />,
  };
  const headings = {
    app: undefined,
    models: t("groups.models"),
    context: t("groups.context"),
    work: t("groups.work"),
    safety: t("groups.safety"),
    data: "",
  };
  const tabs = SETTINGS.flatMap(({ group, tabs: below }) =>
    below
      .filter((value) => found === null || found.some((page) => page.tab === value))
      .map((value, at) => ({
        value,
        label: t(`tabs.${value}`),
        content: pages[value],
        hint: found?.find((page) => page.tab === value)?.hint ?? undefined,
        group: at === 0 ? headings[group] : undefined,
      })),
  );
  const box = (
    <div className={css.searching}>
      <TextField
        ref={field}
        label={t("search")}
        hideLabel
        placeholder={t("search")}
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={search}
      />
      {tabs.length === 0 && (
        <p className={quiet.note} role="status">
          {t("nothing", { query: query.trim() })}
        </p>
      )}
    </div>
  );
  return (
    <Dialog open size="l" onClose={closeOverlay} title={t("title")}>
      <div ref={body} className={css.dialog} onKeyDown={keyDown}>
        {room ? (
          <Tabs<SettingsTab> column label={t("title")} value={tab} onChange={show} tabs={tabs} head={box} />
        ) : (
          <>
            <div className={css.choice}>
              {box}
              {tabs.length > 0 && (
                <Select<SettingsTab> label={t("page")} hideLabel value={tab} onChange={show} options={tabs} />
              )}
            </div>
            {tabs.length > 0 && (
              <section className={css.chosenPage} data-page aria-label={t(`tabs.${tab}`)}>
                {pages[tab]}
              </section>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

/** What is looked for in the settings, and the keys that go there: the first page that is found is shown at once. */
function useSearch(tab: SettingsTab, show: (tab: SettingsTab) => void) {
  const [query, setQuery] = useState("");
  const [, setLoaded] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const keys = useQuery(queries.settings()).data?.keys;
  const search = (text: string) => {
    setQuery(text);
    turn(text);
    if (text.trim() === "") return;
    void loadPages().then(() => {
      setLoaded(true);
      // Something else may be looked for by now, or nothing at all.
      if (field.current?.value === text) turn(text);
    });
  };
  /** To the page that says it best; who is on one that has that name stays. */
  const turn = (text: string) => {
    const overlay = usePlace.getState().overlay;
    const found = findPages(text) ?? [];
    if (overlay?.kind !== "settings") return;
    const here = found.find((page) => page.tab === overlay.tab);
    const best = here?.named ? here : bestOf(found);
    if (best && best !== here) show(best.tab);
  };
  const keyDown = (event: KeyboardEvent) => {
    const chord = chordOf(event.nativeEvent);
    if (chord !== null && actionFor(chord, keys ?? {}) === "find") {
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    } else if (chord === "Escape" && query !== "" && event.target === field.current) {
      // The first time it empties the field.
      event.preventDefault();
      event.stopPropagation();
      setQuery("");
    }
  };
  const found = findPages(query);
  const hint = found?.find((page) => page.tab === tab)?.hint ?? null;
  return { query, search, keyDown, found, field, body: useMarked(tab, hint) };
}

/** Marks words on the page that is shown, once it is there, and brings them into view. */
function useMarked(tab: SettingsTab, words: string | null) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = body;
    if (current === null || words === null) return;
    const observer = new MutationObserver(mark);
    observer.observe(current, { childList: true, subtree: true });
    mark();
    return () => {
      observer.disconnect();
      highlight(null);
    };
    function mark() {
      const page = current!.querySelector("[role=tabpanel], [data-page]");
      const range = page && rangeOf(page, words!);
      if (!range) return;
      observer.disconnect();
      highlight(range);
      bring(range);
    }
  }, [tab, words]);
  return body;
}
