// Applies the settings to the window the moment they change: language, theme, size.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { setZoom } from "@/ipc";
import { queries } from "@/ipc/queries";
import { setLanguage } from "@/shared/i18n";

export function useApplySettings(systemLanguage: string): void {
  const { data } = useQuery(queries.settings());
  const language = data?.language ?? "system";
  const theme = data?.theme ?? "system";
  const zoom = data?.zoom ?? 100;
  useEffect(() => {
    // The host knows the system's language better than the web view does.
    const system = systemLanguage === "ko" ? "ko" : "en";
    setLanguage(language === "system" ? system : language);
  }, [language, systemLanguage]);
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    void setZoom(zoom / 100);
  }, [zoom]);
}
