// What providers, wire formats and the places of keys are called.
import type { KeyShown, Place, ProviderKind } from "@/ipc";
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

/** Names of products, the same in every language. */
const PRODUCTS = { anthropic: "Anthropic", gemini: "Gemini", ollama: "Ollama" } as const;

export function useKindName(): (kind: Exclude<ProviderKind, "offline">) => string {
  const { t } = useTranslation("keys");
  return (kind) => (kind === "openai" ? t("compatible") : PRODUCTS[kind]);
}

export function useKeyWords(): { place: (place: Place) => string; shown: (key: KeyShown) => string } {
  const { t } = useTranslation("keys");
  const place = (place: Place) => t(`kept.${place}`);
  return {
    place,
    shown: (key) => (key.last_four === "" ? place(key.place) : `${place(key.place)} · …${key.last_four}`),
  };
}
