// Below the question: who answers, and the server or the agent on this computer that could.
import { useQuery } from "@tanstack/react-query";
import { tellFailure } from "@/features/errors";
import { connect, firstToAsk, modelName, useModelNames, useProviderName } from "@/features/models";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import css from "./start.module.css";

export function InUse() {
  const { t } = useTranslation("start");
  const providerName = useProviderName();
  const { alone } = useModelNames();
  const { data } = useQuery(queries.settings());
  const servers = useQuery(queries.discover()).data ?? [];
  if (!data) return <p className={css.inUse} />;
  if (data.default_provider !== "offline") {
    const provider = providerName(data.default_provider);
    const model = alone(data.default_model, data.default_provider);
    return <p className={css.inUse}>{t("using", { model: model === provider ? model : `${model} (${provider})` })}</p>;
  }
  const server = servers.find(({ models }) => firstToAsk(models));
  const model = server && firstToAsk(server.models)?.id;
  return (
    <p className={css.inUse}>
      {t("usingOffline")}
      {server && model !== undefined && (
        <Button variant="quiet" onClick={() => void connect(server, model).catch(tellFailure)}>
          {server.kind === "agent" ? t("useAgent", { name: server.name }) : t("useFound", { name: server.name, model: modelName(model) })}
        </Button>
      )}
    </p>
  );
}
