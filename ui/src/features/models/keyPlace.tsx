// Where a key is kept. With an open keyring or file nobody is asked; otherwise the person chooses, in the place where
// the key was entered. Plain text is never among the choices.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useState, type ReactNode } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type KeysState, type Place } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice, Spinner } from "@/shared/kit";
import css from "./models.module.css";
import { VaultForm } from "./vault";

export interface KeyPlaceQuestion {
  /** The place, at once or when the person has chosen; null when they would rather not. */
  ask: () => Promise<Place | null>;
  /** Keeps it there, and asks for another place when an open keyring refuses; null when the person would rather not. */
  keep: <T>(put: (place: Place) => Promise<T>) => Promise<T | null>;
  /** To be shown near the key while it is there. */
  question: ReactNode;
}

/** `session`: whether a key may be kept for this session only. */
export function useKeyPlace({ session = true } = {}): KeyPlaceQuestion {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<{ answer: (place: Place | null) => void; refused: boolean } | null>(null);
  const choice = (refused: boolean) => new Promise<Place | null>((answer) => setWaiting({ answer, refused }));
  const ask = async () => {
    const { place } = await client.fetchQuery(queries.keys());
    const usable = place !== null && (session || place !== "session");
    return usable ? place : choice(false);
  };
  const keep = async <T,>(put: (place: Place) => Promise<T>) => {
    const place = await ask();
    if (place === null) return null;
    try {
      return await put(place);
    } catch (thrown) {
      if (place !== "keyring" || toFailure(thrown).code !== "keyring_refused") throw thrown;
      const other = await choice(true);
      return other === null ? null : put(other);
    }
  };
  const chosen = (place: Place | null) => {
    setWaiting(null);
    waiting?.answer(place);
  };
  return {
    ask,
    keep,
    question: waiting && <PlaceChoice session={session} refused={waiting.refused} onChosen={chosen} />,
  };
}

interface PlaceChoiceProps {
  session: boolean;
  /** The keyring is open and did not take it, so it is no place for this key. */
  refused: boolean;
  onChosen: (place: Place | null) => void;
}

function PlaceChoice({ session, refused, onChosen }: PlaceChoiceProps) {
  const { t } = useTranslation("keys");
  const client = useQueryClient();
  const { data } = useQuery(queries.keys());
  const [busy, setBusy] = useState(false);
  const [vault, setVault] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // Also when the keyring was opened elsewhere.
  const place = data?.place ?? null;
  useEffect(() => {
    if (place !== null && (session || place !== "session") && !(refused && place === "keyring")) onChosen(place);
  }, [place, session, refused, onChosen]);
  if (!data) return null;
  const trouble = refused ? "refused" : data.keyring;
  if (trouble === "unlocked") return null;

  const settled = (state: KeysState) => {
    showAnswer(client, queries.keys(), state);
    // An open keyring comes before an open file wherever nobody is asked.
    if (refused && state.vault === "unlocked") onChosen("vault");
  };
  const isOpen = refused && data.vault === "unlocked";
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
      <Notice tone="warn" title={t(`place.${trouble}`)}>
        {t("place.ask")}
      </Notice>
      <div className={css.buttons}>
        {trouble === "locked" && (
          <Button variant="primary" disabled={busy} onClick={() => void retry("keyring_unlock")}>
            {t("unlockKeyring")}
          </Button>
        )}
        {trouble === "silent" && (
          <Button variant="primary" disabled={busy} onClick={() => void retry("key_state")}>
            {t("place.retry")}
          </Button>
        )}
        {session && <Button onClick={() => onChosen("session")}>{t("place.session")}</Button>}
        <Button
          aria-expanded={!isOpen && vault}
          onClick={() => (isOpen ? onChosen("vault") : setVault(!vault))}
        >
          {t("place.vault")}
        </Button>
        <Button variant="quiet" onClick={() => onChosen(null)}>
          {t("cancel", { ns: "common" })}
        </Button>
        {busy && <Spinner label={t("place.waiting")} />}
      </div>
      {vault && (
        <Suspense>
          <VaultForm
            key={data.vault}
            fresh={data.vault === "absent"}
            onOpened={settled}
            onDiscarded={() => setFailure(null)}
          />
        </Suspense>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
