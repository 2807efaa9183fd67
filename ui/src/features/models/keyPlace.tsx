// Where a key is kept. With an open keyring or file nobody is asked; otherwise the person chooses, in the place where
// the key was entered. Plain text is never among the choices.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type KeysState, type Place } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice, Spinner } from "@/shared/kit";
import css from "./models.module.css";
import { VaultForm } from "./VaultForm";

export interface KeyPlaceQuestion {
  /** The place, at once or when the person has chosen; null when they would rather not. */
  ask: () => Promise<Place | null>;
  /** To be shown near the key while it is there. */
  question: ReactNode;
}

/** `session`: whether a key may be kept for this session only. */
export function useKeyPlace({ session = true } = {}): KeyPlaceQuestion {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<{ answer: (place: Place | null) => void } | null>(null);
  const ask = async () => {
    const { place } = await client.fetchQuery(queries.keys());
    const usable = place !== null && (session || place !== "session");
    return usable ? place : new Promise<Place | null>((answer) => setWaiting({ answer }));
  };
  const chosen = (place: Place | null) => {
    setWaiting(null);
    waiting?.answer(place);
  };
  return { ask, question: waiting && <PlaceChoice session={session} onChosen={chosen} /> };
}

function PlaceChoice({ session, onChosen }: { session: boolean; onChosen: (place: Place | null) => void }) {
  const { t } = useTranslation("keys");
  const client = useQueryClient();
  const { data } = useQuery(queries.keys());
  const [busy, setBusy] = useState(false);
  const [vault, setVault] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // Also when the keyring was opened elsewhere.
  const place = data?.place ?? null;
  useEffect(() => {
    if (place !== null && (session || place !== "session")) onChosen(place);
  }, [place, session, onChosen]);
  if (!data || data.keyring === "unlocked") return null;
  const keyring = data.keyring;

  const settled = (state: KeysState) => client.setQueryData(queries.keys().queryKey, state);
  const retry = async (command: "keyring_unlock" | "key_state") => {
    setBusy(true);
    setFailure(null);
    try {
      settled(await call(command));
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={css.place} role="group" aria-label={t("place.title")}>
      <Notice tone="warn" title={t(`place.${keyring}`)}>
        {t("place.ask")}
      </Notice>
      <div className={css.buttons}>
        {keyring === "locked" && (
          <Button variant="primary" disabled={busy} onClick={() => void retry("keyring_unlock")}>
            {t("unlockKeyring")}
          </Button>
        )}
        {keyring === "silent" && (
          <Button variant="primary" disabled={busy} onClick={() => void retry("key_state")}>
            {t("place.retry")}
          </Button>
        )}
        {session && <Button onClick={() => onChosen("session")}>{t("place.session")}</Button>}
        <Button aria-expanded={vault} onClick={() => setVault(!vault)}>
          {t("place.vault")}
        </Button>
        <Button variant="quiet" onClick={() => onChosen(null)}>
          {t("cancel", { ns: "common" })}
        </Button>
        {busy && <Spinner label={t("place.waiting")} />}
      </div>
      {vault && (
        <VaultForm
          key={data.vault}
          fresh={data.vault === "absent"}
          onOpened={settled}
          onDiscarded={() => setFailure(null)}
        />
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
