// Language of the interface: one JSON per feature and language. A language comes from the bundle when it is first wanted,
// in two pieces: what the first picture may say, and, in later/, what is said by all that is opened after it. The other
// language costs nothing. The app calls setLanguage with the person's setting; until then the
// system's language is used. Components call useTranslation("<namespace>") from here.
import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export { useTranslation } from "react-i18next";
export { i18next as i18n };
export * from "./format";

export type Language = "en" | "ko";
export type LanguageChoice = Language | "system";

type Piece = () => Promise<{ default: Record<string, Record<string, unknown>> }>;

/** The words of the first picture, and those of all that is opened after it. */
const pieces: Record<Language, Record<"first" | "later", Piece>> = {
  en: { first: () => import("./en"), later: () => import("./en/later") },
  ko: { first: () => import("./ko"), later: () => import("./ko/later") },
};

const loading = new Map<Piece, Promise<void>>();
const ready = new Set<Language>();
let wanted: Language = systemLanguage();

/** Makes a language ready: switching to it is instant then. */
export async function loadLanguage(language: Language): Promise<void> {
  await Promise.all([firstWords(language), laterWords(language)]);
  ready.add(language);
}

/** Words without which nothing can be drawn. */
export function firstWords(language: Language): Promise<void> {
  return load(language, pieces[language].first);
}

/** Words of what is opened after the first picture, in the language that is shown. */
export function laterWords(language = i18next.language as Language): Promise<void> {
  return load(language, pieces[language].later);
}

function load(language: Language, piece: Piece): Promise<void> {
  const known = loading.get(piece);
  if (known) return known;
  const now = piece().then(({ default: files }) => {
    for (const [path, strings] of Object.entries(files)) {
      i18next.addResourceBundle(language, path.slice("./".length, -".json".length), strings);
    }
  });
  loading.set(piece, now);
  return now;
}

export function systemLanguage(): Language {
  return navigator.languages[0]?.toLowerCase().startsWith("ko") ? "ko" : "en";
}

export function setLanguage(choice: LanguageChoice): void {
  const language = choice === "system" ? systemLanguage() : choice;
  wanted = language;
  const change = () => {
    // The person may have chosen again meanwhile.
    if (wanted === language) void i18next.changeLanguage(language);
  };
  if (ready.has(language)) change();
  else void loadLanguage(language).then(change);
}

i18next.on("languageChanged", (language) => {
  document.documentElement.lang = language;
});

void i18next.use(initReactI18next).init({
  lng: wanted,
  fallbackLng: "en",
  resources: {},
  defaultNS: "common",
  initAsync: false,
  interpolation: { escapeValue: false },
  returnNull: false,
});
