// What the palette offers: actions, conversations, pages of the settings; one list, best first.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
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
  usePlace,
  useRegistry,
} from "@/app/actions";
import { useCheckpoints, useCheckpointWords } from "@/features/checkpoints";
import { useTitle } from "@/features/conversations";
import { startOf } from "@/features/memory";
import { queries } from "@/ipc/queries";
import { formatDay, i18n, useTranslation } from "@/shared/i18n";
import { score } from "./match";

export interface Entry {
  id: string;
  group: "actions" | "conversations" | "memory" | "checkpoints" | "settings";
  title: string;
  /** Further words that find it. */
  also: string;
  hint: string;
  chord: string;
  /** Why it cannot be run now. */
  disabled: string | null;
  run: () => void;
}

const MOST = 50;

export function useEntries(mode: "all" | "conversations"): readonly Entry[] {
  const { t } = useTranslation(["actions", "settings", "palette", "memory"]);
  const titleOf = useTitle();
  const registered = useRegistry();
  const keys = useQuery(queries.settings()).data?.keys;
  const { data: conversations } = useQuery(queries.conversations(null));
  const { data: projects } = useQuery(queries.projects());
  const conversationId = usePlace((place) => place.conversationId);
  const shown = usePlace((place) => place.projectId);
  const open = conversations?.find(({ id }) => id === conversationId);
  const projectId = open ? open.project_id : shown;
  const at = { project_id: projectId, conversation_id: conversationId, dir: null };
  const { data: memory } = useQuery({ ...queries.memory(at), enabled: mode === "all" });
  const { items: checkpoints } = useCheckpoints(mode === "all" ? projectId : null);
  const words = useCheckpointWords();
  return useMemo(() => {
    const english = i18n.getFixedT("en");
    const talks = (conversations ?? []).map((item): Entry => {
      const project = projects?.find(({ id }) => id === item.project_id)?.name;
      const day = formatDay(Date.parse(item.updated_at));
      return {
        id: `conversation:${item.id}`,
        group: "conversations",
        title: titleOf(item),
        also: project ?? "",
        hint: project ? `${project}, ${day}` : day,
        chord: "",
        disabled: null,
        run: () => goToConversation(item),
      };
    });
    if (mode === "conversations") return talks;
    const actions = ACTIONS.filter(({ id }) => id !== "palette").map(({ id }): Entry => {
      const found = registered[id];
      return {
        id: `action:${id}`,
        group: "actions",
        title: t(id, { ns: "actions" }),
        also: english(id, { ns: "actions" }),
        hint: "",
        chord: chordFor(id, keys ?? {}),
        disabled: found ? found.disabled : t("unavailable", { ns: "actions" }),
        run: () => {
          closeOverlay();
          runAction(id);
        },
      };
    });
    const place = { projectId, conversationId };
    const said = { group: "memory" as const, also: "memory 메모리", chord: "", disabled: null };
    const files = (memory?.files ?? []).map((file): Entry => ({
      ...said,
      id: `memory:${file.path}`,
      title: file.path,
      hint: t(`layers.${file.layer}`, { ns: "memory" }),
      run: () => goToMemory(place, file.path),
    }));
    const lines = (memory?.lines ?? []).map((line): Entry => ({
      ...said,
      id: `memory:${line.id}`,
      title: startOf(line.text),
      hint: t("palette.line", { ns: "memory" }),
      run: () => goToMemoryLine(place, line.id),
    }));
    const moments = checkpoints.map((item): Entry => ({
      id: `checkpoint:${item.id}`,
      group: "checkpoints",
      title: words.name(item),
      also: "checkpoint 체크포인트",
      hint: words.when(item),
      chord: "",
      disabled: null,
      run: () => goToCheckpoints({ projectId: projectId!, conversationId }, item.id),
    }));
    const pages = SETTINGS.flatMap(({ tabs }) => tabs).map((tab): Entry => ({
      id: `settings:${tab}`,
      group: "settings",
      title: `${t("title", { ns: "settings" })}: ${t(`tabs.${tab}`, { ns: "settings" })}`,
      also: english(`tabs.${tab}`, { ns: "settings" }),
      hint: "",
      chord: "",
      disabled: null,
      run: () => openOverlay({ kind: "settings", tab }),
    }));
    return [...actions, ...talks, ...files, ...lines, ...moments, ...pages];
    // titleOf and words change with t alone.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [t, registered, keys, conversations, projects, memory, checkpoints, projectId, conversationId, mode]);
}

/** The entries that the query finds, best first; all of them, in their order, for an empty query. */
export function find(entries: readonly Entry[], query: string): Entry[] {
  if (query.trim() === "") return entries.slice(0, MOST);
  return entries
    .flatMap((entry) => {
      const scores = [score(query, entry.title), score(query, entry.also)].filter((s) => s !== null);
      return scores.length === 0 ? [] : [{ entry, best: Math.max(...scores) }];
    })
    .sort((a, b) => b.best - a.best)
    .slice(0, MOST)
    .map(({ entry }) => entry);
}
