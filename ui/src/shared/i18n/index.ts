// Language of the interface: one JSON per feature and language, all in the bundle, so a switch is
// instant and nothing is fetched. The app calls setLanguage with the person's setting; until then
// the system's language is used. Components call useTranslation("<namespace>") from here.
import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export { useTranslation } from "react-i18next";
export { i18next as i18n };
export * from "./format";

export type Language = "en" | "ko";
export type LanguageChoice = Language | "system";

const files = import.meta.glob<Record<string, unknown>>("./{en,ko}/*.json", {
  eager: true,
  import: "default",
});

const resources: Record<Language, Record<string, Record<string, unknown>>> = { en: {}, ko: {} };
for (const [path, strings] of Object.entries(files)) {
  const [, language, namespace] = path.split("/");
  if (language === "en" || language === "ko") {
    resources[language][namespace!.replace(".json", "")] = strings;
  }
}

export function systemLanguage(): Language {
  return navigator.languages[0]?.toLowerCase().startsWith("ko") ? "ko" : "en";
}

export function currentLanguage(): Language {
  return i18next.language === "ko" ? "ko" : "en";
}

export function setLanguage(choice: LanguageChoice): void {
  void i18next.changeLanguage(choice === "system" ? systemLanguage() : choice);
}

i18next.on("languageChanged", (language) => {
  document.documentElement.lang = language;
});

void i18next.use(initReactI18next).init({
  lng: systemLanguage(),
  fallbackLng: "en",
  resources,
  ns: Object.keys(resources.en),
  defaultNS: "common",
  initAsync: false,
  interpolation: { escapeValue: false },
  returnNull: false,
});
