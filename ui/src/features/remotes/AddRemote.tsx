// The form for a remote. What is secret stays in its field until it is sent, and goes to the same place as API keys.
import { useRef, useState, type FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { useKeyPlace } from "@/features/models";
import { call, toFailure, type RemotePlace } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, SecretField, Select, Spinner, takeSecret, TextField, useAct } from "@/shared/kit";
import css from "./remotes.module.css";

type Kind = RemotePlace["kind"];

const KINDS: readonly Kind[] = ["folder", "s3", "azure", "gcs"];

/** What of a place is typed, in order. What may stay empty is not asked for. */
const FIELDS = {
  folder: ["path"],
  s3: ["endpoint", "region", "bucket", "prefix", "access_key_id"],
  azure: ["endpoint", "account", "container", "prefix"],
  gcs: ["bucket", "prefix"],
} as const satisfies Record<Kind, readonly string[]>;

type Field = (typeof FIELDS)[Kind][number];

const OPTIONAL: ReadonlySet<Field> = new Set(["endpoint", "prefix"]);

const SHORTEST = 8;

interface AddRemoteProps {
  /** Those that are taken. */
  names: readonly string[];
  onDone: () => void;
  onCancel: () => void;
}

export function AddRemote({ names, onDone, onCancel }: AddRemoteProps) {
  const { t } = useTranslation("remotes");
  const [kind, setKind] = useState<Kind>("folder");
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<Partial<Record<Field, string>>>({});
  const credentials = useRef<HTMLInputElement>(null);
  const passphrase = useRef<HTMLInputElement>(null);
  const again = useRef<HTMLInputElement>(null);
  const keyPlace = useKeyPlace({ session: false });
  const [wrong, setWrong] = useState<Field | "name" | "taken" | "credentials" | "short" | "differ" | null>(null);
  const { running: busy, failure, act } = useAct();
  const value = (field: Field) => typed[field]?.trim() ?? "";

  const add = () => {
    const secret = credentials.current?.value ?? "";
    const phrase = passphrase.current?.value ?? "";
    if (name.trim() === "") return setWrong("name");
    if (names.includes(name.trim())) return setWrong("taken");
    const missing = FIELDS[kind].find((field) => !OPTIONAL.has(field) && value(field) === "");
    if (missing) return setWrong(missing);
    if (kind !== "folder" && secret.trim() === "") return setWrong("credentials");
    if ([...phrase].length < SHORTEST) return setWrong("short");
    if (phrase !== again.current?.value) return setWrong("differ");
    setWrong(null);
    void act(async () => {
      const at = { kind, ...Object.fromEntries(FIELDS[kind].map((field) => [field, value(field)])) } as RemotePlace;
      const added = await keyPlace.keep((key_place) =>
        call("remote_add", {
          name: name.trim(),
          at,
          credentials: kind === "folder" ? null : secret.trim(),
          passphrase: phrase,
          key_place,
        }),
      );
      // The person would rather not, now: what was typed stays.
      if (added === null) return;
      for (const field of [credentials, passphrase, again]) takeSecret(field);
      onDone();
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add();
  };
  const isWrong = failure !== null && toFailure(failure).code === "wrong_passphrase";
  const pick = () =>
    act(async () => {
      const path = await call("pick_folder");
      if (path !== null) setTyped({ ...typed, path });
    });
  return (
    <form className={css.form} onSubmit={submit} aria-label={t("add.title")}>
      <Select
        label={t("add.kind")}
        value={kind}
        onChange={setKind}
        options={KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
      />
      <TextField
        label={t("add.name")}
        value={name}
        onChange={setName}
        autoComplete="off"
        error={wrong === "name" ? t("add.missing") : wrong === "taken" ? t("add.taken") : undefined}
      />
      {FIELDS[kind].map((field) => (
        <div key={field} className={css.typed}>
          <TextField
            label={t(`field.${field}`)}
            value={typed[field] ?? ""}
            onChange={(text) => setTyped({ ...typed, [field]: text })}
            autoComplete="off"
            spellCheck={false}
            description={OPTIONAL.has(field) ? t(`fieldHint.${field as "endpoint" | "prefix"}`) : undefined}
            error={wrong === field ? t("add.missing") : undefined}
          />
          {field === "path" && <Button onClick={() => void pick()}>{t("add.choose")}</Button>}
        </div>
      ))}
      {kind !== "folder" && (
        <SecretField
          ref={credentials}
          label={t(`secret.${kind}`)}
          error={wrong === "credentials" ? t("add.missing") : undefined}
        />
      )}
      <SecretField
        ref={passphrase}
        label={t("add.passphrase")}
        description={t("add.passphraseHint")}
        error={
          wrong === "short" ? t("add.short", { count: SHORTEST }) : isWrong ? t("add.wrong") : undefined
        }
      />
      <SecretField ref={again} label={t("add.again")} error={wrong === "differ" ? t("add.differ") : undefined} />
      {keyPlace.question}
      {failure !== null && !isWrong && <ErrorNotice failure={failure} />}
      <div className={css.buttons}>
        <Button type="submit" variant="primary" disabled={busy}>
          {t("add.do")}
        </Button>
        <Button variant="quiet" disabled={busy} onClick={onCancel}>
          {t("cancel", { ns: "common" })}
        </Button>
        {busy && !keyPlace.question && <Spinner label={t("testing")} />}
      </div>
    </form>
  );
}
