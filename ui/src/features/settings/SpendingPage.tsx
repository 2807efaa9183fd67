// What this month has cost, on what, the limit that asks, and the prices behind it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { modelName, useModelNames, useProviderName } from "@/features/models";
import { call, type Settings, type Spending } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { formatCost, formatMonth, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, Notice, quiet, Spinner } from "@/shared/kit";
import { readDollars, writeDollars } from "./money";
import { PriceDialog, type PriceToEdit } from "./PriceDialog";
import { PriceTable } from "./PriceTable";
import { RestingField } from "./RestingField";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

/** Billionths of a dollar in a millionth. */
const NANOS = 1000;

export function SpendingPage() {
  const { t } = useTranslation("spending");
  const { settings, store } = useSettings();
  const spending = useQuery(queries.spending());
  const [editing, setEditing] = useState<PriceToEdit | null>(null);
  if (!settings) return null;
  return (
    <div className={css.page}>
      {spending.isError && <ErrorNotice failure={spending.error} />}
      {spending.isPending && <Spinner />}
      {spending.data && <Month spending={spending.data} />}
      <Limit limit={settings.monthly_limit} onStore={store} />
      {spending.data && (
        <ByModel spending={spending.data} onPrice={(model) => setEditing({ model, price: null })} />
      )}
      <section aria-labelledby="spending-prices">
        <h4 id="spending-prices" className={css.heading}>
          {t("prices")}
        </h4>
        <p className={quiet.note}>{t("pricesHint")}</p>
        <PriceTable onEdit={setEditing} />
      </section>
      {editing && <PriceDialog edited={editing} onClose={() => setEditing(null)} />}
    </div>
  );
}

function Month({ spending: { month, cost, limit, allowed_until } }: { spending: Spending }) {
  const { t } = useTranslation("spending");
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>(null);
  const until = allowed_until ?? limit;
  const reached = until !== null && cost >= until * NANOS;
  const goOn = () => {
    setFailure(null);
    call("spending_allow").then((next) => showAnswer(client, queries.spending(), next), setFailure);
  };
  return (
    <section aria-labelledby="spending-month">
      <h4 id="spending-month" className={css.heading}>
        {t("month", { month: formatMonth(month) })}
      </h4>
      <p className={css.sum} data-numeric>
        {formatCost(cost)} {limit !== null && <span>{t("ofLimit", { limit: formatCost(limit * NANOS) })}</span>}
      </p>
      {limit === null ? (
        <p className={quiet.note}>{t("noLimit")}</p>
      ) : (
        <div className={css.share} aria-hidden>
          <span
            style={{ inlineSize: `${Math.min(100, limit === 0 ? 100 : (cost / (limit * NANOS)) * 100)}%` }}
            data-over={reached || undefined}
          />
        </div>
      )}
      {allowed_until !== null && !reached && (
        <p className={quiet.note}>{t("allowed", { amount: formatCost(allowed_until * NANOS) })}</p>
      )}
      {reached && (
        <Notice tone="warn" title={t("reached")} actions={<Button onClick={goOn}>{t("goOn")}</Button>}>
          {t("reachedText")}
        </Notice>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </section>
  );
}

interface LimitProps {
  limit: number | null;
  onStore: (part: Partial<Settings>) => Promise<void>;
}

function Limit({ limit, onStore }: LimitProps) {
  const { t } = useTranslation("spending");
  const check = (text: string) => {
    const typed = readDollars(text);
    return "wrong" in typed ? t(`wrong.${typed.wrong}`) : null;
  };
  const store = async (text: string) => {
    const typed = readDollars(text);
    if ("micros" in typed) await onStore({ monthly_limit: typed.micros });
  };
  return (
    <RestingField
      className={css.amount}
      label={t("limit")}
      description={
        limit ? t("limitHint", { limit: formatCost(limit * NANOS) }) : t("limitHintNone")
      }
      placeholder={t("limitPlaceholder")}
      inputMode="decimal"
      stored={writeDollars(limit)}
      check={check}
      onStore={store}
    />
  );
}

function ByModel({ spending, onPrice }: { spending: Spending; onPrice: (model: string) => void }) {
  const { t } = useTranslation("spending");
  const providerName = useProviderName();
  const { alone, beside } = useModelNames();
  const { by_model, unpriced_turns } = spending;
  const lacking = by_model.filter((row) => row.unpriced_turns > 0);
  const unpriced = [...new Map(lacking.map(({ model, provider }) => [model, alone(model, provider)]))];
  return (
    <section aria-labelledby="spending-models">
      <h4 id="spending-models" className={css.heading}>
        {t("byModel")}
      </h4>
      {by_model.length === 0 && <p className={quiet.note}>{t("nothing")}</p>}
      {by_model.length > 0 && (
        <table className={css.table} aria-labelledby="spending-models">
          <thead>
            <tr>
              {(["model", "replies", "sent", "answered", "cost"] as const).map((column) => (
                <th key={column} scope="col">
                  {t(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {by_model.map(({ provider, model, cost, input_tokens, output_tokens, turns, unpriced_turns: unknown }) => (
              <tr key={`${provider} ${model}`}>
                <th scope="row">
                  {provider === "offline" ? providerName(provider) : modelName(beside(model, provider))}{" "}
                  {provider !== "offline" && <span className={quiet.note}>{provider}</span>}
                </th>
                <td>{formatNumber(turns)}</td>
                <td>{formatTokens(input_tokens)}</td>
                <td>{formatTokens(output_tokens)}</td>
                <td>
                  {unknown === 0
                    ? formatCost(cost)
                    : unknown === turns
                      ? t("costUnknown")
                      : t("costPartly", { cost: formatCost(cost) })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {unpriced_turns > 0 && (
        <Notice
          title={t("unpriced", { count: unpriced_turns })}
          actions={unpriced.map(([model, name]) => (
            <Button key={model} aria-label={t("givePriceTo", { model: name })} onClick={() => onPrice(model)}>
              {unpriced.length === 1 ? t("givePrice") : t("givePriceTo", { model: name })}
            </Button>
          ))}
        >
          {t("unpricedHint")}
        </Notice>
      )}
    </section>
  );
}
