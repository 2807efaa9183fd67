// Whether checkpoints are sealed, how far that is, and the passphrase that opens them when their key is lost.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { useKeyPlace } from "@/features/models";
import { call, type CheckpointSealing } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, useTranslation } from "@/shared/i18n";
import { Button, Notice, Progress, quiet, Switch } from "@/shared/kit";
import { RecoveryDialog } from "./RecoveryDialog";
import { seal, unseal, useSealRun } from "./run";
import css from "./sealing.module.css";
import { UnlockForm } from "./UnlockForm";

export function Sealing() {
  const { t } = useTranslation("sealing");
  const state = useQuery(queries.sealing());
  if (state.isError) return <ErrorNotice failure={state.error} />;
  return state.data ? <Shown state={state.data} label={t("on")} /> : null;
}

function Shown({ state, label }: { state: CheckpointSealing; label: string }) {
  const { t } = useTranslation("sealing");
  const client = useQueryClient();
  const { event, seals, failure } = useSealRun();
  const keyPlace = useKeyPlace({ session: false });
  const [recovering, setRecovering] = useState(false);
  const { on, locked, working, recovery, sealed_bytes, plain_bytes } = state;
  const busy = event !== null || working;
  const left = on ? plain_bytes : sealed_bytes;
  const renew = () => client.invalidateQueries({ queryKey: queries.sealing().queryKey });
  const switchOn = async () => {
    // A key that is kept already stays where it is.
    const place = state.place ?? (await keyPlace.ask());
    if (place === null) return;
    const done = await seal(state.place === null ? place : null);
    await renew();
    if (done && !recovery) setRecovering(true);
  };
  const switchOff = async () => {
    await unseal();
    await renew();
  };
  return (
    <section className={css.sealing} aria-label={label}>
      <Switch
        label={label}
        description={t("onHint")}
        checked={on}
        disabled={busy || locked || keyPlace.question !== null}
        onChange={(next) => void (next ? switchOn() : switchOff()).catch(tellFailure)}
      />
      {keyPlace.question}
      {busy && (
        <div className={css.progress}>
          <Progress
            label={t((event === null ? on : seals) ? "sealing" : "opening")}
            value={event && event.total > 0 ? event.done / event.total : null}
            detail={event && event.total > 0 ? t("of", { done: formatBytes(event.done), total: formatBytes(event.total) }) : null}
          />
          <Button onClick={() => void call("checkpoint_seal_cancel").catch(tellFailure)}>
            {t("cancel", { ns: "common" })}
          </Button>
        </div>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
      {!busy && !locked && left > 0 && (
        <Notice
          actions={<Button onClick={() => void (on ? seal(null) : unseal()).then(renew)}>{t("goOn")}</Button>}
        >
          {t(on ? "leftPlain" : "leftSealed", { size: formatBytes(left) })}
        </Notice>
      )}
      {locked && <UnlockForm state={state} />}
      {on && !locked && (
        <>
          {!busy && left === 0 && <p className={quiet.note}>{t("whole", { size: formatBytes(sealed_bytes) })}</p>}
          {!recovery && !busy && <Notice tone="warn">{t("recovery.none")}</Notice>}
          <p>
            <Button disabled={busy} onClick={() => setRecovering(true)}>
              {t(recovery ? "recovery.another" : "recovery.make")}
            </Button>
          </p>
        </>
      )}
      {recovering && (
        <RecoveryDialog
          replaces={recovery}
          onClose={() => {
            setRecovering(false);
            void renew();
          }}
        />
      )}
    </section>
  );
}
