// Providers of the fake and who answers at their addresses: servers of this computer, and hosted ones that want a key.
import type { ModelInfo, ProviderItem, ProviderRecord, Settings } from "../bindings";
import * as keys from "./keys";
import { listed } from "./model";
import { failure, isFailure, type State } from "./state";

function record(state: State, name: string): ProviderRecord {
  const found = state.providers.find((provider) => provider.name === name);
  if (!found) throw failure("not_found", `provider ${name}`);
  return found;
}

export function item(state: State, name: string): ProviderItem {
  const found = record(state, name);
  const { default_provider, default_model } = state.settings;
  return {
    ...found,
    default_model: default_provider === name ? default_model : null,
    key: keys.shown(state, found),
    needs_key: keys.needed(found),
  };
}

export function list(state: State): ProviderItem[] {
  return state.providers.map(({ name }) => item(state, name));
}

function allowed({ settings }: State, { base_url, kind }: ProviderRecord): void {
  if (kind === "offline" || keys.isLocal(base_url)) return;
  if (!URL.canParse(base_url)) throw failure("bad_request", "not an address");
  if (settings.this_computer_only) throw failure("provider_not_local", `${base_url} is not on this computer`);
  if (!base_url.startsWith("https:")) throw failure("provider_insecure", `${base_url} is not encrypted`);
}

export function add(state: State, wanted: ProviderRecord): ProviderItem {
  allowed(state, wanted);
  state.providers = [...state.providers.filter(({ name }) => name !== wanted.name), wanted];
  state.emit({ type: "providers" });
  return item(state, wanted.name);
}

export function remove(state: State, name: string, set: (settings: Settings) => Settings): null {
  const found = record(state, name);
  if (found.kind === "offline") throw failure("bad_request", "it is built in");
  keys.remove(state, found);
  state.providers = state.providers.filter((provider) => provider !== found);
  if (state.settings.default_provider === name) {
    set({ ...state.settings, default_provider: "offline", default_model: "offline" });
  }
  state.emit({ type: "providers" });
  return null;
}

export function models(state: State, name: string): ModelInfo[] {
  const found = record(state, name);
  if (found.kind === "offline") return [listed("offline")];
  return answering(state, found, keys.fetched(state, found));
}

/** The models a server lists to whoever has this key. */
export function answering(state: State, found: ProviderRecord, key: string | null): ModelInfo[] {
  allowed(state, found);
  const hosted = state.options.hosted?.find(({ base_url }) => base_url === found.base_url);
  if (hosted) {
    if (key !== hosted.key) throw failure("key_refused", "401 invalid x-api-key");
    return hosted.models;
  }
  const server = state.options.servers?.find(({ base_url }) => base_url === found.base_url);
  if (!server) throw failure("provider_unreachable", `cannot reach ${found.base_url}`);
  return server.models;
}

/** What its server says of a model. */
export function knownModel(state: State, provider: string, model: string): ModelInfo | undefined {
  const { base_url } = record(state, provider);
  const { hosted = [], servers = [] } = state.options;
  const home = [...hosted, ...servers].find((place) => place.base_url === base_url);
  return home?.models.find(({ id }) => id === model);
}

/** Why a provider would not answer now. */
export function fault(state: State, name: string): { code: string; message: string } | null {
  try {
    models(state, name);
    return null;
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown;
    return { code: thrown.code, message: thrown.message };
  }
}
