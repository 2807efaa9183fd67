// The providers that are connected, and the ways to connect another.
import { useQuery } from "@tanstack/react-query";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { Connect, FoundServers } from "@/features/models";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import { ProviderEntry } from "./ProviderEntry";
import css from "./settings.module.css";

/** `provider` is the one whose key is to be entered. */
export function ModelsPage({ provider: wanted }: { provider?: string }) {
  const { t } = useTranslation("settings");
  const providers = useQuery(queries.providers());
  const only = useQuery(queries.settings()).data?.this_computer_only ?? false;
  return (
    <div className={css.page}>
      {only && (
        <Notice
          actions={
            <Button onClick={() => openOverlay({ kind: "settings", tab: "privacy" })}>{t("tabs.privacy")}</Button>
          }
        >
          {t("privacy.on")}
        </Notice>
      )}
      <section aria-labelledby="settings-connected">
        <h4 id="settings-connected" className={css.heading}>
          {t("models.connected")}
        </h4>
        {providers.isError && <ErrorNotice failure={providers.error} />}
        <ul>
          {providers.data?.map((provider) => (
            <ProviderEntry
              key={`${provider.name}${provider.name === wanted ? " wanted" : ""}`}
              provider={provider}
              enterKey={provider.name === wanted}
            />
          ))}
        </ul>
      </section>
      <section aria-labelledby="settings-connect">
        <h4 id="settings-connect" className={css.heading}>
          {t("models.connect")}
        </h4>
        <Connect />
      </section>
      <FoundServers onlyNew />
    </div>
  );
}
