// Servers that answer on this computer and agents that are on it, each one press away.
import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import type { FoundServer } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, IconButton, quiet, Select, Spinner } from "@/shared/kit";
import { firstToAsk } from "./choosing";
import { connect } from "./connect";
import { ModelFacts, useFacts } from "./facts";
import css from "./models.module.css";
import { useKindName, useModelNames } from "./words";

export interface FoundServersProps {
  /** Leaves out the servers that are connected already. */
  onlyNew?: boolean;
  /** Where it leads once one is connected; nothing where the person stays. */
  onStart?: () => void;
}

export function FoundServers({ onlyNew = false, onStart }: FoundServersProps) {
  const { t } = useTranslation("start");
  const found = useQuery(queries.discover());
  const { data: providers = [] } = useQuery(queries.providers());
  const isConnected = (server: FoundServer) => providers.some(({ base_url }) => base_url === server.base_url);
  const servers = found.data?.filter((server) => !onlyNew || !isConnected(server));
  return (
    <section className={css.found} aria-label={t("found.title")}>
      <header className={css.foundHead}>
        <h3>{t("found.title")}</h3>
        {found.isFetching ? (
          <Spinner label={t("found.looking")} />
        ) : (
          <IconButton
            label={t("found.again")}
            icon={<RefreshCw aria-hidden />}
            onClick={() => void found.refetch()}
          />
        )}
      </header>
      {found.isError && <ErrorNotice failure={found.error} />}
      {servers?.length === 0 && (
        <p className={quiet.words}>{t(found.data?.length === 0 ? "found.none" : "found.allConnected")}</p>
      )}
      <ul>
        {servers?.map((server) => (
          <Server key={server.base_url} server={server} onStart={onStart} />
        ))}
      </ul>
    </section>
  );
}

function Server({ server, onStart }: { server: FoundServer } & Pick<FoundServersProps, "onStart">) {
  const { t } = useTranslation(["start", "keys"]);
  const { beside } = useModelNames();
  const factsOf = useFacts();
  const kindName = useKindName();
  const providers = useQuery(queries.providers());
  const [failure, setFailure] = useState<unknown>(null);
  const known = providers.data?.find((provider) => provider.base_url === server.base_url);
  const chosen = known?.default_model ?? null;
  const first = firstToAsk(server.models)?.id;
  const use = (model: string) => {
    setFailure(null);
    connect({ ...server, name: known?.name ?? server.name }, model).catch(setFailure);
  };
  return (
    <li className={css.server}>
      <div className={css.serverName}>
        <strong>{server.name}</strong>
        <span className={quiet.words}>{server.kind === "agent" ? kindName(server.kind) : t("found.models", { count: server.models.length })}</span>
        <span className={css.address} title={server.base_url}>
          {server.base_url}
        </span>
      </div>
      {chosen !== null ? (
        <>
          {server.kind === "agent" && server.models.length === 1 ? (
            <span className={quiet.words}>{beside(chosen, known!.name)}</span>
          ) : (
            <Select
              label={t("found.default")}
              hideLabel
              value={chosen}
              onChange={use}
              options={server.models.map((one) => ({
                value: one.id,
                label: beside(one.id, known!.name),
                hint: <ModelFacts model={factsOf(one, known!.name)} />,
              }))}
            />
          )}
          {onStart && (
            <Button variant="primary" onClick={onStart}>
              {t("connect.start", { ns: "keys" })}
            </Button>
          )}
        </>
      ) : first === undefined ? (
        <span className={quiet.words}>{t("found.noModels")}</span>
      ) : (
        <Button onClick={() => use(first)} aria-label={t("found.connectTo", { name: server.name })}>
          {t("found.connect")}
        </Button>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </li>
  );
}
