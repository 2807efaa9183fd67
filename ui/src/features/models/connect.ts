// The acts behind connecting a model. A key passes through here on its way to the host and is kept nowhere.
import { call, type FoundServer, type KeyShown, type ModelInfo, type Place, type ProviderItem, type ProviderRecord } from "@/ipc";

/** Adds the server under its own name and makes its model the default. */
export async function connect(server: FoundServer, model: string): Promise<void> {
  const { name, kind, base_url } = server;
  await call("provider_add", { name, kind, base_url });
  await call("provider_default", { provider: name, model });
}

export interface NewKey {
  key: string;
  place: Place;
}

export interface Tested {
  provider: string;
  models: ModelInfo[];
  key: KeyShown | null;
}

/** The connected provider that speaks this format at this address. */
export function connected(record: ProviderRecord, known: readonly ProviderItem[]): ProviderItem | undefined {
  return known.find(({ kind, base_url }) => kind === record.kind && base_url === record.base_url);
}

/**
 * Asks for the models of a provider with a key, before either is kept. Without a key it is asked as it is connected;
 * one that is not there yet leaves nothing behind when that fails.
 */
export async function test(record: ProviderRecord, key: string, known: readonly ProviderItem[]): Promise<ModelInfo[]> {
  if (key !== "") return call("key_test", { record, key });
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
export async function keep(
  record: ProviderRecord,
  key: NewKey | null,
  known: readonly ProviderItem[],
): Promise<Omit<Tested, "models">> {
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

function freeName(wanted: string, known: readonly ProviderItem[]): string {
  const taken = (name: string) => name === "offline" || known.some((provider) => provider.name === name);
  let name = wanted;
  for (let n = 2; taken(name); n += 1) name = `${wanted} (${n})`;
  return name;
}
