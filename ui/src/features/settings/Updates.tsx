// Newer versions of the program: asked for when the person presses, shown before anything is fetched, and put in place when
// they press again. Where nobody signs for this copy, it says so and offers nothing.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type Installed, type Update, type UpdateLooked } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { formatBytes, formatMoment, useTranslation } from "@/shared/i18n";
import { Button, CopyButton, Notice, Progress, quiet, Spinner, useAct } from "@/shared/kit";
import css from "./settings.module.css";
import { cancelUpdate, fetchUpdate, forgetFailure, useUpdating } from "./updating";

export function Updates() {
  const { t } = useTranslation("settings");
  const state = useQuery(queries.update());
  return (
    <section className={css.group} aria-labelledby="settings-updates">
      <h4 id="settings-updates" className={css.heading}>
        {t("updates.title")}
      </h4>
      {state.isPending && <Spinner />}
      {state.isError && <ErrorNotice failure={state.error} />}
      {state.data &&
        (state.data.feed === null ? (
          <p>{t("updates.nobody")}</p>
        ) : state.data.installed_as === "by_hand" ? (
          <p>{t("updates.byHand")}</p>
        ) : (
          <Steps feed={state.data.feed} update={state.data.update} fetched={state.data.fetched} />
        ))}
    </section>
  );
}

interface StepsProps {
  feed: string;
  update: Update | null;
  fetched: boolean;
}

function Steps({ feed, update, fetched }: StepsProps) {
  const { t } = useTranslation("settings");
  const client = useQueryClient();
  const [looked, setLooked] = useState<UpdateLooked | null>(null);
  const [installed, setInstalled] = useState<Installed | null>(null);
  const { running, failure, act } = useAct();
  const { run, failure: cut } = useUpdating();
  const isRunning = run !== null;
  useEffect(() => {
    // What a download left is the program's to say.
    if (!isRunning) void client.invalidateQueries({ queryKey: queries.update().queryKey });
  }, [isRunning, client]);
  const look = () =>
    act(async () => {
      forgetFailure();
      setInstalled(null);
      setLooked(null);
      const found = await call("update_look");
      showAnswer(client, queries.update(), found.state);
      setLooked(found);
    });
  const install = (version: string) =>
    act(async () => {
      const done = await call("update_install", { version });
      setInstalled(done);
      if (done.how === "done") await client.invalidateQueries({ queryKey: queries.update().queryKey });
    });
  const wrong = failure ?? cut;
  const size = update?.size ?? null;
  return (
    <>
      <p className={quiet.note}>{t("updates.asks", { feed })}</p>
      {update && <Shown update={update} fetched={fetched} />}
      {run && (
        <div className={css.fetching}>
          <Progress
            label={t("updates.fetching")}
            value={run.event.of ? run.event.bytes / run.event.of : null}
            detail={[run.event.bytes, run.event.of].filter((bytes) => bytes !== null).map(formatBytes).join(" / ")}
          />
          <Button onClick={cancelUpdate}>{t("cancel", { ns: "common" })}</Button>
        </div>
      )}
      {wrong !== null && <ErrorNotice failure={wrong} />}
      {wrong !== null && toFailure(wrong).code === "disk_full" && size !== null && (
        <p className={quiet.note}>{t("updates.needs", { size: formatBytes(size) })}</p>
      )}
      <div role="status">
        {looked && !update && installed === null && (
          <p>{t("updates.newest", { version: looked.state.version, offered: looked.offered })}</p>
        )}
        {installed?.how === "done" && <Notice>{t("updates.done")}</Notice>}
        {installed?.how === "by_command" && <ByCommand command={installed.command} />}
      </div>
      {!isRunning && (
        <div className={css.buttons}>
          {update &&
            (fetched ? (
              <Button variant="primary" disabled={running} onClick={() => void install(update.version)}>
                {t("updates.install")}
              </Button>
            ) : (
              <Button variant="primary" disabled={running} onClick={() => void fetchUpdate(update.version)}>
                {size === null ? t("updates.get") : t("updates.getSize", { size: formatBytes(size) })}
              </Button>
            ))}
          <Button disabled={running} onClick={() => void look()}>
            {t("updates.look")}
          </Button>
          {running && <Spinner />}
        </div>
      )}
    </>
  );
}

/** A newer version, with what would be fetched or was. */
function Shown({ update: { version, notes, published_at, url, host, size }, fetched }: { update: Update; fetched: boolean }) {
  const { t } = useTranslation("settings");
  return (
    <div className={css.group}>
      <p>
        <strong>{t("updates.newer", { version })}</strong>{" "}
        {published_at !== null && <span className={quiet.note}>{formatMoment(Date.parse(published_at))}</span>}
      </p>
      {notes !== "" && (
        <div className={css.notes} role="group" tabIndex={0} aria-label={t("updates.notes")} data-selectable>
          {notes}
        </div>
      )}
      <p className={quiet.note}>
        {t(fetched ? "updates.fetched" : "updates.would", {
          host,
          size: size === null ? t("updates.unsaid") : formatBytes(size),
        })}
      </p>
      <p className={css.address} data-selectable>
        {url}
      </p>
    </div>
  );
}

function ByCommand({ command }: { command: string }) {
  const { t } = useTranslation("settings");
  return (
    <>
      <p>{t("updates.byCommand")}</p>
      <p className={css.folder}>
        <code className={css.address} data-selectable>
          {command}
        </code>
        <CopyButton text={command} />
      </p>
    </>
  );
}
