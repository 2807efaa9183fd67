// One connected provider: its format, address and key, the test that lists its models for choosing the default, and
// the acts that change or remove it. An agent has a command instead of an address, and no key.
import { useQueryClient } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { KeyForm, makeDefault, ModelFacts, ProviderTrouble, useKeyWords, useKindName, useModelNames, useOffers, useFacts, useProviderName } from "@/features/models";
import { call, type ModelInfo, type ProviderItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { intoSight } from "@/shared/intoSight";
import { Button, Dialog, quiet, Select, Spinner } from "@/shared/kit";
import css from "./settings.module.css";

interface ProviderEntryProps {
  provider: ProviderItem;
  /** Opens with the field for its key. */
  enterKey: boolean;
}

type Testing = { state: "idle" | "asking" } | { state: "ok"; models: ModelInfo[] };

export function ProviderEntry({ provider, enterKey }: ProviderEntryProps) {
  const { t } = useTranslation("settings");
  const client = useQueryClient();
  const entry = useRef<HTMLLIElement>(null);
  const name = useProviderName()(provider.name);
  const [entering, setEntering] = useState(enterKey && provider.kind !== "agent");
  const [testing, setTesting] = useState<Testing>({ state: "idle" });
  /** What asking it came to, and what changing it came to. */
  const [trouble, setTrouble] = useState<unknown>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const isDefault = provider.default_model !== null;
  const isAgent = provider.kind === "agent";

  useEffect(() => {
    if (enterKey) entry.current?.scrollIntoView({ block: "center" });
  }, [enterKey]);

  const test = async () => {
    setTrouble(null);
    setTesting({ state: "asking" });
    try {
      const options = { ...queries.models(provider.name), staleTime: 0 };
      setTesting({ state: "ok", models: await client.fetchQuery(options) });
    } catch (thrown) {
      setTesting({ state: "idle" });
      setTrouble(thrown);
    }
  };
  const change = (act: Promise<unknown>) => {
    setFailure(null);
    act.catch(setFailure);
  };
  const use = (model: string) => change(makeDefault({ provider: provider.name, model }));
  if (provider.kind === "offline") {
    return (
      <li className={css.item}>
        <div className={css.itemText}>
          <Name name={name} isDefault={isDefault} />
          <span className={quiet.note}>{t("models.offlineHint")}</span>
        </div>
        {!isDefault && <Button onClick={() => use(provider.name)}>{t("models.use")}</Button>}
        {failure !== null && <ErrorNotice failure={failure} />}
      </li>
    );
  }
  return (
    <li ref={entry} className={css.item}>
      <Facts provider={provider} />
      <div className={css.itemActs}>
        {testing.state === "asking" && <Spinner label={t("models.testing", { name })} />}
        <Button
          aria-label={t("models.testOne", { name })}
          disabled={testing.state === "asking"}
          onClick={() => void test()}
        >
          {t("models.test")}
        </Button>
        {!entering && !isAgent && (
          <Button
            variant={provider.needs_key && !provider.key ? "primary" : "plain"}
            aria-label={t(provider.key ? "models.replaceKeyOf" : "models.enterKeyOf", { name })}
            onClick={() => setEntering(true)}
          >
            {t(provider.key ? "models.replaceKey" : "models.enterKey")}
          </Button>
        )}
        {provider.key && (
          <Remove
            label={t("models.removeKey")}
            name={t("models.removeKeyOf", { name })}
            question={t("models.removeKeyConfirm", { name })}
            text={t("models.removeKeyText")}
            onRemove={() => change(call("key_remove", { name: provider.name }))}
          />
        )}
        <Remove
          label={t("models.remove")}
          name={t("models.removeOne", { name })}
          question={t("models.removeConfirm", { name })}
          text={t(isAgent ? "models.removeAgentText" : "models.removeText")}
          onRemove={() => change(call("provider_remove", { name: provider.name }))}
        />
      </div>
      {entering && (
        <div className={css.wide}>
          <KeyForm
            provider={provider}
            onStored={() => {
              setEntering(false);
              void test();
            }}
            onCancel={() => setEntering(false)}
          />
        </div>
      )}
      {testing.state === "ok" && (
        <div ref={intoSight} className={css.wide}>
          <Models provider={provider} models={testing.models} onUse={use} />
        </div>
      )}
      {trouble !== null && (
        <div className={css.wide}>
          <ProviderTrouble
            ref={intoSight}
            agent={isAgent}
            failure={trouble}
            onEnterKey={() => {
              setTrouble(null);
              setEntering(true);
            }}
            onSolved={() => void test()}
          />
        </div>
      )}
      {failure !== null && (
        <div className={css.wide}>
          <ErrorNotice failure={failure} />
        </div>
      )}
    </li>
  );
}

function Name({ name, isDefault }: { name: string; isDefault: boolean }) {
  const { t } = useTranslation("settings");
  return (
    <span className={css.itemName}>
      {name}
      {isDefault && (
        <span className={css.tag}>
          <Check aria-hidden /> {t("models.isDefault")}
        </span>
      )}
    </span>
  );
}

function Facts({ provider: { name, kind, base_url, default_model, key, needs_key } }: { provider: ProviderItem }) {
  const { t } = useTranslation("settings");
  const kindName = useKindName();
  const keyWords = useKeyWords();
  const { beside } = useModelNames();
  return (
    <div className={`${css.itemText} ${css.facts}`}>
      <Name name={name} isDefault={default_model !== null} />
      {default_model !== null && <span>{beside(default_model, name)}</span>}
      <span className={quiet.note}>
        {kind !== "offline" && kindName(kind)} · <span className={css.path}>{base_url}</span>
      </span>
      {key ? (
        <span className={quiet.note}>{keyWords.shown(key)}</span>
      ) : (
        needs_key && <span className={css.lacking}>{t("models.noKey")}</span>
      )}
      <Offered agent={name} />
    </div>
  );
}

/** How much an agent offers beside its models; nothing until it was started. */
function Offered({ agent }: { agent: string }) {
  const { t } = useTranslation("settings");
  const { commands, modes } = useOffers()(agent, null);
  const said = [
    commands.length > 0 && t("models.commands", { count: commands.length }),
    modes.length > 0 && t("models.modes", { count: modes.length }),
  ].filter((words) => words !== false);
  if (said.length === 0) return null;
  return (
    <span className={quiet.note} data-numeric>
      {said.join(" · ")}
    </span>
  );
}

interface ModelsProps {
  provider: ProviderItem;
  models: readonly ModelInfo[];
  onUse: (model: string) => void;
}

function Models({ provider: { name, kind, default_model }, models, onUse }: ModelsProps) {
  const { t } = useTranslation("settings");
  const { beside } = useModelNames();
  const factsOf = useFacts();
  const [first, ...more] = models;
  if (!first) return <p>{t("models.none")}</p>;
  if (kind === "agent" && more.length === 0) {
    return (
      <div className={css.buttons}>
        <p>{t("models.started")}</p>
        {default_model === null && <Button onClick={() => onUse(first.id)}>{t("models.use")}</Button>}
      </div>
    );
  }
  return (
    <Select
      label={t("models.answers", { count: models.length })}
      value={default_model ?? ""}
      onChange={onUse}
      options={[
        ...(default_model === null ? [{ value: "", label: t("models.choose"), disabled: true }] : []),
        ...models.map((model) => ({
          value: model.id,
          label: beside(model.id, name),
          hint: <ModelFacts model={factsOf(model, name)} />,
        })),
      ]}
    />
  );
}

interface RemoveProps {
  label: string;
  /** The button's full name. */
  name: string;
  question: string;
  text: string;
  onRemove: () => void;
}

/** Cannot be undone, so it is asked for. */
function Remove({ label, name, question, text, onRemove }: RemoveProps) {
  const { t } = useTranslation("settings");
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button variant="quiet" aria-label={name} onClick={() => setAsked(true)}>
        {label}
      </Button>
      <Dialog
        open={asked}
        onClose={() => setAsked(false)}
        title={question}
        description={text}
        footer={
          <>
            <Button onClick={() => setAsked(false)}>{t("cancel", { ns: "common" })}</Button>
            <Button
              variant="danger"
              onClick={() => {
                setAsked(false);
                onRemove();
              }}
            >
              {label}
            </Button>
          </>
        }
      />
    </>
  );
}
