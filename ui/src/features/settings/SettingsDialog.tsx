// The dialog and its pages, each of parts below each other. Every change applies at once; there is nothing to save.
import { useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import {
  closeOverlay,
  openOverlay,
  pageOf,
  SETTINGS,
  useMedia,
  usePlace,
  type SettingsPage,
  type SettingsTab,
} from "@/app/actions";
import { bestOf, findPages, loadPages } from "@/app/actions/pages";
import { bring, highlight, rangeOf } from "@/features/chat";
import { LeftList } from "@/features/egress";
import { RemotesPage } from "@/features/remotes";
import type { AppInfo } from "@/ipc";
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
import { TaskModels } from "./TaskModels";
import { ToolParts } from "./ToolsPage";
import { useSearchKeys } from "./useSearchKeys";

interface SettingsDialogProps {
  /** The part that is gone to. */
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
  const { page: shown } = pageOf(tab);
  const at = { tab, show, body };
  const pages: Record<SettingsPage, ReactNode> = {
    general: <GeneralPage />,
    models: (
      <Parts
        {...at}
        parts={{ models: <ModelsPage provider={provider} />, tasks: <TaskModels />, spending: <SpendingPage /> }}
      />
    ),
    tools: <ToolParts>{(parts) => <Parts {...at} parts={parts} />}</ToolParts>,
    memory: <Parts {...at} parts={{ memory: <MemoryPage />, summaries: <SummariesPage />, recall: <RecallPage /> }} />,
    folders: (
      <Parts {...at} parts={{ projects: <ProjectsPage />, checkpoints: <CheckpointsPage />, remotes: <RemotesPage /> }} />
    ),
    privacy: <Parts {...at} parts={{ privacy: <PrivacyPage />, network: <NetworkPage />, left: <LeftList /> }} />,
    shortcuts: <ShortcutsPage />,
    data: <Parts {...at} parts={{ data: <DataPage info={info} />, about: <AboutPage info={info} /> }} />,
  };
  const tabs = SETTINGS.flatMap(({ page, parts }) => {
    const here = found?.filter((one) => pageOf(one.tab).page === page);
    const best = here && bestOf(here);
    if (here && !best) return [];
    return {
      value: page,
      label: t(`pages.${page}`),
      content: pages[page],
      hint: best && (best.hint ?? (parts.length > 1 ? t(`tabs.${best.tab}`) : undefined)),
      part: best?.tab ?? parts[0],
    };
  });
  const open = (page: SettingsPage) => show(tabs.find(({ value }) => value === page)?.part ?? tab);
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
          <Tabs<SettingsPage> column label={t("title")} value={shown} onChange={open} tabs={tabs} head={box} />
        ) : (
          <>
            <div className={css.choice}>
              {box}
              {tabs.length > 0 && (
                <Select<SettingsPage> label={t("page")} hideLabel value={shown} onChange={open} options={tabs} />
              )}
            </div>
            {tabs.length > 0 && (
              // No landmark: a page may be called like one of its parts.
              <div className={css.chosenPage} data-page role="group" aria-label={t(`pages.${shown}`)}>
                {pages[shown]}
              </div>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

interface PartsProps {
  tab: SettingsTab;
  show: (tab: SettingsTab) => void;
  body: RefObject<HTMLElement | null>;
  parts: Partial<Record<SettingsTab, ReactNode>>;
}

/** A page of several parts, with the way to each; what was gone to is in view. */
function Parts({ tab, show, body, parts }: PartsProps) {
  const { t } = useTranslation("settings");
  const all = Object.entries(parts) as [SettingsTab, ReactNode][];
  useInView(tab, tab === all[0]?.[0], body);
  const read = useRead(tab, body);
  return (
    <>
      <nav className={css.ways} aria-label={t("parts")}>
        {all.map(([part]) => (
          <button key={part} type="button" aria-current={part === read ? "true" : undefined} onClick={() => show(part)}>
            {t(`tabs.${part}`)}
          </button>
        ))}
      </nav>
      {all.map(([part, content]) => (
        <section key={part} className={css.part} data-part={part} aria-labelledby={`settings-part-${part}`}>
          <h3 id={`settings-part-${part}`} className={css.partName}>
            {t(`tabs.${part}`)}
          </h3>
          {content}
        </section>
      ))}
    </>
  );
}

/** Keeps a part where it can be read while those before it are still filled, until the person goes elsewhere. */
function useInView(tab: SettingsTab, first: boolean, body: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const part = body.current?.querySelector<HTMLElement>(`[data-part="${tab}"]`);
    const page = part?.closest<HTMLElement>("[role=tabpanel], [data-page]");
    if (!part || !page) return;
    const over = new AbortController();
    const bring = () => {
      page.scrollTop += first ? -page.scrollTop : part.getBoundingClientRect().top - page.getBoundingClientRect().top;
    };
    const observer = new ResizeObserver(bring);
    page.querySelectorAll("[data-part]").forEach((one) => observer.observe(one));
    bring();
    const leave = () => over.abort();
    over.signal.addEventListener("abort", () => observer.disconnect());
    for (const what of ["wheel", "keydown", "pointerdown"] as const) page.addEventListener(what, leave, { signal: over.signal });
    return leave;
  }, [tab, first, body]);
}

/** The part that is read: what was gone to, and what the person then scrolls to. */
function useRead(tab: SettingsTab, body: RefObject<HTMLElement | null>): SettingsTab {
  const [read, setRead] = useState(tab);
  useEffect(() => {
    setRead(tab);
    const page = body.current?.querySelector<HTMLElement>("[role=tabpanel], [data-page]");
    if (!page) return;
    const scrolled = () => {
      const line = page.getBoundingClientRect().top + page.clientHeight / 3;
      const parts = [...page.querySelectorAll<HTMLElement>("[data-part]")];
      const last = parts.findLast((part) => part.getBoundingClientRect().top <= line);
      if (last) setRead(last.dataset.part as SettingsTab);
    };
    page.addEventListener("scroll", scrolled, { passive: true });
    return () => page.removeEventListener("scroll", scrolled);
  }, [tab, body]);
  return read;
}

/** What is looked for in the settings, and the keys that go there: the first part that is found is shown at once. */
function useSearch(tab: SettingsTab, show: (tab: SettingsTab) => void) {
  const [query, setQuery] = useState("");
  const [, setLoaded] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const keyDown = useSearchKeys(field, () => setQuery(""));
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
  /** To the part that says it best; who is at one that has that name stays. */
  const turn = (text: string) => {
    const overlay = usePlace.getState().overlay;
    const found = findPages(text) ?? [];
    if (overlay?.kind !== "settings") return;
    const here = found.find((page) => page.tab === overlay.tab);
    const best = here?.named ? here : bestOf(found);
    if (best && best !== here) show(best.tab);
  };
  const found = findPages(query);
  const hint = found?.find((page) => page.tab === tab)?.hint ?? null;
  return { query, search, keyDown, found, field, body: useMarked(tab, hint) };
}

/** Marks words in the part that is shown, once it is there, and brings them into view. */
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
      const page = current!.querySelector(`[data-part="${tab}"]`) ?? current!.querySelector("[role=tabpanel], [data-page]");
      const range = page && rangeOf(page, words!);
      if (!range) return;
      observer.disconnect();
      highlight(range);
      bring(range);
    }
  }, [tab, words]);
  return body;
}
