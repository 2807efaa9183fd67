// Connecting a model: paste a key whose provider is recognised by how it begins, or give any address with its format
// and, where it wants one, a key; or the command that starts an agent, which has none. Tested before anything is kept.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useRef, useState, type FormEvent } from "react";
import { call, type ProviderKind, type ProviderRecord } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { announce, Button, quiet, SecretField, Select, Spinner, takeSecret, TextField } from "@/shared/kit";
import { connected, keep, test, type Tested } from "./connect";
import { useKeyPlace } from "./keyPlace";
import css from "./models.module.css";
import { ProviderTrouble } from "./ProviderTrouble";
import { TestedProvider } from "./TestedProvider";
import { useKindName } from "./words";

type Kind = Exclude<ProviderKind, "offline">;
const EXAMPLES: Record<Kind, string> = {
  openai: "http://127.0.0.1:8080/v1",
  anthropic: "https://api.anthropic.com/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta",
  ollama: "http://127.0.0.1:11434",
  agent: "claude-agent-acp",
};
const KINDS = Object.keys(EXAMPLES) as Kind[];

interface Failed {
  failure: unknown;
  /** What "Keep it anyway" would keep; null when it was tested and could not be kept. */
  untested: ProviderRecord | null;
}

/** Known makers, by the names that people know them by. */
const MAKERS: readonly { label: string; record: ProviderRecord }[] = [
  { label: "Anthropic", record: { name: "Anthropic", kind: "anthropic", base_url: EXAMPLES.anthropic } },
  { label: "OpenAI", record: { name: "OpenAI", kind: "openai", base_url: "https://api.openai.com/v1" } },
  { label: "Google", record: { name: "Gemini", kind: "gemini", base_url: EXAMPLES.gemini } },
  { label: "OpenRouter", record: { name: "OpenRouter", kind: "openai", base_url: "https://openrouter.ai/api/v1" } },
  { label: "Mistral", record: { name: "Mistral", kind: "openai", base_url: "https://api.mistral.ai/v1" } },
  { label: "DeepSeek", record: { name: "DeepSeek", kind: "openai", base_url: "https://api.deepseek.com/v1" } },
  { label: "Groq", record: { name: "Groq", kind: "openai", base_url: "https://api.groq.com/openai/v1" } },
  { label: "xAI", record: { name: "xAI", kind: "openai", base_url: "https://api.x.ai/v1" } },
];

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
  const [busy, setBusy] = useState(false);
  const [tested, setTested] = useState<Tested | null>(null);
  const [failed, setFailed] = useState<Failed | null>(null);
  /** Name of the one that was kept without a test. */
  const [untested, setUntested] = useState<string | null>(null);
  const keyPlace = useKeyPlace();

  const agent = elsewhere && kind === "agent";
  // Some keys begin like another maker's: whom the person names is asked.
  const record = elsewhere && url.trim() !== "" ? recordAt(kind, url) : agent ? null : (maker ?? recognised);
  const earlier = record && connected(record, known);

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
    const result =
      key === "" ? await keep(wanted, null, known) : await keyPlace.keep((place) => keep(wanted, { key, place }, known));
    if (result === null) return null;
    emptied();
    setUrl("");
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
      let models;
      try {
        models = await test(wanted, typed(), known);
      } catch (failure) {
        return setFailed({ failure, untested: wanted });
      }
      const result = await kept(wanted);
      if (!result) return;
      setTested({ ...result, models });
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
    if (busy) return;
    if (record && (hasKey || record !== maker)) void run(record);
    else if (hasKey) show(true, kind === "agent" ? "openai" : kind);
  };
  const show = (open: boolean, next: Kind) => {
    // An agent has no key: what was pasted is not kept behind it.
    if (open && next === "agent") emptied();
    setElsewhere(open);
    setKind(next);
  };
  const testButton = (
    <Button type="submit" variant={record ? "primary" : "plain"} disabled={(!hasKey && (!record || record === maker)) || busy}>
      {t("connect.test")}
    </Button>
  );
  return (
    <div className={css.connect}>
      <form className={css.connect} onSubmit={submit}>
        {!agent && (
          <>
            <div className={css.makers} role="group" aria-label={t("connect.makers")}>
              {MAKERS.map(({ label, record: of }) => (
                <Button
                  key={label}
                  className={css.maker}
                  aria-pressed={maker === of}
                  onClick={() => {
                    setMaker(maker === of ? null : of);
                    setFailed(null);
                    field.current?.focus();
                  }}
                >
                  {label}
                </Button>
              ))}
            </div>
            <div className={css.addRow}>
              <SecretField
                ref={field}
                label={
                  elsewhere && url.trim() !== ""
                    ? t("connect.optionalKey")
                    : maker
                      ? t("connect.keyOf", { name: maker.name })
                      : t("connect.key")
                }
                placeholder={t("connect.paste")}
                readOnly={busy}
                onInput={keyChanged}
              />
              {testButton}
            </div>
            <p className={quiet.words} aria-live="polite">
              {earlier && hasKey
                ? t("connect.replaces", { name: earlier.name })
                : record && record === recognised && !maker
                  ? t("connect.recognised", { name: record.name })
                  : hasKey && !record
                    ? t("connect.unknown")
                    : t("connect.hint")}
            </p>
          </>
        )}
        <div className={css.quietRow}>
          <Button
            variant="quiet"
            icon={<ChevronRight aria-hidden />}
            aria-expanded={elsewhere}
            onClick={() => show(!elsewhere, kind)}
          >
            {t("connect.elsewhere")}
          </Button>
        </div>
        {elsewhere && (
          <div className={css.where}>
            <Select<Kind>
              label={t("connect.kind")}
              value={kind}
              onChange={(next) => show(true, next)}
              options={KINDS.map((value) => ({ value, label: kindName(value) }))}
            />
            <TextField
              label={t(agent ? "connect.command" : "connect.url")}
              value={url}
              onChange={setUrl}
              placeholder={EXAMPLES[kind]}
              inputMode={agent ? "text" : "url"}
              autoComplete="off"
              spellCheck={false}
            />
          </div>
        )}
        {agent && (
          <>
            <p className={quiet.words}>{t("connect.agentHint")}</p>
            <div className={css.buttons}>{testButton}</div>
          </>
        )}
      </form>
      {keyPlace.question}
      {busy && !keyPlace.question && <Spinner label={t("connect.testing")} />}
      {failed && (
        <ProviderTrouble
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

/** A provider at any address, named by its host; or an agent, named by the file of its program. */
function recordAt(kind: Kind, typed: string): ProviderRecord {
  if (kind === "agent") {
    const command = typed.trim();
    const program = PROGRAM.exec(command)?.slice(1).find(Boolean) ?? command;
    return { name: program.split(/[\\/]/).findLast(Boolean) ?? program, kind, base_url: command };
  }
  const base_url = typed.trim().replace(/\/+$/, "");
  const name = URL.canParse(base_url) ? new URL(base_url).host : base_url;
  return { name: name || base_url, kind, base_url };
}
