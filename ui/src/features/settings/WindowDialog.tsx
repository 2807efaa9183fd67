// How much a model holds, as the person says it: of a model of which nobody else does, what is assumed may be far off.
import { useState, type FormEvent } from "react";
import { closeOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, TextField, useAct } from "@/shared/kit";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

/** As the engine takes it. */
const ENDS = { min: 1_024, max: 100_000_000 };

interface WindowDialogProps {
  model: string;
  /** What it is called. */
  name: string;
  tokens: number;
}

export function WindowDialog({ model, name, tokens }: WindowDialogProps) {
  const { t } = useTranslation("settings");
  const { settings, store } = useSettings();
  const [typed, setTyped] = useState(String(tokens));
  const [wrong, setWrong] = useState(false);
  const { running, failure, act } = useAct();
  const windows = settings?.windows ?? {};
  const keep = async (kept: Record<string, number>) => {
    if (await act(() => store({ windows: kept }))) closeOverlay();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const said = Number(typed.replaceAll(/[\s,]/g, ""));
    const fits = Number.isInteger(said) && said >= ENDS.min && said <= ENDS.max;
    setWrong(!fits);
    if (fits) void keep({ ...windows, [model]: said });
  };
  const reset = () => void keep(Object.fromEntries(Object.entries(windows).filter(([id]) => id !== model)));
  return (
    <Dialog
      open
      onClose={closeOverlay}
      title={t("window.title", { model: name })}
      description={t("window.hint")}
      footer={
        <>
          <Button onClick={closeOverlay}>{t("cancel", { ns: "common" })}</Button>
          <Button type="submit" form="window" variant="primary" disabled={running}>
            {t("window.save")}
          </Button>
        </>
      }
    >
      <form id="window" onSubmit={submit}>
        <TextField
          className={css.amount}
          label={t("window.tokens")}
          error={wrong ? t("window.ends", { min: formatNumber(ENDS.min), max: formatNumber(ENDS.max) }) : null}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={setTyped}
        />
      </form>
      {model in windows && (
        <p className={css.resetRow}>
          <Button variant="quiet" disabled={running} onClick={reset}>
            {t("window.reset")}
          </Button>
          <span className={quiet.note}>{t("window.resetHint")}</span>
        </p>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </Dialog>
  );
}
