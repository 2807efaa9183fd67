// Entering or replacing the key of a provider that is connected.
import { useRef, useState, type FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type ProviderItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, SecretField, takeSecret } from "@/shared/kit";
import { useKeyPlace } from "./keyPlace";
import css from "./models.module.css";

export interface KeyFormProps {
  provider: ProviderItem;
  onStored: () => void;
  onCancel: () => void;
}

export function KeyForm({ provider: { name, key }, onStored, onCancel }: KeyFormProps) {
  const { t } = useTranslation("keys");
  const field = useRef<HTMLInputElement>(null);
  const [hasKey, setHasKey] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const keyPlace = useKeyPlace();

  const store = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const place = await keyPlace.ask();
      if (place === null) return;
      await call("key_set", { provider: name, key: field.current?.value ?? "", place });
      takeSecret(field);
      onStored();
    } catch (thrown) {
      setFailure(thrown);
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
          onInput={() => setHasKey(field.current?.value.trim() !== "")}
        />
        <Button type="submit" variant="primary" disabled={!hasKey || busy}>
          {t(key ? "replaceNow" : "store")}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {t("cancel", { ns: "common" })}
        </Button>
      </form>
      {keyPlace.question}
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
