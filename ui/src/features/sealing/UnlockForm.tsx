// Sealed checkpoints whose key is not at hand: by the place that keeps it, or by the recovery passphrase.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useRef, useState, type FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { VaultForm } from "@/features/models";
import { call, toFailure, type CheckpointSealing } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice, SecretField, Spinner, takeSecret, useAct } from "@/shared/kit";
import css from "./sealing.module.css";

export function UnlockForm({ state: { place, recovery } }: { state: CheckpointSealing }) {
  const { t } = useTranslation("sealing");
  const client = useQueryClient();
  const keys = useQuery(queries.keys()).data;
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState(false);
  const { running: busy, failure, act } = useAct();
  const inVault = place === "vault" && keys?.vault === "locked";
  const unlock = (passphrase: string | null) =>
    act(async () => {
      setWrong(false);
      try {
        if (passphrase === null && place === "keyring" && keys?.keyring === "locked") await call("keyring_unlock");
        showAnswer(client, queries.sealing(), await call("checkpoint_unlock", { passphrase }));
        takeSecret(field);
        await client.invalidateQueries({ queryKey: ["checkpoints"] });
      } catch (thrown) {
        field.current?.focus();
        if (toFailure(thrown).code !== "wrong_passphrase") throw thrown;
        setWrong(true);
      }
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = field.current?.value ?? "";
    if (typed !== "") void unlock(typed);
  };
  return (
    <div className={css.locked}>
      <Notice tone="warn" title={t("locked.title")}>
        {t("locked.text")} {inVault && t("locked.inVault")}
      </Notice>
      {inVault ? (
        <Suspense>
          <VaultForm fresh={false} onOpened={() => void unlock(null)} onDiscarded={() => undefined} />
        </Suspense>
      ) : (
        <p>
          <Button variant="primary" disabled={busy} onClick={() => void unlock(null)}>
            {t(place === "keyring" ? "locked.keyring" : "locked.again")}
          </Button>
        </p>
      )}
      {recovery && (
        <form className={css.choices} onSubmit={submit}>
          <SecretField
            ref={field}
            label={t("recovery.label")}
            error={wrong ? t("locked.wrong") : undefined}
            onInput={() => setWrong(false)}
          />
          <Button type="submit" disabled={busy}>
            {t("locked.open")}
          </Button>
        </form>
      )}
      {busy && <Spinner />}
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
