// The recovery passphrase: made here or the person's own, and shown this once.
import { Copy } from "lucide-react";
import { useRef, useState, type FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { call } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, SecretField, takeSecret, toast, useAct } from "@/shared/kit";
import { copyText } from "@/shared/clipboard";
import css from "./sealing.module.css";

const SHORTEST = 12;

interface RecoveryDialogProps {
  /** There is one already, which opens nothing any more afterwards. */
  replaces: boolean;
  onClose: () => void;
}

export function RecoveryDialog({ replaces, onClose }: RecoveryDialogProps) {
  const { t } = useTranslation("sealing");
  const own = useRef<HTMLInputElement>(null);
  const [made, setMade] = useState<string | null>(null);
  const [short, setShort] = useState(false);
  const { running: busy, failure, act } = useAct();
  const set = (passphrase: string | null) =>
    act(async () => {
      const shown = await call("checkpoint_recovery_set", { passphrase });
      if (passphrase === null) return setMade(shown.passphrase);
      takeSecret(own);
      toast({ text: t("recovery.set") });
      onClose();
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = own.current?.value ?? "";
    setShort([...typed].length < SHORTEST);
    if ([...typed].length >= SHORTEST) void set(typed);
  };
  const copy = async () => {
    if (made !== null && (await copyText(made))) toast({ text: t("recovery.copied") });
  };
  return (
    <Dialog
      open
      size="m"
      onClose={onClose}
      title={t("recovery.title")}
      description={t("recovery.text")}
      footer={
        made !== null && (
          <>
            <Button icon={<Copy aria-hidden />} onClick={() => void copy()}>
              {t("recovery.copy")}
            </Button>
            <Button variant="primary" onClick={onClose}>
              {t("recovery.written")}
            </Button>
          </>
        )
      }
    >
      {made !== null ? (
        <>
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard selects it */}
          <p className={css.passphrase} tabIndex={0} aria-label={t("recovery.label")} data-selectable>
            {made}
          </p>
          <p className={quiet.note}>{t("recovery.once")}</p>
        </>
      ) : (
        <form className={css.choices} onSubmit={submit}>
          {replaces && <p className={quiet.note}>{t("recovery.replaces")}</p>}
          <Button variant="primary" disabled={busy} onClick={() => void set(null)}>
            {t("recovery.generate")}
          </Button>
          <SecretField
            ref={own}
            label={t("recovery.own")}
            error={short ? t("recovery.short", { count: SHORTEST }) : undefined}
            onInput={() => setShort(false)}
          />
          <Button type="submit" disabled={busy}>
            {t("recovery.useOwn")}
          </Button>
        </form>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </Dialog>
  );
}
