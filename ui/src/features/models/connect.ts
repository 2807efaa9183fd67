// The acts behind connecting a model, and what a provider is called.
import { call, type DefaultModel, type FoundServer, type ProviderItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";

/** Adds the server under its own name and makes its model the default. */
export async function connect(server: FoundServer, model: string): Promise<void> {
  const { name, base_url } = server;
  await call("provider_add", { name, kind: "openai", base_url });
  await call("provider_default", { provider: name, model });
}

export interface Tested {
  provider: string;
  models: DefaultModel[];
}

/** Adds a server by its address and asks for its models; leaves nothing behind when that fails. */
export async function addAndTest(base_url: string, known: readonly ProviderItem[]): Promise<Tested> {
  const earlier = known.find((provider) => provider.base_url === base_url);
  const provider = earlier?.name ?? freeName(base_url, known);
  if (!earlier) await call("provider_add", { name: provider, kind: "openai", base_url });
  try {
    const models = await call("provider_models", { name: provider });
    return { provider, models: models.map(({ id }) => ({ provider, model: id })) };
  } catch (failure) {
    if (!earlier) await call("provider_remove", { name: provider });
    throw failure;
  }
}

function freeName(base_url: string, known: readonly ProviderItem[]): string {
  const host = URL.canParse(base_url) ? new URL(base_url).host : base_url;
  const taken = (name: string) => known.some((provider) => provider.name === name);
  let name = host;
  for (let n = 2; taken(name); n += 1) name = `${host} (${n})`;
  return name;
}

/** The offline one has words; every other is called what the person or its server calls it. */
export function useProviderName(): (name: string) => string {
  const { t } = useTranslation("settings");
  return (name) => (name === "offline" ? t("models.offline") : name);
}
