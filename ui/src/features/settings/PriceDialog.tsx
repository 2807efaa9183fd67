// The person's own price of a model, or of all models whose names begin alike. Everything typed stays until it is saved
// or left, and only what can be read as an amount is saved.
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import type { Price } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, TextField } from "@/shared/kit";
import { readDollars, writeDollars } from "./money";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

export interface PriceToEdit {
  /** Null for a model that is to be named. */
  model: string | null;
  price: Price | null;
}

const PARTS = ["input", "output", "cached", "cacheWrite"] as const;
type Part = (typeof PARTS)[number];
type Wrong = Partial<Record<Part | "model", "number" | "digits" | "large" | "missing" | "model" | "star">>;

const NEEDED: readonly Part[] = ["input", "output"];

export function PriceDialog({ edited, onClose }: { edited: PriceToEdit; onClose: () => void }) {
  const { t } = useTranslation("spending");
  const client = useQueryClient();
  const { settings, store } = useSettings();
  const { price } = edited;
  const [model, setModel] = useState(edited.model ?? "");
  const [typed, setTyped] = useState<Record<Part, string>>({
    input: writeDollars(price?.input ?? null),
    output: writeDollars(price?.output ?? null),
    cached: writeDollars(price?.cached_input ?? null),
    cacheWrite: writeDollars(price?.cache_write ?? null),
  });
  const [wrong, setWrong] = useState<Wrong>({});
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const own = settings?.prices[edited.model ?? ""] !== undefined;
  const error = (field: keyof Wrong) => wrong[field] && t(`wrong.${wrong[field]}`);

  const keep = async (prices: Record<string, Price>) => {
    setBusy(true);
    setFailure(null);
    try {
      await store({ prices });
      // The table behind is true when it is seen again.
      await client.invalidateQueries(queries.prices());
      onClose();
    } catch (thrown) {
      setFailure(thrown);
      setBusy(false);
    }
  };
  const save = () => {
    const name = model.trim();
    const found: Wrong = name === "" ? { model: "model" } : /\*./.test(name) ? { model: "star" } : {};
    const micros: Partial<Record<Part, number | null>> = {};
    for (const part of PARTS) {
      const amount = readDollars(typed[part]);
      if ("wrong" in amount) found[part] = amount.wrong;
      else if (amount.micros === null && NEEDED.includes(part)) found[part] = "missing";
      else micros[part] = amount.micros;
    }
    setWrong(found);
    const { input = null, output = null, cached = null, cacheWrite = null } = micros;
    if (Object.keys(found).length > 0 || input === null || output === null) return;
    void keep({ ...settings?.prices, [name]: { input, output, cached_input: cached, cache_write: cacheWrite } });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) save();
  };
  const reset = () => {
    const others = Object.entries(settings?.prices ?? {}).filter(([name]) => name !== model);
    void keep(Object.fromEntries(others));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={edited.model === null ? t("edit.new") : t("edit.title", { model: edited.model })}
      description={t("edit.hint")}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button type="submit" form="price" variant="primary" disabled={busy}>
            {t("edit.save")}
          </Button>
        </>
      }
    >
      <form id="price" className={css.price} onSubmit={submit}>
        {edited.model === null && (
          <TextField
            className={css.wholeRow}
            label={t("edit.model")}
            description={t("edit.modelHint")}
            error={error("model")}
            autoComplete="off"
            spellCheck={false}
            value={model}
            onChange={setModel}
          />
        )}
        {PARTS.map((part) => (
          <TextField
            key={part}
            label={t(`edit.${part}`)}
            description={NEEDED.includes(part) ? undefined : t("edit.asInput")}
            error={error(part)}
            inputMode="decimal"
            autoComplete="off"
            value={typed[part]}
            onChange={(text) => setTyped({ ...typed, [part]: text })}
          />
        ))}
      </form>
      {own && (
        <p className={css.resetRow}>
          <Button variant="quiet" disabled={busy} onClick={reset}>
            {t("edit.reset")}
          </Button>
          <span className={quiet.note}>{t("edit.resetHint")}</span>
        </p>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </Dialog>
  );
}
