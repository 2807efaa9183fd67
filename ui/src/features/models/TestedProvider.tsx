// What a test brought: the models to choose the default from, and where the key went.
import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { intoSight } from "@/shared/intoSight";
import { Button, quiet, Select } from "@/shared/kit";
import { firstToAsk, makeDefault } from "./choosing";
import type { Tested } from "./connect";
import { ModelFacts, useFacts } from "./facts";
import css from "./models.module.css";
import { useIsAgent, useKeyWords, useModelNames } from "./words";

interface TestedProviderProps {
  tested: Tested;
  /** Where it leads; nothing where the person stays. */
  onStart?: () => void;
}

export function TestedProvider({ tested: { provider, models, key, address }, onStart }: TestedProviderProps) {
  const { t } = useTranslation("keys");
  const keyWords = useKeyWords();
  const { beside } = useModelNames();
  const factsOf = useFacts();
  const isAgent = useIsAgent()(provider);
  const providers = useQuery(queries.providers());
  const [failure, setFailure] = useState<unknown>(null);
  const [model, setModel] = useState((firstToAsk(models) ?? models[0])?.id ?? "");
  const current = providers.data?.find(({ name }) => name === provider)?.default_model ?? null;
  /** An agent that names no models chooses one by itself. */
  const offers = !isAgent || models.length > 1;
  const use = (then?: () => void) => {
    setFailure(null);
    makeDefault({ provider, model }).then(then, setFailure);
  };
  return (
    <div ref={intoSight} className={css.tested}>
      <p className={css.ok}>
        <Check aria-hidden />
        {isAgent ? t("connect.started", { name: provider }) : t("connect.ok", { name: provider, count: models.length })}
      </p>
      {address !== null && <p className={quiet.words}>{t("connect.foundAt", { address })}</p>}
      {key && <p className={quiet.words}>{keyWords.shown(key)}</p>}
      {models.length > 0 && (
        <div className={offers ? css.addRow : css.buttons}>
          {offers && (
            <Select
              label={t("connect.model")}
              value={model}
              onChange={setModel}
              options={models.map((one) => ({
                value: one.id,
                label: beside(one.id, provider),
                hint: <ModelFacts model={factsOf(one, provider)} />,
              }))}
            />
          )}
          <Button variant={onStart ? "plain" : "primary"} disabled={current === model} onClick={() => use()}>
            {current === model ? t("connect.inUse") : t(isAgent ? "connect.useAgent" : "connect.use")}
          </Button>
          {onStart && (
            <Button variant="primary" onClick={() => use(onStart)}>
              {t("connect.start")}
            </Button>
          )}
        </div>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
