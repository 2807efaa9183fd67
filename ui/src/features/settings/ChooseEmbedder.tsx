// Choosing who makes vectors: a model in the data folder or a provider's. What would be read, sent and paid is said before
// anything is; where texts leave this computer the person says how many tokens at most.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type EmbedderChoice, type MeaningPlan, type MeaningState } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatCost, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, quiet, Select, Spinner, TextField } from "@/shared/kit";
import css from "./settings.module.css";

const NOBODY = "nobody";
const OTHER = "other";

/** What is allowed at first: what is there, and as much again of what is said later. */
function allowance({ tokens }: MeaningPlan): number {
  return Math.max(100_000, Math.ceil((2 * tokens) / 100_000) * 100_000);
}

interface ChooseEmbedderProps {
  state: MeaningState;
  /** `most` where texts leave this computer. */
  onChoose: (embedder: EmbedderChoice, most: number | null) => Promise<void>;
}

export function ChooseEmbedder({ state, onChoose }: ChooseEmbedderProps) {
  const { t } = useTranslation("recall");
  const [who, setWho] = useState(NOBODY);
  const [model, setModel] = useState("");
  // The offline one and Anthropic have no model that makes vectors.
  const providers = useQuery(queries.providers()).data ?? [];
  const asked = providers.filter(({ kind }) => kind !== "offline" && kind !== "anthropic" && kind !== "agent");
  const local = state.local.find(({ name }) => who === `local:${name}`);
  const provider = asked.find(({ name }) => who === `provider:${name}`);
  const embedder: EmbedderChoice | null = local
    ? { by: "local", name: local.name }
    : provider && model !== ""
      ? { by: "provider", provider: provider.name, model }
      : null;
  const choose = (next: string) => {
    setWho(next);
    setModel("");
  };
  return (
    <div className={css.group}>
      <Select
        label={t("choose.who")}
        value={who}
        onChange={choose}
        options={[
          { value: NOBODY, label: t("choose.nobody") },
          ...state.local.map(({ name, bytes, shipped }) => ({
            value: `local:${name}`,
            label: name,
            hint: t(shipped ? "choose.shipped" : "choose.here", { size: formatBytes(bytes) }),
          })),
          ...asked.map(({ name, base_url }) => ({ value: `provider:${name}`, label: name, hint: base_url })),
        ]}
      />
      {state.local.length === 0 && <p className={quiet.note}>{t("choose.folder", { folder: state.folder })}</p>}
      {provider && <ProviderModel key={provider.name} provider={provider.name} model={model} onModel={setModel} />}
      {embedder && <Plan key={`${who}:${model}`} embedder={embedder} onChoose={onChoose} />}
    </div>
  );
}

interface ProviderModelProps {
  provider: string;
  model: string;
  onModel: (model: string) => void;
}

/** The models that a provider lists as making vectors, or any other by its id. */
function ProviderModel({ provider, model, onModel }: ProviderModelProps) {
  const { t } = useTranslation("recall");
  const listed = useQuery(queries.meaningModels(provider));
  const [typed, setTyped] = useState<string | null>(null);
  if (listed.isPending) return <Spinner />;
  const models = listed.data ?? [];
  const writes = typed !== null || models.length === 0;
  return (
    <>
      {listed.isError && <ErrorNotice failure={listed.error} />}
      {models.length > 0 && (
        <Select
          label={t("choose.model")}
          value={typed === null ? model : OTHER}
          onChange={(next) => {
            setTyped(next === OTHER ? "" : null);
            onModel(next === OTHER ? "" : next);
          }}
          options={[
            ...(model === "" && typed === null ? [{ value: "", label: t("choose.pick") }] : []),
            ...models.map((id) => ({ value: id, label: id })),
            { value: OTHER, label: t("choose.other") },
          ]}
        />
      )}
      {writes && (
        <TextField
          className={css.amount}
          label={t("choose.id")}
          description={listed.data && models.length === 0 && t("choose.unlisted")}
          value={typed ?? ""}
          onChange={setTyped}
          onBlur={() => onModel((typed ?? "").trim())}
          onKeyDown={(event) => event.key === "Enter" && !event.nativeEvent.isComposing && onModel((typed ?? "").trim())}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </>
  );
}

function Plan({ embedder, onChoose }: { embedder: EmbedderChoice; onChoose: ChooseEmbedderProps["onChoose"] }) {
  const { t } = useTranslation("recall");
  const plan = useQuery({
    queryKey: ["meaning", "plan", embedder],
    queryFn: () => call("meaning_plan", { embedder }),
    staleTime: 0,
    gcTime: 0,
  });
  const [typed, setTyped] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  if (plan.isError) return <ErrorNotice failure={plan.error} />;
  if (!plan.data) return <Spinner />;
  const { home, messages, tokens, cost } = plan.data;
  const text = typed ?? String(allowance(plan.data));
  const most = /^\s*\d{1,12}\s*$/.test(text) ? Number(text) : 0;
  const read = { count: messages, messages: formatNumber(messages), tokens: formatTokens(tokens) };
  const use = async () => {
    setBusy(true);
    await onChoose(embedder, home ? null : most);
    setBusy(false);
  };
  const price = cost === null ? t("plan.unpriced") : t("plan.cost", { cost: formatCost(cost) });
  return (
    <>
      <p>{t(home ? "plan.home" : "plan.away", read)}</p>
      {!home && (
        <>
          <p className={quiet.note}>
            {price} {t("plan.later")}
          </p>
          <TextField
            className={css.amount}
            label={t("plan.most")}
            inputMode="numeric"
            autoComplete="off"
            value={text}
            onChange={setTyped}
            error={most === 0 && t("plan.number")}
          />
        </>
      )}
      <div className={css.itemActs}>
        <Button variant="primary" disabled={busy || (!home && most === 0)} onClick={() => void use()}>
          {t("plan.use")}
        </Button>
      </div>
    </>
  );
}
