// The acts behind connecting a model. A key passes through here on its way to the host and is kept nowhere.
import { call, toFailure, type FoundServer, type KeyShown, type ModelInfo, type Place, type ProviderItem, type ProviderRecord } from "@/ipc";

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

/** Adds a provider, or gives a connected one its new key; nothing is asked of it. */
export async function add(record: ProviderRecord, key: NewKey | null, known: readonly ProviderItem[]): Promise<Tested> {
  const earlier = connected(record, known);
  const provider = earlier?.name ?? freeName(record.name, known);
  if (!earlier) await call("provider_add", { ...record, name: provider });
  if (key === null) return { provider, models: [], key: earlier?.key ?? null };
  try {
    return { provider, models: [], key: await call("key_set", { provider, ...key }) };
  } catch (failure) {
    if (!earlier) await call("provider_remove", { name: provider });
    throw failure;
  }
}

/** The provider was there and could be asked, and its answer is no list of models. */
export class TestFailed extends Error {
  constructor(
    readonly failure: unknown,
    /** It was connected before, so its new key stays. */
    readonly stays: boolean,
  ) {
    super(toFailure(failure).message);
  }
}

/** Adds a provider and asks for its models. One that was not there before leaves nothing behind when that fails. */
export async function addAndTest(
  record: ProviderRecord,
  key: NewKey | null,
  known: readonly ProviderItem[],
): Promise<Tested> {
  const added = await add(record, key, known);
  try {
    return { ...added, models: await call("provider_models", { name: added.provider }) };
  } catch (failure) {
    const stays = connected(record, known) !== undefined;
    if (!stays) await call("provider_remove", { name: added.provider });
    throw new TestFailed(failure, stays);
  }
}

function freeName(wanted: string, known: readonly ProviderItem[]): string {
  const taken = (name: string) => name === "offline" || known.some((provider) => provider.name === name);
  let name = wanted;
  for (let n = 2; taken(name); n += 1) name = `${wanted} (${n})`;
  return name;
}
