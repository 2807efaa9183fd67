// Language, theme, density, size, notifications.
import { Minus, Plus } from "lucide-react";
import type { Language, Theme } from "@/ipc";
import { setDensity, useDensity, type Density } from "@/shared/density";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, IconButton, Select, Switch } from "@/shared/kit";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

const STEP = 10;

export function GeneralPage() {
  const { t } = useTranslation("settings");
  const { settings, change } = useSettings();
  const density = useDensity((now) => now.density);
  if (!settings) return null;
  const { language, theme, zoom, notify } = settings;
  return (
    <div className={css.page}>
      <Select<Language>
        label={t("general.language")}
        value={language}
        onChange={(next) => change({ language: next })}
        options={[
          { value: "system", label: t("general.system") },
          { value: "ko", label: t("general.korean") },
          { value: "en", label: t("general.english") },
        ]}
      />
      <Select<Theme>
        label={t("general.theme")}
        value={theme}
        onChange={(next) => change({ theme: next })}
        options={[
          { value: "system", label: t("general.system") },
          { value: "light", label: t("general.light") },
          { value: "dark", label: t("general.dark") },
        ]}
      />
      <Select<Density>
        label={t("general.density")}
        value={density}
        onChange={setDensity}
        options={[
          { value: "comfortable", label: t("general.comfortable") },
          { value: "compact", label: t("general.compact") },
        ]}
      />
      <div className={css.zoom} role="group" aria-labelledby="settings-zoom">
        <span id="settings-zoom" className={css.label}>
          {t("general.zoom")}
        </span>
        <IconButton
          label={t("general.smaller")}
          icon={<Minus aria-hidden />}
          disabled={zoom <= 50}
          onClick={() => change({ zoom: Math.max(50, zoom - STEP) })}
        />
        <output className={css.percent} data-numeric>
          {formatNumber(zoom)} %
        </output>
        <IconButton
          label={t("general.larger")}
          icon={<Plus aria-hidden />}
          disabled={zoom >= 200}
          onClick={() => change({ zoom: Math.min(200, zoom + STEP) })}
        />
        <Button variant="quiet" disabled={zoom === 100} onClick={() => change({ zoom: 100 })}>
          {t("general.zoomReset")}
        </Button>
      </div>
      <Switch
        label={t("general.notify")}
        description={t("general.notifyHint")}
        checked={notify}
        onChange={(next) => change({ notify: next })}
      />
    </div>
  );
}
