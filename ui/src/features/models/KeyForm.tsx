// Entering or replacing the key of a provider that is connected: tested first, so that a key that works is not given
// up for one that does not.
import { useRef, useState, type FormEvent } from "react";
import { call, type ProviderItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { intoSight } from "@/shared/intoSight";
import { Button, quiet, SecretField, Spinner, takeSecret } from "@/shared/kit";
import { useKeyPlace } from "./keyPlace";
import css from "./models.module.css";
import { ProviderTrouble } from "./ProviderTrouble";

export interface KeyFormProps {
  provider: ProviderItem;
  onStored: () => void;
  onCancel: () => void;
}

export function KeyForm({ provider, onStored, onCancel }: KeyFormProps) {
  const { t } = useTranslation("keys");
  const { name, kind, base_url, key } = provider;
  const field = useRef<HTMLInputElement>(null);
  const [hasKey, setHasKey] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<{ failure: unknown; tested: boolean } | null>(null);
  const keyPlace = useKeyPlace();

  const store = async (untested = false) => {
    const typed = field.current?.value ?? "";
    let tested = untested;
    setBusy(true);
    setFailed(null);
    try {
      if (!untested) await call("key_test", { record: { name, kind, base_url }, key: typed });
      tested = true;
      const kept = await keyPlace.keep((place) => call("key_set", { provider: name, key: typed, place }));
      if (kept === null) return;
      takeSecret(field);
      onStored();
    } catch (failure) {
      setFailed({ failure, tested });
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (hasKey && !busy) void store();
  };
  return (
    <div className={css.connect}>
      <form className={css.addRow} onSubmit={submit}>
        <SecretField
          ref={field}
          label={t("keyOf", { name })}
          placeholder={t("connect.paste")}
          readOnly={busy}
          autoFocus
          onInput={() => {
            setHasKey(field.current?.value.trim() !== "");
            setFailed(null);
          }}
        />
        <Button type="submit" variant="primary" disabled={!hasKey || busy}>
          {t(key ? "replaceNow" : "store")}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {t("cancel", { ns: "common" })}
        </Button>
      </form>
      {keyPlace.question}
      {busy && !keyPlace.question && <Spinner label={t("connect.testing")} />}
      {failed && (
        <>
          <ProviderTrouble
            ref={intoSight}
            failure={failed.failure}
            onEnterKey={() => field.current?.focus()}
            onSolved={() => void store(failed.tested)}
            actions={!failed.tested && <Button onClick={() => void store(true)}>{t("connect.keep")}</Button>}
          />
          <p className={quiet.words}>{t(key ? "connect.earlierStays" : "connect.notStored")}</p>
        </>
      )}
    </div>
  );
}
