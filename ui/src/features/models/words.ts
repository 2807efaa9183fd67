// What providers, wire formats and the places of keys are called.
import { useQuery } from "@tanstack/react-query";
import type { AgentCommand, AgentMode, KeyShown, Place, ProjectId, ProviderKind, Tuning } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";

/** Nobody was asked: ours quotes, or the reply was recorded for the sample. */
export function isNobody(provider: string): boolean {
  return provider === "offline" || provider === "sample";
}

/** The offline one has words; every other is called what the person or its server calls it. */
export function useProviderName(): (name: string) => string {
  const { t } = useTranslation("keys");
  return (name) => (name === "offline" ? t("offline") : name === "sample" ? t("recorded") : name);
}

/** A model's name as it is shown. Servers of local files call a model by its path; the file's name says enough. */
export function modelName(id: string): string {
  const path = /^(?:\/|[A-Za-z]:\\)/.test(id);
  return path ? (id.split(/[\\/]/).at(-1) ?? id) : id;
}

/** The model of an agent that chooses one by itself. */
export const OWN_MODEL = "default";

/** Whether a provider of this name is connected and is an agent. */
export function useIsAgent(): (provider: string) => boolean {
  const { data } = useQuery(queries.providers());
  return (provider) => data?.some(({ name, kind }) => name === provider && kind === "agent") ?? false;
}

/** What an agent offers beside its models. */
interface Offers {
  commands: readonly AgentCommand[];
  modes: readonly AgentMode[];
}

// The same each time: what is made of it is made once.
const NO_COMMANDS: AgentCommand[] = [];

/**
 * What an agent offers beside its models where a conversation is, as far as it told: in the project, or else in the one of
 * which that is a copy, or else outside of any, where it works when a project is not trusted.
 */
export function useOffers(): (agent: string, project: ProjectId | null) => Offers {
  const { data: providers } = useQuery(queries.providers());
  const { data: projects } = useQuery(queries.projects());
  return (agent, projectId) => {
    const known = providers?.find(({ name }) => name === agent)?.offers ?? [];
    const project = projects?.find(({ id, trust }) => id === projectId && trust === "trusted");
    const places = [project?.id, project?.copy?.project, null].filter((place) => place !== undefined);
    const told = places.map((place) => known.find(({ project_id }) => project_id === place)?.told);
    return {
      commands: told.find((it) => it?.commands)?.commands ?? NO_COMMANDS,
      modes: told.find((it) => it?.modes)?.modes ?? [],
    };
  };
}

/** The mode that was chosen for this agent; one that was chosen for another says nothing of it. */
export function modeOf({ mode }: Tuning, agent: string): string | null {
  return mode?.agent === agent ? mode.id : null;
}

/** A mode by the name that the agent gives it, where it tells of it. */
export function modeName({ modes }: Offers, id: string): string {
  return modes.find((mode) => mode.id === id)?.name || id;
}

/** Models whose provider is known: an agent that chooses its model by itself has no name for it. */
export function useModelNames() {
  const { t } = useTranslation("keys");
  const isAgent = useIsAgent();
  const isOwn = (model: string, provider: string) => model === OWN_MODEL && isAgent(provider);
  return {
    /** Where its provider is not named beside it. */
    alone: (model: string, provider: string): string => (isOwn(model, provider) ? provider : modelName(model)),
    /** Beside the name of its provider, whole. */
    beside: (model: string, provider: string): string => (isOwn(model, provider) ? t("ownModel") : model),
  };
}

/** Names of products, the same in every language. */
const PRODUCTS = { anthropic: "Anthropic", gemini: "Gemini", ollama: "Ollama" } as const;

export function useKindName(): (kind: Exclude<ProviderKind, "offline">) => string {
  const { t } = useTranslation("keys");
  return (kind) => (kind === "openai" ? t("compatible") : kind === "agent" ? t("agent") : PRODUCTS[kind]);
}

export function useKeyWords(): { place: (place: Place) => string; shown: (key: KeyShown) => string } {
  const { t } = useTranslation("keys");
  const place = (place: Place) => t(`kept.${place}`);
  return {
    place,
    shown: (key) => (key.last_four === "" ? place(key.place) : `${place(key.place)} · …${key.last_four}`),
  };
}
