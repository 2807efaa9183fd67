// Why a provider could not be asked, with the way out of it: enter its key, open the keyring or the encrypted file,
// allow other addresses.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState, type ReactNode, type Ref } from "react";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import css from "./models.module.css";
import { VaultForm } from "./vault";

/** What another key, or the same in another place, puts right. */
const NEED_A_KEY: ReadonlySet<string> = new Set([
  "key_missing",
  "key_refused",
  "keyring_absent",
  "keyring_timed_out",
  "keyring_refused",
]);

export interface ProviderTroubleProps {
  /** Where it answers what the person just asked: `intoSight`. */
  ref?: Ref<HTMLDivElement>;
  failure: unknown;
  /** It is an agent, which has no key and a login of its own. */
  agent?: boolean;
  /** Shows where the provider's key is entered. */
  onEnterKey: () => void;
  /** What stood in the way is gone: ask again. */
  onSolved: () => void;
  /** More ways, after those that the failure itself calls for. */
  actions?: ReactNode;
  past?: boolean;
}

export function ProviderTrouble({ ref, failure, agent = false, onEnterKey, onSolved, actions, past }: ProviderTroubleProps) {
  const { t } = useTranslation("keys");
  const [busy, setBusy] = useState(false);
  const [worse, setWorse] = useState<unknown>(null);
  const { code } = toFailure(failure);
  const unlock = async () => {
    setBusy(true);
    setWorse(null);
    try {
      await call("keyring_unlock");
      onSolved();
    } catch (thrown) {
      setWorse(thrown);
    } finally {
      setBusy(false);
    }
  };
  const needsKey = NEED_A_KEY.has(code) && !agent;
  return (
    <div ref={ref} className={css.trouble}>
      <ErrorNotice
        failure={failure}
        agent={agent}
        past={past}
        actions={
          <>
            {needsKey && <Button onClick={onEnterKey}>{t("enter")}</Button>}
            {code === "keyring_locked" && (
              <Button disabled={busy} onClick={() => void unlock()}>
                {t("unlockKeyring")}
              </Button>
            )}
            {code === "provider_not_local" && (
              <Button onClick={() => openOverlay({ kind: "settings", tab: "privacy" })}>{t("toPrivacy")}</Button>
            )}
            {actions}
          </>
        }
      />
      {code === "vault_locked" && <Vault onSolved={onSolved} />}
      {worse !== null && <ErrorNotice failure={worse} />}
    </div>
  );
}

function Vault({ onSolved }: { onSolved: () => void }) {
  const { t } = useTranslation("keys");
  const [asked, setAsked] = useState(false);
  const { data } = useQuery({ ...queries.keys(), enabled: asked });
  // Opened elsewhere meanwhile, or the key went with the file: asking again says which.
  if (!asked || data?.vault === "unlocked" || data?.vault === "absent") {
    return (
      <p>
        <Button onClick={() => (asked ? onSolved() : setAsked(true))}>{t(asked ? "askAgain" : "vault.open")}</Button>
      </p>
    );
  }
  return (
    <Suspense>
      <VaultForm fresh={false} onOpened={onSolved} onDiscarded={onSolved} />
    </Suspense>
  );
}
