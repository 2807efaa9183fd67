// Language of the interface: one JSON per feature and language. A language comes as one piece when it is first wanted,
// from the bundle; the other one costs nothing. The app calls setLanguage with the person's setting; until then the
// system's language is used. Components call useTranslation("<namespace>") from here.
import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export { useTranslation } from "react-i18next";
export { i18next as i18n };
export * from "./format";

export type Language = "en" | "ko";
export type LanguageChoice = Language | "system";

const pieces = { en: () => import("./en"), ko: () => import("./ko") };

const loading: Partial<Record<Language, Promise<void>>> = {};
const ready = new Set<Language>();
let wanted: Language = systemLanguage();

/** Makes a language ready: switching to it is instant then. */
export function loadLanguage(language: Language): Promise<void> {
  return (loading[language] ??= load(language));
}

async function load(language: Language): Promise<void> {
  const { default: files } = await pieces[language]();
  for (const [path, strings] of Object.entries(files)) {
    i18next.addResourceBundle(language, path.slice("./".length, -".json".length), strings);
  }
  ready.add(language);
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
