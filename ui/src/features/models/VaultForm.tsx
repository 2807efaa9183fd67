// The encrypted file: made with a new passphrase that is asked twice, opened with it, discarded after a question.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState, type FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type KeysState } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, SecretField, takeSecret, useAct } from "@/shared/kit";
import css from "./models.module.css";

const SHORTEST = 8;

export interface VaultFormProps {
  /** No file yet: a new passphrase is chosen. */
  fresh: boolean;
  onOpened: (state: KeysState) => void;
  onDiscarded: () => void;
}

export function VaultForm({ fresh, onOpened, onDiscarded }: VaultFormProps) {
  const { t } = useTranslation("keys");
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState<"short" | "differ" | "wrong" | null>(null);
  const { running: busy, failure, act } = useAct();

  const open = () => {
    const typed = first.current?.value ?? "";
    if (fresh && [...typed].length < SHORTEST) return setWrong("short");
    if (fresh && typed !== second.current?.value) return setWrong("differ");
    setWrong(null);
    void act(async () => {
      takeSecret(second);
      try {
        onOpened(await call("vault_unlock", { passphrase: takeSecret(first) }));
      } catch (thrown) {
        first.current?.focus();
        if (toFailure(thrown).code !== "vault_wrong_passphrase") throw thrown;
        setWrong("wrong");
      }
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    open();
  };
  return (
    <form className={css.vault} onSubmit={submit}>
      <p className={quiet.words}>{t(fresh ? "vault.newHint" : "vault.hint")}</p>
      <SecretField
        ref={first}
        label={t(fresh ? "vault.new" : "vault.passphrase")}
        error={wrong === "short" ? t("vault.short") : wrong === "wrong" ? t("vault.wrong") : undefined}
        autoFocus
      />
      {fresh && (
        <SecretField ref={second} label={t("vault.again")} error={wrong === "differ" ? t("vault.differ") : undefined} />
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
      <div className={css.buttons}>
        <Button type="submit" variant="primary" disabled={busy}>
          {t(busy ? "vault.opening" : fresh ? "vault.make" : "vault.open")}
        </Button>
        {!fresh && <Discard onDiscard={() => void act(() => call("vault_discard").then(onDiscarded))} />}
      </div>
    </form>
  );
}

function Discard({ onDiscard }: { onDiscard: () => void }) {
  const { t } = useTranslation("keys");
  const [asked, setAsked] = useState(false);
  const sealing = useQuery({ ...queries.sealing(), enabled: asked }).data;
  const sealed = sealing?.place === "vault" && (sealing.on || sealing.sealed_bytes > 0);
  const discard = () => {
    setAsked(false);
    onDiscard();
  };
  return (
    <>
      <Button variant="quiet" onClick={() => setAsked(true)}>
        {t("vault.forgotten")}
      </Button>
      <Dialog
        open={asked}
        onClose={() => setAsked(false)}
        title={t("vault.discardConfirm")}
        description={[
          t("vault.discardText"),
          sealed && t(sealing.recovery ? "vault.discardRecovered" : "vault.discardSealed"),
        ]
          .filter(Boolean)
          .join(" ")}
        footer={
          <>
            <Button onClick={() => setAsked(false)}>{t("cancel", { ns: "common" })}</Button>
            <Button variant="danger" onClick={discard}>
              {t("vault.discard")}
            </Button>
          </>
        }
      />
    </>
  );
}
