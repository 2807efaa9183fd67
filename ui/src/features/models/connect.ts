// The acts behind connecting a model. A key passes through here on its way to the host and is kept nowhere.
import { call, toFailure, type FoundServer, type KeyShown, type ModelInfo, type Place, type ProviderItem, type ProviderKind, type ProviderRecord } from "@/ipc";
import { makeDefault } from "./choosing";
import { isNobody } from "./words";

export type Kind = Exclude<ProviderKind, "offline">;

/** Where each format is spoken: at its maker's, or as people are used to write it. */
export const ADDRESSES: Readonly<Record<Kind, string>> = {
  openai: "http://127.0.0.1:8080/v1",
  anthropic: "https://api.anthropic.com/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta",
  ollama: "http://127.0.0.1:11434",
  agent: "claude-agent-acp",
};

/** Adds the server under its own name and makes its model the default. */
export async function connect(server: FoundServer, model: string): Promise<void> {
  const { name, kind, base_url } = server;
  await call("provider_add", { name, kind, base_url });
  await makeDefault({ provider: name, model });
}

export interface NewKey {
  key: string;
  place: Place;
}

export interface Tested {
  provider: string;
  models: ModelInfo[];
  key: KeyShown | null;
  /** The address that answered, where it is not the one that was written. */
  address: string | null;
}

/** Who was asked, and what came of it. */
export type Outcome = { record: ProviderRecord; models: ModelInfo[] } | { record: ProviderRecord; failure: unknown };

/** Asked when something is done: a list that was drawn before may still hold what a test had for a moment. */
export const nowConnected = (): Promise<ProviderItem[]> => call("provider_list");

/** The connected provider that speaks this format at this address. */
export function connected(record: ProviderRecord, known: readonly ProviderItem[]): ProviderItem | undefined {
  return known.find(({ kind, base_url }) => kind === record.kind && base_url === record.base_url);
}

/** What a server says at an address that is not its own: there is nothing, or something that is no list of models. */
const NOT_THERE: ReadonlySet<string> = new Set(["provider_refused", "provider_malformed", "model_not_found"]);

/** Whether somebody answered as such a server does, with models or with a reason to give none. */
const isThere = (outcome: Outcome) => "models" in outcome || !NOT_THERE.has(toFailure(outcome.failure).code);

/** The same server below `/v1`, where those of the common format listen; nothing where a path was written. */
function below(record: ProviderRecord): ProviderRecord | null {
  const { kind, base_url } = record;
  if (kind !== "openai" || !URL.canParse(base_url)) return null;
  const { origin, href } = new URL(base_url);
  return href === `${origin}/` ? { ...record, base_url: `${base_url}/v1` } : null;
}

/**
 * Asks for the models of a provider before it is kept. A server that is not at an address without a path is looked for
 * below it; `record` says where somebody was found.
 */
export async function test(record: ProviderRecord, key: string): Promise<Outcome> {
  const first = await ask(record, key);
  const other = isThere(first) ? null : below(record);
  if (!other) return first;
  const second = await ask(other, key);
  return isThere(second) ? second : first;
}

async function ask(record: ProviderRecord, key: string): Promise<Outcome> {
  try {
    return { record, models: await modelsOf(record, key) };
  } catch (failure) {
    return { record, failure };
  }
}

/** Without a key it is asked as it is connected; one that is not there yet leaves nothing behind when that fails. */
async function modelsOf(record: ProviderRecord, key: string): Promise<ModelInfo[]> {
  if (key !== "") return call("key_test", { record, key });
  const known = await nowConnected();
  const earlier = connected(record, known);
  if (earlier) return call("provider_models", { name: earlier.name });
  const { name } = await call("provider_add", { ...record, name: freeName(record.name, known) });
  try {
    return await call("provider_models", { name });
  } catch (failure) {
    await call("provider_remove", { name });
    throw failure;
  }
}

/** Connects a provider, or gives a connected one its new key. */
export async function keep(record: ProviderRecord, key: NewKey | null): Promise<Pick<Tested, "provider" | "key">> {
  const known = await nowConnected();
  const earlier = connected(record, known);
  const provider = earlier?.name ?? freeName(record.name, known);
  if (!earlier) await call("provider_add", { ...record, name: provider });
  if (key === null) return { provider, key: earlier?.key ?? null };
  try {
    return { provider, key: await call("key_set", { provider, ...key }) };
  } catch (failure) {
    if (!earlier) await call("provider_remove", { name: provider });
    throw failure;
  }
}

/** Providers are told apart by their names. */
export function isTaken(name: string, known: readonly ProviderItem[]): boolean {
  return isNobody(name) || known.some((provider) => provider.name === name);
}

function freeName(wanted: string, known: readonly ProviderItem[]): string {
  let name = wanted;
  for (let n = 2; isTaken(name, known); n += 1) name = `${wanted} (${n})`;
  return name;
}
