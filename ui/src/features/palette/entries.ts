// What the palette offers: everything that can be done, set or opened, in words that say which. What there are few of is
// one list; files are asked for by what is typed, as mentions are, and words of settings are looked up in their pages.
import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import {
  ACTIONS,
  chordFor,
  closeOverlay,
  goToCheckpoints,
  goToConversation,
  goToMemory,
  goToMemoryLine,
  openOverlay,
  runAction,
  SETTINGS,
  showProject,
  usePlace,
  useRegistry,
} from "@/app/actions";
import { findPages, loadPages } from "@/app/actions/pages";
import { useCheckpoints, useCheckpointWords } from "@/features/checkpoints";
import { openProject, useHere, useTitle } from "@/features/conversations";
import { tellFailure, useFailureWords } from "@/features/errors";
import { startOf } from "@/features/memory";
import { OWN_MODEL, rememberModel, useFacts, useModelNames, useProviderName } from "@/features/models";
import { takeListed, useSkills } from "@/features/skills";
import { POLICIES } from "@/features/summaries";
import { aboutCalls, useChangedTurns, useWaiting } from "@/features/today";
import { begin, changeWork } from "@/features/work";
import { call, toFailure, type DefaultModel, type ModelInfo, type ProjectId, type Settings } from "@/ipc";
import { queries } from "@/ipc/queries";
import { writeSettings } from "@/ipc/settings";
import { setDensity, useDensity } from "@/shared/density";
import { formatDay, formatNumber, formatTokens, formatWhen, i18n, useTranslation } from "@/shared/i18n";
import { score } from "@/shared/match";

export interface Entry {
  id: string;
  group: "actions" | "conversations" | "memory" | "checkpoints" | "files" | "settings";
  title: string;
  /** Further words that find it. */
  also: string;
  hint: string;
  chord: string;
  /** How well it is found where that is known otherwise than by its words; those of a whole word are at 8 and more. */
  rank?: number;
  /** What is known of it, where it is a model. */
  model?: ModelInfo;
  /** For one of several: whether it is the one that holds. */
  checked?: boolean;
  /** Why it cannot be run now. */
  disabled: string | null;
  run: () => void;
}

export type Mode = "all" | "conversations" | "models";

/** Most entries that are drawn. */
export const MOST = 50;
/** Files that are asked for, and how long typing rests before they are, in milliseconds. */
const MOST_FILES = 30;
const REST = 100;

const PLAIN = { group: "actions", also: "", hint: "", chord: "", disabled: null } as const;

/** Runs and closes; what opens something over the window closes the palette by that. */
const closing = (run: () => void) => () => {
  closeOverlay();
  run();
};

/** All but what is asked for by what is typed, in their order. */
export function useEntries(mode: Mode): readonly Entry[] {
  const everything = mode === "all";
  const actions = useActions();
  const choices = useChoices();
  const models = useModels(mode === "models");
  const projects = useProjects();
  const today = useTodays(everything);
  const plans = usePlans();
  const skills = useSkillEntries(everything);
  const talks = useTalks();
  const kept = useKept(everything);
  const pages = usePages();
  return useMemo(() => {
    if (mode === "conversations") return talks;
    if (mode === "models") return models;
    return [...today, ...actions, ...choices, ...models, ...projects, ...plans, ...skills, ...talks, ...kept, ...pages];
  }, [mode, actions, today, choices, models, projects, plans, skills, talks, kept, pages]);
}

function useActions(): readonly Entry[] {
  const { t } = useTranslation("actions");
  const registered = useRegistry();
  const keys = useQuery(queries.settings()).data?.keys;
  return useMemo(() => {
    const english = i18n.getFixedT("en", "actions");
    return ACTIONS.filter(({ id }) => id !== "palette").map(({ id }): Entry => ({
      ...PLAIN,
      id: `action:${id}`,
      title: t(id),
      also: english(id),
      chord: chordFor(id, keys ?? {}),
      disabled: registered[id] ? registered[id].disabled : t("unavailable"),
      run: closing(() => runAction(id)),
    }));
  }, [t, registered, keys]);
}

const THEMES = ["system", "light", "dark"] as const;
const LANGUAGES = ["system", "ko", "en"] as const;
const DENSITIES = ["comfortable", "compact"] as const;

/** What the settings hold that is one of several, and what is on or off. */
function useChoices(): readonly Entry[] {
  const { t } = useTranslation(["palette", "summaries"]);
  const { data: settings } = useQuery(queries.settings());
  const density = useDensity((now) => now.density);
  return useMemo(() => {
    if (!settings) return [];
    const change = (part: Partial<Settings>) => void writeSettings(settings, { ...settings, ...part }).catch(tellFailure);
    const english = i18n.getFixedT("en", "palette");
    const themes = THEMES.map((theme): Entry => ({
      ...PLAIN,
      id: `theme:${theme}`,
      title: t(`theme.${theme}`),
      also: english(`theme.${theme}`),
      checked: settings.theme === theme,
      run: closing(() => change({ theme })),
    }));
    const languages = LANGUAGES.map((language): Entry => ({
      ...PLAIN,
      id: `language:${language}`,
      title: t(`language.${language}`),
      // Whoever cannot read the language that is shown still finds their own.
      also: `${english(`language.${language}`)} 한국어 영어 language 언어`,
      checked: settings.language === language,
      run: closing(() => change({ language })),
    }));
    const densities = DENSITIES.map((one): Entry => ({
      ...PLAIN,
      id: `density:${one}`,
      title: t(`density.${one}`),
      also: english(`density.${one}`),
      checked: density === one,
      run: closing(() => setDensity(one)),
    }));
    const { privacy, summary, notify, this_computer_only } = settings;
    const policies = POLICIES.map((policy): Entry => ({
      ...PLAIN,
      id: `policy:${policy}`,
      title: t("policy", { policy: t(`policies.${policy}.name`, { ns: "summaries" }) }),
      also: "summary summaries fold 요약 접기",
      checked: summary.policy === policy,
      run: closing(() => change({ summary: { ...summary, policy } })),
    }));
    const turn = (what: "notify" | "only" | "local" | "redact", on: boolean, part: Partial<Settings>): Entry => ({
      ...PLAIN,
      id: `turn:${what}`,
      title: t(`turn.${what}.${on ? "off" : "on"}`),
      also: english(`turn.${what}.${on ? "off" : "on"}`),
      run: closing(() => change(part)),
    });
    const { local_only, sanitize_secrets } = privacy;
    return [
      ...themes,
      ...languages,
      ...densities,
      turn("notify", notify, { notify: !notify }),
      turn("only", this_computer_only, { this_computer_only: !this_computer_only }),
      turn("local", local_only, { privacy: { ...privacy, local_only: !local_only } }),
      turn("redact", sanitize_secrets, { privacy: { ...privacy, sanitize_secrets: !sanitize_secrets } }),
      ...policies,
    ];
  }, [t, settings, density]);
}

/** By what name the entry of a model is remembered. */
export const modelEntry = ({ provider, model }: DefaultModel) => `model:${provider} ${model}`;

/** The models for the open conversation, as far as their lists were read; `asked` reads them, and starts no agent for that. */
function useModels(asked: boolean): readonly Entry[] {
  const { t } = useTranslation(["palette", "talk", "errors"]);
  const nameOf = useProviderName();
  const { alone: modelOf } = useModelNames();
  const factsOf = useFacts();
  const words = useFailureWords();
  const { conversationId } = useHere();
  const detail = useQuery({ ...queries.conversation(conversationId ?? ""), enabled: conversationId !== null }).data;
  const providers = useQuery(queries.providers()).data;
  const lists = useQueries({
    queries: (providers ?? []).map(({ name, kind }) => ({ ...queries.models(name), enabled: asked && kind !== "offline" && kind !== "agent" })),
    combine: (results) => results.map(({ data, error, isFetching }) => ({ data, error, isFetching })),
  });
  return useMemo(() => {
    if (!detail || detail.item.deleted_at !== null) return [];
    const use = (choice: DefaultModel | null) =>
      closing(() => {
        if (choice) rememberModel(choice);
        void call("conversation_model", { id: detail.item.id, choice }).catch(tellFailure);
      });
    const { follows_default, provider, model } = detail;
    const defaults: Entry = { ...PLAIN, id: "model:", title: t("defaultModel"), checked: follows_default, run: use(null) };
    const all = (providers ?? []).flatMap(({ name, kind }, index): Entry[] => {
      const alone = kind === "offline" ? name : kind === "agent" ? OWN_MODEL : null;
      const known: readonly { id: string; info?: ModelInfo }[] | null =
        lists[index]?.data?.map((info) => ({ id: info.id, info })) ?? (alone === null ? null : [{ id: alone }]);
      const { error, isFetching } = lists[index] ?? { error: null, isFetching: false };
      if (!known) {
        // It is said who does not answer, where the answer is waited for.
        const why = isFetching ? t("model.asking", { ns: "talk", name }) : error && words(toFailure(error).code).title;
        return asked && why ? [{ ...PLAIN, id: `provider:${name}`, title: name, disabled: why, run: () => {} }] : [];
      }
      return known.map(({ id, info }) => ({
        ...PLAIN,
        id: modelEntry({ provider: name, model: id }),
        model: info && factsOf(info, name),
        title: t("model", { model: kind === "offline" ? nameOf(name) : modelOf(id, name) }),
        also: `${name} ${id}`,
        hint: kind === "offline" ? "" : name,
        checked: !follows_default && provider === name && model === id,
        run: use({ provider: name, model: id }),
      }));
    });
    return [defaults, ...all];
    // The others change with t and the providers alone.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [t, detail, providers, lists, asked, factsOf]);
}

function useProjects(): readonly Entry[] {
  const { t } = useTranslation("palette");
  const client = useQueryClient();
  const shown = usePlace((place) => place.projectId);
  const { data: projects } = useQuery(queries.projects());
  return useMemo(() => {
    if (!projects || projects.length === 0) return [];
    const every: Entry = { ...PLAIN, id: "project:", title: t("projects"), checked: shown === null, run: closing(() => showProject(null)) };
    const one = projects.map(({ id, name, path }): Entry => ({
      ...PLAIN,
      id: `project:${id}`,
      title: t("project", { name }),
      also: path,
      hint: path,
      checked: shown === id,
      run: closing(() => void openProject(client, id).catch(tellFailure)),
    }));
    return [every, ...one];
  }, [t, client, projects, shown]);
}

/** The rows of the Today page that something stands in. */
function useTodays(wanted: boolean): readonly Entry[] {
  const { t } = useTranslation("palette");
  const titleOf = useTitle();
  const here = useHere();
  const projectId = wanted ? here.projectId : null;
  const stopped = useQuery({ ...queries.resume(projectId ?? ""), enabled: projectId !== null }).data ?? null;
  const inbox = useQuery({ ...queries.inbox(projectId), enabled: projectId !== null }).data;
  const { data: conversations } = useQuery(queries.conversations(null));
  const waiting = useWaiting(projectId);
  const changed = useChangedTurns(projectId);
  return useMemo(() => {
    if (projectId === null) return [];
    const said = { ...PLAIN, also: "today 오늘" } as const;
    const titles = new Map(conversations?.map((item) => [item.id, titleOf(item)]));
    const ways = (stopped === null ? [] : [false, true]).map((fresh): Entry => ({
      ...said,
      id: `today:${fresh ? "fresh" : "continue"}`,
      title: t(fresh ? "today.fresh" : "today.continue"),
      hint: fresh ? "" : (stopped?.doing?.text ?? ""),
      run: closing(() => void begin(projectId, fresh)),
    }));
    const calls = waiting.map(({ conversation, approvals }): Entry => ({
      ...said,
      id: `waits:${conversation.id}`,
      title: t("today.waits", { about: aboutCalls(approvals) }),
      hint: titleOf(conversation),
      run: () => goToConversation(conversation),
    }));
    const count = inbox?.length ?? 0;
    const lines: Entry = {
      ...said,
      id: "today:inbox",
      title: t("today.inbox", { count, n: formatNumber(count) }),
      run: () => openOverlay({ kind: "inbox", projectId }),
    };
    const turns = changed.map(({ turnId, left, changes: { files } }): Entry => ({
      ...said,
      id: `review:${turnId}`,
      title: t("today.review", {
        count: files.length,
        n: formatNumber(files.length),
        title: titles.get(left.conversation_id ?? "") ?? formatDay(Date.parse(left.created_at)),
      }),
      hint: formatWhen(Date.parse(left.created_at)),
      run: () => openOverlay({ kind: "changes", of: { of: "turn", id: turnId }, projectId, all: false }),
    }));
    return [...ways, ...calls, ...(count > 0 ? [lines] : []), ...turns];
    // titleOf changes with t alone.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [t, projectId, conversations, stopped, inbox, waiting, changed]);
}

function usePlans(): readonly Entry[] {
  const { t } = useTranslation("palette");
  const { projectId } = useHere();
  const workflow = useQuery({ ...queries.workflow(projectId ?? ""), enabled: projectId !== null }).data;
  return useMemo(() => {
    const open = workflow?.plans.filter(({ status }) => status !== "archived") ?? [];
    return open.map(({ id, title }): Entry => ({
      ...PLAIN,
      id: `plan:${id}`,
      title: t("plan", { title }),
      also: "plan 계획",
      checked: workflow?.current_plan_id === id,
      run: closing(() => void (workflow?.current_plan_id !== id && changeWork(projectId!, { change: "switch_plan", id }))),
    }));
  }, [t, projectId, workflow]);
}

/** Skills that the open conversation can use. */
function useSkillEntries(wanted: boolean): readonly Entry[] {
  const { t } = useTranslation(["palette", "skills"]);
  const { projectId, conversationId } = useHere();
  const skills = useSkills(projectId, conversationId, wanted);
  return useMemo(
    () =>
      skills.map(
        (item): Entry => ({
          ...PLAIN,
          id: `skill:${item.id}`,
          title: t("skill", { name: item.by }),
          also: `${item.description} skill 스킬`,
          hint: t("tokens", { ns: "skills", n: formatTokens(item.tokens) }),
          checked: item.chosen !== null,
          run: closing(() => void takeListed(conversationId!, item)),
        }),
      ),
    [t, skills, conversationId],
  );
}

function useTalks(): readonly Entry[] {
  const { t } = useTranslation("rail");
  const titleOf = useTitle();
  const { data: conversations } = useQuery(queries.conversations(null));
  const { data: projects } = useQuery(queries.projects());
  return useMemo(() => {
    const names = new Map(projects?.map(({ id, name }) => [id, name]));
    return (conversations ?? []).map((item): Entry => {
      const project = item.project_id === null ? undefined : names.get(item.project_id);
      return {
        ...PLAIN,
        id: `conversation:${item.id}`,
        group: "conversations",
        title: titleOf(item),
        also: project ?? "",
        // Of thousands, few are ever drawn.
        get hint() {
          const day = formatDay(Date.parse(item.updated_at));
          return project ? `${project}, ${day}` : day;
        },
        run: () => goToConversation(item),
      };
    });
    // titleOf changes with t alone.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [t, conversations, projects]);
}

/** Memory and checkpoints of the project at hand. */
function useKept(wanted: boolean): readonly Entry[] {
  const { t } = useTranslation("memory");
  const words = useCheckpointWords();
  const { conversationId, projectId } = useHere();
  const at = { project_id: projectId, conversation_id: conversationId, dir: null };
  const { data: memory } = useQuery({ ...queries.memory(at), enabled: wanted });
  const { items: checkpoints } = useCheckpoints(wanted ? projectId : null);
  return useMemo(() => {
    const place = { projectId, conversationId };
    const said = { ...PLAIN, group: "memory", also: "memory 메모리" } as const;
    const files = (memory?.files ?? []).map((file): Entry => ({
      ...said,
      id: `memory:${file.path}`,
      title: file.path,
      hint: t(`layers.${file.layer}`),
      run: () => goToMemory(place, file.path),
    }));
    const lines = (memory?.lines ?? []).map((line): Entry => ({
      ...said,
      id: `memory:${line.id}`,
      title: startOf(line.text),
      hint: t("palette.line"),
      run: () => goToMemoryLine(place, line.id),
    }));
    const moments = checkpoints.map((item): Entry => ({
      ...PLAIN,
      id: `checkpoint:${item.id}`,
      group: "checkpoints",
      title: words.name(item),
      also: "checkpoint 체크포인트",
      hint: words.when(item),
      run: () => goToCheckpoints({ projectId: projectId!, conversationId }, item.id),
    }));
    return [...files, ...lines, ...moments];
    // words change with t alone.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [t, memory, checkpoints, projectId, conversationId]);
}

function usePages(): readonly Entry[] {
  const { t } = useTranslation(["palette", "settings"]);
  return useMemo(() => {
    const english = i18n.getFixedT("en", "settings");
    return SETTINGS.flatMap(({ parts }) => parts).map((tab): Entry => ({
      ...PLAIN,
      id: `settings:${tab}`,
      group: "settings",
      title: t("page", { page: t(`tabs.${tab}`, { ns: "settings" }) }),
      also: english(`tabs.${tab}`),
      run: () => openOverlay({ kind: "settings", tab }),
    }));
  }, [t]);
}

function fileEntry(projectId: ProjectId, path: string): Entry {
  return {
    ...PLAIN,
    id: `file:${projectId} ${path}`,
    group: "files",
    title: path,
    rank: 1,
    run: () => openOverlay({ kind: "file", projectId, path, line: null }),
  };
}

/** Files of the project that what is typed finds; those before while they are asked for. */
export function useFiles(query: string, wanted: boolean): readonly Entry[] {
  const { projectId } = useHere();
  const [rested, setRested] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setRested(query), REST);
    return () => clearTimeout(timer);
  }, [query]);
  const sought = rested.trim();
  const { data } = useQuery({
    queryKey: ["paths", projectId, sought],
    queryFn: () => call("project_paths", { project_id: projectId!, query: sought, limit: MOST_FILES }),
    enabled: wanted && projectId !== null && sought !== "" && query.trim() !== "",
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return useMemo(() => {
    if (query.trim() === "" || projectId === null) return [];
    return (data ?? []).map(({ path }) => fileEntry(projectId, path));
  }, [data, projectId, query]);
}

/** Entries for what pages of the settings say, in either language. */
export function useSettingWords(query: string, wanted: boolean): readonly Entry[] {
  const { t } = useTranslation(["palette", "settings"]);
  const [loaded, setLoaded] = useState(false);
  const asked = wanted && query.trim() !== "";
  useEffect(() => {
    if (asked) void loadPages().then(() => setLoaded(true));
  }, [asked]);
  return useMemo(() => {
    if (!asked || !loaded) return [];
    return (findPages(query) ?? []).flatMap(({ tab, hint }): Entry[] => {
      if (hint === null) return [];
      const page = t("page", { page: t(`tabs.${tab}`, { ns: "settings" }) });
      const run = () => openOverlay({ kind: "settings", tab });
      return [{ ...PLAIN, id: `settings:${tab}`, group: "settings", title: page, hint, rank: 6, run }];
    });
  }, [t, asked, loaded, query]);
}

/** Of the last chosen those that are still there; a file is there while its project is. */
export function chosenOf(entries: readonly Entry[], ids: readonly string[], projectId: ProjectId | null): Entry[] {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const file = `file:${projectId} `;
  return ids.flatMap((id) => {
    const entry = id.startsWith(file) && projectId !== null ? fileEntry(projectId, id.slice(file.length)) : known.get(id);
    return entry ?? [];
  });
}

/** The entries that the query finds, best first, each once. */
export function find(entries: readonly Entry[], query: string): Entry[] {
  const found = entries
    .flatMap((entry) => {
      const scores = [score(query, entry.title), score(query, entry.also), entry.rank ?? null].filter((s) => s !== null);
      return scores.length === 0 ? [] : [{ entry, best: Math.max(...scores) }];
    })
    .sort((a, b) => b.best - a.best);
  const once = new Map<string, Entry>();
  for (const { entry } of found) if (!once.has(entry.id)) once.set(entry.id, entry);
  return [...once.values()].slice(0, MOST);
}
