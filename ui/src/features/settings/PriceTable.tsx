// What each model costs and who says so; a row opens its price for changing.
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import type { Price } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet, Spinner, TextField } from "@/shared/kit";
import { writeDollars } from "./money";
import type { PriceToEdit } from "./PriceDialog";
import css from "./settings.module.css";

/** Rows before "more" is pressed: a server of many makers lists hundreds. */
const FIRST = 40;

export function PriceTable({ onEdit }: { onEdit: (price: PriceToEdit) => void }) {
  const { t } = useTranslation("spending");
  const prices = useQuery(queries.prices());
  const [filter, setFilter] = useState("");
  const [all, setAll] = useState(false);
  const wanted = filter.normalize("NFKC").trim().toLowerCase();
  const found = prices.data?.filter(({ model }) => model.toLowerCase().includes(wanted)) ?? [];
  const shown = all ? found : found.slice(0, FIRST);
  return (
    <>
      <div className={css.filter}>
        <TextField label={t("filter")} hideLabel type="search" placeholder={t("filter")} value={filter} onChange={setFilter} />
        <Button
          icon={<Plus aria-hidden />}
          onClick={() => onEdit({ model: null, price: null })}
        >
          {t("add")}
        </Button>
      </div>
      {prices.isError && <ErrorNotice failure={prices.error} />}
      {prices.isPending && <Spinner />}
      {prices.isSuccess && found.length === 0 && <p className={quiet.note}>{t("noneFound")}</p>}
      {shown.length > 0 && (
        <table className={css.table} aria-labelledby="spending-prices">
          <thead>
            <tr>
              {(["model", "input", "cached", "output", "source"] as const).map((column) => (
                <th key={column} scope="col">
                  {t(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ model, price, source }) => (
              <tr key={model}>
                <th scope="row">
                  <button
                    type="button"
                    className={css.opener}
                    aria-label={t("change", { model })}
                    onClick={() => onEdit({ model, price })}
                  >
                    {model}
                  </button>
                </th>
                <td>{amount(price.input)}</td>
                <td>{amount(cachedOf(price))}</td>
                <td>{amount(price.output)}</td>
                <td className={source === "person" ? css.own : quiet.note}>{t(`sources.${source}`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > shown.length && (
        <Button variant="quiet" onClick={() => setAll(true)}>
          {t("more", { count: found.length - shown.length })}
        </Button>
      )}
    </>
  );
}

function cachedOf({ cached_input, input }: Price): number {
  return cached_input ?? input;
}

/** To the last digit: a price is not rounded. */
function amount(micros: number): string {
  const [whole, cents = ""] = writeDollars(micros).split(".");
  return `$${whole}.${cents.padEnd(2, "0")}`;
}
