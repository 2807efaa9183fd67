// Applies the settings to the window the moment they change: language, theme and density. The host applies the text size.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queries } from "@/ipc/queries";
import { useDensity } from "@/shared/density";
import { setLanguage } from "@/shared/i18n";

export function useApplySettings(systemLanguage: string): void {
  const { data } = useQuery(queries.settings());
  const language = data?.language ?? "system";
  const theme = data?.theme ?? "system";
  useEffect(() => {
    // The host knows the system's language better than the web view does.
    const system = systemLanguage === "ko" ? "ko" : "en";
    setLanguage(language === "system" ? system : language);
  }, [language, systemLanguage]);
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  const density = useDensity((now) => now.density);
  useEffect(() => {
    document.documentElement.dataset.density = density;
  }, [density]);
}
