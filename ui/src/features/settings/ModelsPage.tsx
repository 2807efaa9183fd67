// The providers that are connected, their test and default, and the ways to connect another.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { AddServer, FoundServers, useProviderName } from "@/features/models";
import { call, type ModelInfo, type ProviderItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Select, Spinner } from "@/shared/kit";
import css from "./settings.module.css";

export function ModelsPage() {
  const { t } = useTranslation("settings");
  const providers = useQuery(queries.providers());
  return (
    <div className={css.page}>
      <section aria-labelledby="settings-connected">
        <h3 id="settings-connected" className={css.heading}>
          {t("models.connected")}
        </h3>
        {providers.isError && <ErrorNotice failure={providers.error} />}
        <ul>
          {providers.data?.map((provider) => (
            <Provider key={provider.name} provider={provider} />
          ))}
        </ul>
      </section>
      <FoundServers onlyNew />
      <AddServer />
    </div>
  );
}

type Testing = { state: "idle" | "asking" } | { state: "ok"; models: ModelInfo[] };

function Provider({ provider }: { provider: ProviderItem }) {
  const { t } = useTranslation("settings");
  const client = useQueryClient();
  const name = useProviderName()(provider.name);
  const [testing, setTesting] = useState<Testing>({ state: "idle" });
  const [failure, setFailure] = useState<unknown>(null);
  const [removing, setRemoving] = useState(false);
  const offline = provider.kind === "offline";
  const isDefault = provider.default_model !== null;

  const test = async () => {
    setFailure(null);
    setTesting({ state: "asking" });
    try {
      const options = { ...queries.models(provider.name), staleTime: 0 };
      setTesting({ state: "ok", models: await client.fetchQuery(options) });
    } catch (thrown) {
      setTesting({ state: "idle" });
      setFailure(thrown);
    }
  };
  const use = (model: string) => {
    setFailure(null);
    call("provider_default", { provider: provider.name, model }).catch(setFailure);
  };
  const remove = () => {
    setRemoving(false);
    call("provider_remove", { name: provider.name }).catch(setFailure);
  };
  return (
    <li className={css.item}>
      <div className={css.itemText}>
        <span className={css.itemName}>
          {name}
          {isDefault && (
            <span className={css.tag}>
              <Check size={12} aria-hidden /> {t("models.isDefault")}
            </span>
          )}
        </span>
        <span className={css.muted}>
          {offline ? t("models.offlineHint") : (provider.default_model ?? provider.base_url)}
        </span>
      </div>
      <div className={css.itemActs}>
        {testing.state === "asking" && <Spinner label={t("models.testing", { name })} />}
        {offline
          ? !isDefault && <Button onClick={() => use(provider.name)}>{t("models.use")}</Button>
          : testing.state !== "ok" && (
              <Button aria-label={t("models.testOne", { name })} onClick={() => void test()}>
                {t("models.test")}
              </Button>
            )}
        {!offline && (
          <Button variant="quiet" aria-label={t("models.removeOne", { name })} onClick={() => setRemoving(true)}>
            {t("models.remove")}
          </Button>
        )}
      </div>
      {testing.state === "ok" && testing.models.length === 0 && <p className={css.wide}>{t("models.none")}</p>}
      {testing.state === "ok" && testing.models.length > 0 && (
        <div className={css.wide}>
          <Select
            label={t("models.answers", { count: testing.models.length })}
            value={provider.default_model ?? ""}
            onChange={use}
            options={[
              ...(isDefault ? [] : [{ value: "", label: t("models.choose"), disabled: true }]),
              ...testing.models.map(({ id, context_window }) => ({
                value: id,
                label: id,
                hint: context_window === null ? undefined : formatTokens(context_window),
              })),
            ]}
          />
        </div>
      )}
      {failure !== null && (
        <div className={css.wide}>
          <ErrorNotice failure={failure} />
        </div>
      )}
      <Dialog
        open={removing}
        onClose={() => setRemoving(false)}
        title={t("models.removeConfirm", { name })}
        description={t("models.removeText")}
        footer={
          <>
            <Button onClick={() => setRemoving(false)}>{t("cancel", { ns: "common" })}</Button>
            <Button variant="danger" onClick={remove}>
              {t("models.remove")}
            </Button>
          </>
        }
      />
    </li>
  );
}
