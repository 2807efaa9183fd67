// Vectors of the fake: every message of a conversation that is not in the trash gets one at once, unless the person
// stopped it or the allowance ends.
import type { Commands, EmbedderChoice, MeaningPlan, MeaningState, Settings } from "../bindings";
import * as keys from "./keys";
import { failure, textOf, tokensOf, type State } from "./state";

type Handlers = {
  [C in keyof Commands as C extends `meaning_${string}` ? C : never]: (
    request: Commands[C]["request"],
  ) => Commands[C]["reply"];
};

export const SETTINGS: Pick<Settings, "meaning"> = { meaning: { embedder: null, most_tokens: null, stopped: false } };

const FOLDER = "/home/ada/.local/share/siltstone/models";
/** Billionths of a dollar for a token. */
const PRICE = 20;
const VECTOR = 388;

export function handlers(state: State): Handlers {
  const set = (meaning: Settings["meaning"]): MeaningState => {
    state.settings = { ...state.settings, meaning };
    state.emit({ type: "settings" }, { type: "meaning" });
    return told(state);
  };
  const plan = (embedder: EmbedderChoice): MeaningPlan => {
    const { messages, tokens } = readable(state);
    const home = isHome(state, embedder);
    return { home, messages, tokens, cost: home ? 0 : tokens * PRICE };
  };
  return {
    meaning_state: () => told(state),
    meaning_models: ({ name }) => {
      const known = state.providers.find((provider) => provider.name === name);
      if (!known) throw failure("not_found", `provider ${name}`);
      return state.options.embedders?.[name] ?? [];
    },
    meaning_plan: ({ embedder }) => plan(embedder),
    meaning_choose: ({ embedder, most_tokens }) => {
      const home = embedder === null || isHome(state, embedder);
      if (!home && most_tokens === null) throw failure("bad_request", "texts would leave this computer");
      if (!home && state.settings.this_computer_only) throw failure("provider_not_local", "not on this computer");
      return set({ embedder, most_tokens: home ? null : most_tokens, stopped: false });
    },
    meaning_rebuild: () => set({ ...state.settings.meaning, stopped: false }),
    meaning_stop: () => set({ ...state.settings.meaning, stopped: true }),
    meaning_resume: () => set({ ...state.settings.meaning, stopped: false }),
  };
}

function isHome(state: State, embedder: EmbedderChoice): boolean {
  if (embedder.by === "local") return true;
  const known = state.providers.find(({ name }) => name === embedder.provider);
  return known !== undefined && keys.isLocal(known.base_url);
}

function readable(state: State): { messages: number; tokens: number } {
  const open = [...state.conversations.values()].filter(({ deleted_at }) => deleted_at === null);
  const texts = open.flatMap(({ messages }) => [...messages.values()].map(textOf));
  return { messages: texts.length, tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0) };
}

function told(state: State): MeaningState {
  const { embedder, most_tokens, stopped } = state.settings.meaning;
  const { messages, tokens } = readable(state);
  const home = embedder === null || isHome(state, embedder);
  const over = most_tokens !== null && tokens > most_tokens;
  const done = embedder === null || stopped || over ? 0 : messages;
  return {
    embedder,
    home,
    local: state.options.localEmbedders ?? [],
    folder: FOLDER,
    done,
    all: messages,
    bytes: done * VECTOR,
    tokens: home ? 0 : Math.min(tokens, most_tokens ?? 0),
    most_tokens,
    running: false,
    halted: embedder === null ? null : stopped ? { why: "stopped" } : over ? { why: "limit" } : null,
  };
}
