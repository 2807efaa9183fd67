// Connecting a model: paste a key whose provider is recognised by how it begins, or give any address with its format
// and, where it wants one, a key; or the command that starts an agent, which has none. Tested before anything is kept.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useRef, useState, type FormEvent } from "react";
import { call, type ProviderRecord } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { intoSight } from "@/shared/intoSight";
import { announce, Button, quiet, SecretField, Select, Spinner, takeSecret, TextField } from "@/shared/kit";
import { ADDRESSES, connected, isTaken, keep, nowConnected, test, type Kind, type Tested } from "./connect";
import { useKeyPlace } from "./keyPlace";
import { Makers } from "./Makers";
import css from "./models.module.css";
import { ProviderTrouble } from "./ProviderTrouble";
import { TestedProvider } from "./TestedProvider";
import { useKindName } from "./words";

const KINDS = Object.keys(ADDRESSES) as Kind[];

interface Failed {
  failure: unknown;
  /** What "Keep it anyway" would keep; null when it was tested and could not be kept. */
  untested: ProviderRecord | null;
}

interface ConnectProps {
  /** Where it leads once a model answers; nothing where the person stays. */
  onStart?: () => void;
}

export function Connect({ onStart }: ConnectProps) {
  const { t } = useTranslation("keys");
  const kindName = useKindName();
  const { data: known = [] } = useQuery(queries.providers());
  const field = useRef<HTMLInputElement>(null);
  const asked = useRef(0);
  const [hasKey, setHasKey] = useState(false);
  const [recognised, setRecognised] = useState<ProviderRecord | null>(null);
  const [maker, setMaker] = useState<ProviderRecord | null>(null);
  const [elsewhere, setElsewhere] = useState(false);
  const [kind, setKind] = useState<Kind>("openai");
  const [url, setUrl] = useState("");
  /** What a server or an agent is to be called; empty for what its address calls it. */
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [tested, setTested] = useState<Tested | null>(null);
  const [failed, setFailed] = useState<Failed | null>(null);
  /** Name of the one that was kept without a test. */
  const [untested, setUntested] = useState<string | null>(null);
  const keyPlace = useKeyPlace();

  const agent = elsewhere && kind === "agent";
  const addressed = elsewhere && url.trim() !== "";
  // Some keys begin like another maker's: whom the person names is asked.
  const record = addressed ? recordAt(kind, url, name) : agent ? null : (maker ?? recognised);
  const earlier = record && connected(record, known);
  const taken = addressed && !earlier && isTaken(name.trim(), known);

  const typed = () => field.current?.value.trim() ?? "";
  const keyChanged = () => {
    const key = typed();
    setHasKey(key !== "");
    setFailed(null);
    const mine = (asked.current += 1);
    if (key === "") return setRecognised(null);
    call("key_recognise", { key }).then(
      (found) => mine === asked.current && setRecognised(found),
      () => mine === asked.current && setRecognised(null),
    );
  };
  const emptied = () => {
    takeSecret(field);
    keyChanged();
  };
  /** Keeps what is entered; nothing when the person would rather not say where the key should go. */
  const kept = async (wanted: ProviderRecord) => {
    const key = typed();
    const result = key === "" ? await keep(wanted, null) : await keyPlace.keep((place) => keep(wanted, { key, place }));
    if (result === null) return null;
    emptied();
    setUrl("");
    setName("");
    return result;
  };
  const attempt = async (act: () => Promise<void>) => {
    setBusy(true);
    setFailed(null);
    setUntested(null);
    setTested(null);
    try {
      await act();
    } catch (failure) {
      setFailed({ failure, untested: null });
    } finally {
      setBusy(false);
    }
  };
  const run = (wanted: ProviderRecord) =>
    attempt(async () => {
      const outcome = await test(wanted, typed());
      if ("failure" in outcome) return setFailed({ failure: outcome.failure, untested: outcome.record });
      const { record: there, models } = outcome;
      // It is the one that is connected already: what would be replaced is said before it is.
      if (there !== wanted && connected(there, await nowConnected())) return setUrl(there.base_url);
      const result = await kept(there);
      if (!result) return;
      setTested({ ...result, models, address: there === wanted ? null : there.base_url });
      const { provider: name } = result;
      announce(wanted.kind === "agent" ? t("connect.started", { name }) : t("connect.ok", { name, count: models.length }));
    });
  const keepUntested = (wanted: ProviderRecord) =>
    attempt(async () => {
      const result = await kept(wanted);
      if (result) setUntested(result.provider);
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || taken) return;
    if (record && (hasKey || record !== maker)) void run(record);
    else if (hasKey) show(true, kind === "agent" ? "openai" : kind);
  };
  const show = (open: boolean, next: Kind) => {
    // An agent has no key: what was pasted is not kept behind it.
    if (open && next === "agent") emptied();
    setElsewhere(open);
    setKind(next);
    setMaker(null);
    setFailed(null);
  };
  const choose = (next: ProviderRecord | null) => {
    show(false, kind);
    setMaker(next);
    field.current?.focus();
  };
  return (
    <div className={css.connect}>
      <form className={css.connect} onSubmit={submit}>
        <div className={css.whose}>
          {!agent && <Makers chosen={maker} onChoose={choose} />}
          <Button
            variant="quiet"
            className={css.elsewhere}
            icon={<ChevronRight aria-hidden />}
            aria-expanded={elsewhere}
            onClick={() => show(!elsewhere, kind)}
          >
            {t("connect.elsewhere")}
          </Button>
        </div>
        <div className={css.line}>
          {elsewhere && (
            <Select<Kind>
              label={t("connect.kind")}
              value={kind}
              onChange={(next) => show(true, next)}
              options={KINDS.map((value) => ({ value, label: kindName(value) }))}
            />
          )}
          {elsewhere && (
            <TextField
              className={css.long}
              label={t(agent ? "connect.command" : "connect.url")}
              value={url}
              onChange={setUrl}
              placeholder={ADDRESSES[kind]}
              inputMode={agent ? "text" : "url"}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          {elsewhere && (
            <TextField
              className={css.short}
              label={t("connect.name")}
              value={earlier ? "" : name}
              onChange={setName}
              // One that is connected keeps its name.
              disabled={Boolean(earlier)}
              placeholder={earlier ? earlier.name : addressed ? recordAt(kind, url).name : undefined}
              error={taken && t("connect.taken", { name: name.trim() })}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <div className={css.pressed}>
            {!agent && (
              <SecretField
                ref={field}
                label={addressed ? t("connect.optionalKey") : maker ? t("connect.keyOf", { name: maker.name }) : t("connect.key")}
                placeholder={t("connect.paste")}
                readOnly={busy}
                onInput={keyChanged}
              />
            )}
            <Button
              type="submit"
              variant={record ? "primary" : "plain"}
              disabled={(!hasKey && (!record || record === maker)) || busy || taken}
            >
              {t("connect.test")}
            </Button>
          </div>
        </div>
        <p className={quiet.words} aria-live="polite">
          {agent
            ? t("connect.agentHint")
            : earlier && hasKey
              ? t("connect.replaces", { name: earlier.name })
              : record && record === recognised && !maker
                ? t("connect.recognised", { name: record.name })
                : hasKey && !record
                  ? t("connect.unknown")
                  : t(addressed ? "connect.elsewhereHint" : "connect.hint")}
        </p>
      </form>
      {keyPlace.question}
      {busy && !keyPlace.question && <Spinner label={t("connect.testing")} />}
      {failed && (
        <ProviderTrouble
          ref={intoSight}
          agent={failed.untested?.kind === "agent"}
          failure={failed.failure}
          onEnterKey={() => field.current?.focus()}
          onSolved={() => record && void run(record)}
          actions={
            failed.untested && (
              <Button onClick={() => void keepUntested(failed.untested!)}>{t("connect.keep")}</Button>
            )
          }
        />
      )}
      {failed && <p className={quiet.words}>{t(earlier && hasKey ? "connect.earlierStays" : "connect.nothing")}</p>}
      {untested !== null && (
        <p className={quiet.words} role="status">
          {t("connect.kept", { name: untested })}
        </p>
      )}
      {tested && <TestedProvider key={tested.provider} tested={tested} onStart={onStart} />}
    </div>
  );
}

/** The first word of a command, which may stand in quotes. */
const PROGRAM = /^(?:"([^"]+)"|'([^']+)'|(\S+))/;

/** A server or an agent as it is written. */
function recordAt(kind: Kind, typed: string, name = ""): ProviderRecord {
  const base_url = kind === "agent" ? typed.trim() : typed.trim().replace(/\/+$/, "");
  return { name: name.trim() || nameAt(kind, base_url), kind, base_url };
}

/** What it is called where the person calls it nothing: its host, or the file of the program that is started. */
function nameAt(kind: Kind, address: string): string {
  if (kind === "agent") {
    const program = PROGRAM.exec(address)?.slice(1).find(Boolean) ?? address;
    return program.split(/[\\/]/).findLast(Boolean) ?? program;
  }
  return (URL.canParse(address) && new URL(address).host) || address;
}
