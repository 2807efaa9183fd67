// The page of the settings: the remotes, each with a test, and the form for another one.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { useKeyWords } from "@/features/models";
import { call, type RemoteItem, type RemoteTested, type SyncRule } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, quiet, Select, Spinner } from "@/shared/kit";
import { AddRemote } from "./AddRemote";
import css from "./remotes.module.css";
import { placeOf } from "./words";

export function RemotesPage() {
  const { t } = useTranslation("remotes");
  const client = useQueryClient();
  const remotes = useQuery(queries.remotes());
  const settings = useQuery(queries.settings()).data;
  const [adding, setAdding] = useState(false);
  const renew = () => client.invalidateQueries({ queryKey: queries.remotes().queryKey });
  return (
    <div className={css.page}>
      <p className={quiet.note}>{t("hint")}</p>
      {settings?.privacy.local_only && (
        <Notice
          actions={<Button onClick={() => openOverlay({ kind: "settings", tab: "privacy" })}>{t("toPrivacy")}</Button>}
        >
          {t("off")}
        </Notice>
      )}
      {remotes.isError && <ErrorNotice failure={remotes.error} />}
      {remotes.isPending && <Spinner />}
      {remotes.data?.length === 0 && !adding && <p className={quiet.note}>{t("none")}</p>}
      <ul>
        {remotes.data?.map((remote) => (
          <Remote key={remote.name} remote={remote} onChanged={() => void renew()} />
        ))}
      </ul>
      {adding ? (
        <AddRemote
          names={remotes.data?.map(({ name }) => name) ?? []}
          onDone={() => {
            setAdding(false);
            void renew();
          }}
          onCancel={() => setAdding(false)}
        />
      ) : (
        <p>
          <Button disabled={settings?.privacy.local_only} onClick={() => setAdding(true)}>
            {t("add.open")}
          </Button>
        </p>
      )}
    </div>
  );
}

const RULES: readonly SyncRule[] = ["by_hand", "after_each", "daily", "on_close"];

function Remote({ remote: { name, at, key_place, allowed, sync, synced }, onChanged }: { remote: RemoteItem; onChanged: () => void }) {
  const { t } = useTranslation("remotes");
  const words = useKeyWords();
  const [testing, setTesting] = useState(false);
  const [tested, setTested] = useState<RemoteTested | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [asked, setAsked] = useState(false);
  const test = async () => {
    setTesting(true);
    setFailure(null);
    setTested(null);
    try {
      setTested(await call("remote_test", { name }));
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setTesting(false);
    }
  };
  const remove = () => {
    setAsked(false);
    call("remote_remove", { name }).then(onChanged, setFailure);
  };
  return (
    <li className={css.item}>
      <div className={css.itemText}>
        <strong>{name}</strong>
        <span className={css.path}>{placeOf(at)}</span>
        <span className={quiet.note}>
          {[t(`kind.${at.kind}`), words.place(key_place), !allowed && t("notAllowed")].filter(Boolean).join(" · ")}
        </span>
      </div>
      <Button aria-label={t("testOne", { name })} disabled={testing || !allowed} onClick={() => void test()}>
        {t("test")}
      </Button>
      <Button aria-label={t("removeOne", { name })} onClick={() => setAsked(true)}>
        {t("remove")}
      </Button>
      <div className={css.wide}>
        <Select
          label={t("sync.label")}
          value={sync}
          onChange={(rule) => call("remote_sync", { name, sync: rule }).then(onChanged, setFailure)}
          options={RULES.map((rule) => ({ value: rule, label: t(`sync.${rule}`) }))}
          disabled={!allowed}
        />
      </div>
      {synced.map(({ project_id, project, synced: { at, waiting, conflicts, failed } }) => (
        <div key={project_id} className={css.wide}>
          <p className={quiet.note}>
            {failed === null
              ? t("sync.sent", { project, when: formatMoment(Date.parse(at)) })
              : t("sync.failed", { project, detail: failed })}
          </p>
          {waiting > 0 && (
            <Notice tone={conflicts.length > 0 ? "warn" : "info"}>
              {t("sync.waiting", { count: waiting, n: formatNumber(waiting) })}{" "}
              {conflicts.length > 0 && t("sync.conflict")}
            </Notice>
          )}
        </div>
      ))}
      {testing && <Spinner label={t("testing")} />}
      {tested && (
        <p className={css.wide} role="status">
          {t("answers", { count: tested.checkpoints, n: formatNumber(tested.checkpoints) })}
        </p>
      )}
      {failure !== null && (
        <div className={css.wide}>
          <ErrorNotice failure={failure} />
        </div>
      )}
      <Dialog
        open={asked}
        onClose={() => setAsked(false)}
        title={t("removeConfirm", { name })}
        description={t("removeText")}
        footer={
          <>
            <Button onClick={() => setAsked(false)}>{t("cancel", { ns: "common" })}</Button>
            <Button variant="danger" onClick={remove}>
              {t("remove")}
            </Button>
          </>
        }
      />
    </li>
  );
}
