// The words of each part of the settings, in both languages: what the search through the settings and the palette look at.
// Not in the index: the first picture needs none of it.
import { i18n, loadLanguage, type Language } from "@/shared/i18n";
import { contains } from "@/shared/match";
import { SETTINGS, type SettingsTab } from "./navigation";

/** Where a part's words stand: a name space, with a part of it or whole. */
const WORDS: Record<SettingsTab, readonly `${string}:${string}`[]> = {
  general: ["settings:general"],
  shortcuts: ["settings:shortcuts.hint", "actions:"],
  models: ["settings:models", "keys:connect", "keys:kept", "keys:place", "keys:vault"],
  tasks: ["toolSettings:tasks"],
  tools: [
    ...["on", "list", "effect", "effectHint", "commands", "rules", "limits"].map((part) => `toolSettings:${part}` as const),
    "tools:names",
    "tools:does",
    "skills:settings",
  ],
  servers: ["toolSettings:mcp"],
  spending: ["spending:"],
  memory: ["memory:page"],
  summaries: ["summaries:page", "summaries:policy", "summaries:policies", "summaries:rate"],
  recall: ["label", "page", "carry", "mode", "modeHint", "share", "scope", "meaning", "choose"].map((part) => `recall:${part}` as const),
  projects: ["settings:projects"],
  checkpoints: ["checkpoints:page", "sealing:"],
  remotes: ["remotes:hint", "remotes:kind", "remotes:field", "remotes:secret", "remotes:add"],
  privacy: ["settings:privacy"],
  network: ["settings:network"],
  left: ["egress:title", "egress:hint", "egress:home"],
  data: ["settings:data", "backups:title", "backups:hint", "backups:make", "backups:restore"],
  about: ["settings:about"],
};

const LANGUAGES: readonly Language[] = ["en", "ko"];

/** The words of the other language come when somebody first looks for something. */
export async function loadPages(): Promise<void> {
  await Promise.all(LANGUAGES.map(loadLanguage));
}

/** A part that was found, and the words in it that say so where neither its name nor its page's does. */
export interface FoundPage {
  tab: SettingsTab;
  named: boolean;
  hint: string | null;
}

/** The parts that say what is looked for, in either language, in their order; null where nothing is looked for. */
export function findPages(query: string): FoundPage[] | null {
  if (query.trim() === "") return null;
  const says = (place: string) => LANGUAGES.some((language) => leaves(language, place).some(([, text]) => contains(query, text)));
  return SETTINGS.flatMap(({ page, parts }): FoundPage[] => {
    const named = parts.filter((tab) => says(`settings:tabs.${tab}`));
    // Who types the name of a page that no part has for its own goes to its start.
    if (named.length === 0 && says(`settings:pages.${page}`)) named.push(parts[0]);
    return parts.flatMap((tab): FoundPage[] => {
      if (named.includes(tab)) return [{ tab, named: true, hint: null }];
      const hint = hintOf(tab, query);
      return hint === null ? [] : [{ tab, named: false, hint }];
    });
  });
}

/** The shortest words of a part that are found, as the language that is shown says them: labels before explanations. */
function hintOf(tab: SettingsTab, query: string): string | null {
  const found = WORDS[tab].flatMap((place) => {
    const here = new Map(leaves(i18n.language, place));
    const all = LANGUAGES.flatMap((language) => leaves(language, place));
    return all.filter(([, text]) => contains(query, text)).map(([path, text]) => here.get(path) ?? text);
  });
  return found.reduce<string | null>((best, text) => (best === null || text.length < best.length ? text : best), null);
}

/** Which of the parts that were found is shown first: one of that name, else the one with the shortest words. */
export function bestOf(found: readonly FoundPage[]): FoundPage | undefined {
  const length = ({ hint }: FoundPage) => hint?.length ?? 0;
  return found.toSorted((a, b) => Number(b.named) - Number(a.named) || length(a) - length(b))[0];
}

/** The texts below a place, each with its path; none while the language is on its way. */
function leaves(language: string, place: string): [string, string][] {
  const [namespace = "", path = ""] = place.split(":");
  const found: unknown = i18n.getResourceBundle(language, namespace) as unknown;
  const below = path.split(".").reduce<unknown>(
    (node, part) => (part === "" ? node : (node as Record<string, unknown> | undefined)?.[part]),
    found,
  );
  return textsOf(below, path);
}

function textsOf(node: unknown, path: string): [string, string][] {
  // What is filled in later cannot be looked for.
  if (typeof node === "string") return [[path, node.replaceAll(/\{\{.*?\}\}/g, "…")]];
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([part, child]) => textsOf(child, `${path}.${part}`));
}
