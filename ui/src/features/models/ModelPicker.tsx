// Which model a conversation asks: the default, or one of its own. Lists are read when it opens; those of agents, which are
// started for that, at the person's word.
import { useQuery } from "@tanstack/react-query";
import { Check, ChevronDown } from "lucide-react";
import { useState } from "react";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type ConversationDetail, type DefaultModel, type ProviderItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Popover, Spinner, TextField } from "@/shared/kit";
import css from "./models.module.css";
import { ProviderTrouble } from "./ProviderTrouble";
import { OWN_MODEL, useModelNames, useProviderName } from "./words";

export function ModelPicker({ conversation }: { conversation: ConversationDetail }) {
  const { t } = useTranslation("talk");
  const providerName = useProviderName();
  const { alone } = useModelNames();
  const [open, setOpen] = useState(false);
  const [filter, setFilter] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const providers = useQuery(queries.providers());
  const { provider, model, follows_default, item } = conversation;
  const choose = (choice: DefaultModel | null) => {
    setFailure(null);
    call("conversation_model", { id: item.id, choice }).then(() => setOpen(false), setFailure);
  };
  const toSettings = (provider?: string) => {
    setOpen(false);
    openOverlay({ kind: "settings", tab: "models", provider });
  };
  const shown = provider === "offline" ? providerName(provider) : alone(model, provider);
  return (
    <Popover
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        setFilter("");
      }}
      title={t("model.title")}
      trigger={
        <Button variant="quiet" className={css.pick} aria-label={t("model.current", { model: shown })} title={shown}>
          <span className={css.pickName}>{shown}</span>
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      {providers.data && providers.data.length > 1 && (
        <TextField
          label={t("model.filter")}
          hideLabel
          placeholder={t("model.filter")}
          value={filter}
          onChange={setFilter}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <div className={css.models}>
        <ModelRow
          name={t("model.default")}
          chosen={follows_default}
          onChoose={() => choose(null)}
        />
        {providers.data?.map((item) => (
          <Models
            key={item.name}
            provider={item}
            filter={filter}
            onEnterKey={() => toSettings(item.name)}
            chosen={!follows_default && provider === item.name ? model : null}
            onChoose={choose}
          />
        ))}
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
      <div className={css.pickFoot}>
        {!follows_default && (
          <Button
            onClick={() => {
              setFailure(null);
              call("provider_default", { provider, model }).then(() => choose(null), setFailure);
            }}
          >
            {t("model.makeDefault")}
          </Button>
        )}
        <Button
          variant="quiet"
          onClick={() => toSettings()}
        >
          {t("model.connect")}
        </Button>
      </div>
    </Popover>
  );
}

interface ModelsProps {
  provider: ProviderItem;
  /** Part of a model's name, or nothing. */
  filter: string;
  onEnterKey: () => void;
  chosen: string | null;
  onChoose: (choice: DefaultModel) => void;
}

export function Models({ provider: { name, kind }, filter, onEnterKey, chosen, onChoose }: ModelsProps) {
  const providerName = useProviderName();
  const { t } = useTranslation("talk");
  const { beside } = useModelNames();
  const isAgent = kind === "agent";
  const models = useQuery({ ...queries.models(name), enabled: kind !== "offline" && !isAgent });
  const known = models.data?.map(({ id }) => id) ?? (isAgent ? [...new Set([OWN_MODEL, chosen ?? OWN_MODEL])] : []);
  const sought = filter.trim().toLowerCase();
  const found = known.filter((id) => `${name} ${id} ${beside(id, name)}`.toLowerCase().includes(sought));
  if (kind === "offline") {
    return (
      <ModelRow
        name={providerName(name)}
        chosen={chosen !== null}
        onChoose={() => onChoose({ provider: name, model: name })}
      />
    );
  }
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
      {found.map((id) => (
        <ModelRow
          key={id}
          name={beside(id, name)}
          chosen={chosen === id}
          onChoose={() => onChoose({ provider: name, model: id })}
        />
      ))}
      {isAgent && !models.data && (
        <Button variant="quiet" disabled={models.isFetching} onClick={() => void models.refetch()}>
          {t("model.more", { name })}
        </Button>
      )}
    </section>
  );
}

export function ModelRow({ name, chosen, onChoose }: { name: string; chosen: boolean; onChoose: () => void }) {
  return (
    <button type="button" className={css.model} aria-pressed={chosen} onClick={onChoose}>
      <span className={css.mark}>{chosen && <Check aria-hidden />}</span>
      <span className={css.modelName}>{name}</span>
    </button>
  );
}
