// Models to choose from: those that were chosen last, then those of each provider. Lists are read when this comes into sight;
// those of agents, which are started for that, at the person's word.
import { useQueries, useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useId, useState } from "react";
import type { DefaultModel, ModelInfo, ProviderItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Spinner } from "@/shared/kit";
import { rememberModel, useRecentModels } from "./choosing";
import { ModelFacts, useFacts } from "./facts";
import css from "./models.module.css";
import { ProviderTrouble } from "./ProviderTrouble";
import { OWN_MODEL, useModelNames, useProviderName } from "./words";

/** Rows of a provider before "more" is pressed: a server of many makers lists hundreds. */
const FIRST = 40;

interface ModelListProps {
  providers: readonly ProviderItem[];
  /** Part of a model's name, or nothing. */
  filter: string;
  /** What is not offered. */
  without?: readonly DefaultModel[];
  chosen: DefaultModel | null;
  onChoose: (choice: DefaultModel) => void;
  onEnterKey: (provider: string) => void;
}

export function ModelList({ providers, filter, without = [], chosen, onChoose, onEnterKey }: ModelListProps) {
  const { t } = useTranslation("talk");
  const { beside } = useModelNames();
  const factsOf = useFacts();
  const title = useId();
  const lists = useQueries({
    queries: providers.map(({ name }) => ({ ...queries.models(name), enabled: false })),
    combine: (results) => new Map(results.map(({ data }, index) => [providers[index]!.name, data])),
  });
  const matches = useMatches(filter);
  const infoOf = ({ provider, model }: DefaultModel) => lists.get(provider)?.find(({ id }) => id === model);
  const recent = useRecentModels().filter((choice) => {
    const { provider, model } = choice;
    // What its provider lists no longer cannot be asked.
    const there = lists.has(provider) && (lists.get(provider) === undefined || infoOf(choice) !== undefined);
    return there && matches(model, provider) && !without.some((other) => isSame(choice, other));
  });
  const choose = (choice: DefaultModel) => {
    rememberModel(choice);
    onChoose(choice);
  };
  const ofProvider = (provider: ProviderItem) => (
    <OfProvider
      key={provider.name}
      provider={provider}
      filter={filter}
      without={[...without, ...recent]}
      chosen={chosen?.provider === provider.name ? chosen.model : null}
      onChoose={choose}
      onEnterKey={() => onEnterKey(provider.name)}
    />
  );
  return (
    <>
      {providers.filter(({ kind }) => kind === "offline").map(ofProvider)}
      {recent.length > 0 && (
        <section aria-labelledby={title}>
          <h3 id={title} className={css.group}>
            {t("model.recent")}
          </h3>
          {recent.map((choice) => {
            const { provider, model } = choice;
            const info = infoOf(choice);
            return (
              <ModelRow
                key={`${provider} ${model}`}
                name={beside(model, provider)}
                of={provider}
                model={info && factsOf(info, provider)}
                chosen={isSame(choice, chosen)}
                onChoose={() => choose(choice)}
              />
            );
          })}
        </section>
      )}
      {providers.filter(({ kind }) => kind !== "offline").map(ofProvider)}
    </>
  );
}

function isSame(one: DefaultModel, other: DefaultModel | null): boolean {
  return one.provider === other?.provider && one.model === other.model;
}

function useMatches(filter: string): (model: string, provider: string) => boolean {
  const { beside } = useModelNames();
  const sought = filter.trim().toLowerCase();
  return (model, provider) => `${provider} ${model} ${beside(model, provider)}`.toLowerCase().includes(sought);
}

interface OfProviderProps extends Pick<ModelListProps, "filter" | "onChoose"> {
  provider: ProviderItem;
  without: readonly DefaultModel[];
  chosen: string | null;
  onEnterKey: () => void;
}

function OfProvider({ provider: { name, kind }, filter, without, chosen, onChoose, onEnterKey }: OfProviderProps) {
  const { t } = useTranslation("talk");
  const providerName = useProviderName();
  const { beside } = useModelNames();
  const factsOf = useFacts();
  const matches = useMatches(filter);
  const [all, setAll] = useState(false);
  const isAgent = kind === "agent";
  const models = useQuery({ ...queries.models(name), enabled: kind !== "offline" && !isAgent });
  if (kind === "offline") {
    return (
      <ModelRow
        name={providerName(name)}
        chosen={chosen !== null}
        onChoose={() => onChoose({ provider: name, model: name })}
      />
    );
  }
  const listed: readonly { id: string; info?: ModelInfo }[] =
    models.data?.map((info) => ({ id: info.id, info })) ??
    (isAgent ? [...new Set([OWN_MODEL, chosen ?? OWN_MODEL])].map((id) => ({ id })) : []);
  const isOut = (model: string) => without.some((other) => isSame({ provider: name, model }, other));
  const found = listed.filter(({ id }) => matches(id, name) && !isOut(id));
  const shown = found.filter(({ id }, index) => all || index < FIRST || id === chosen);
  const more = found.length - shown.length;
  // All that it has is among those that were chosen last, or is not looked for.
  if (found.length === 0 && models.isSuccess && !models.isFetching) return null;
  return (
    <section aria-label={name}>
      <h3 className={css.group}>
        {name} {models.isFetching && <Spinner label={t("model.asking", { name })} />}
      </h3>
      {models.isError && (
        <ProviderTrouble
          agent={isAgent}
          failure={models.error}
          onEnterKey={onEnterKey}
          onSolved={() => void models.refetch()}
        />
      )}
      {shown.map(({ id, info }) => (
        <ModelRow
          key={id}
          name={beside(id, name)}
          model={info && factsOf(info, name)}
          chosen={chosen === id}
          onChoose={() => onChoose({ provider: name, model: id })}
        />
      ))}
      {more > 0 && (
        <Button variant="quiet" onClick={() => setAll(true)}>
          {t("model.rest", { count: more, n: formatNumber(more), name })}
        </Button>
      )}
      {isAgent && !models.data && (
        <Button variant="quiet" disabled={models.isFetching} onClick={() => void models.refetch()}>
          {t("model.more", { name })}
        </Button>
      )}
    </section>
  );
}

interface ModelRowProps {
  name: string;
  /** Its provider, where nothing else names it. */
  of?: string;
  model?: ModelInfo;
  chosen: boolean;
  onChoose: () => void;
}

export function ModelRow({ name, of, model, chosen, onChoose }: ModelRowProps) {
  const about = useId();
  return (
    <button
      type="button"
      className={css.model}
      aria-label={name}
      aria-describedby={of !== undefined || model ? about : undefined}
      aria-pressed={chosen}
      onClick={onChoose}
    >
      <span className={css.mark}>{chosen && <Check aria-hidden />}</span>
      <span className={css.modelName} title={name}>
        {name}
      </span>
      <span id={about} className={css.about}>
        {of !== undefined && <span className={css.of} title={of}>{of}</span>}
        {model && <ModelFacts model={model} />}
      </span>
    </button>
  );
}
