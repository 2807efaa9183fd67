// The form for a server, new or not. What is secret stays in its field until it is sent, and goes to the same place as
// API keys; everything else is shown again whenever the server is.
import { useEffect, useRef, useState, type FormEvent, type RefObject } from "react";
import { ErrorNotice } from "@/features/errors";
import { useKeyPlace } from "@/features/models";
import { call, type McpItem, type McpRef, type McpTransport, type Place, type ProjectId } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice, SecretField, Select, Spinner, takeSecret, TextArea, TextField, useAct } from "@/shared/kit";
import css from "./mcp.module.css";
import { isName, NEW, secretLooking, secretNames, transportOf, typedOf, type Typed, type Wrong } from "./transport";
import { Where } from "./Where";

interface ServerFormProps {
  /** The project whose page this is; null is all of them. */
  projectId: ProjectId | null;
  /** The one that is changed. */
  edited?: McpItem;
  /** What a project's file names. */
  found?: { name: string; transport: McpTransport };
  /** Those that are there already. */
  items: readonly McpItem[];
  onDone: (item: McpItem) => void;
  onCancel: () => void;
}

type Fields = Map<string, RefObject<HTMLInputElement | null>>;

export function ServerForm({ projectId, edited, found, items, onDone, onCancel }: ServerFormProps) {
  const { t } = useTranslation("toolSettings");
  const [name, setName] = useState(edited?.server.name ?? found?.name ?? "");
  const [here, setHere] = useState(edited ? edited.server.project_id !== null : projectId !== null);
  const [typed, setTyped] = useState<Typed>(() => typedOf(edited?.server.transport ?? found?.transport ?? NEW));
  const fields = useRef<Fields>(new Map());
  /** What this form added while a secret of it was refused: its name is not taken by another. */
  const made = useRef<McpRef | null>(null);
  const [wrong, setWrong] = useState<Wrong | "name" | "taken" | null>(null);
  const { running: busy, failure, act } = useAct();
  const keyPlace = useKeyPlace();
  const change = (part: Partial<Typed>) => {
    setTyped({ ...typed, ...part });
    setWrong(null);
  };
  const owner = edited ? edited.server.project_id : here ? projectId : null;

  const save = () => {
    const own = made.current;
    const isOwn = own !== null && own.name === name.trim() && own.project_id === owner;
    const taken = items.some(({ server }) => server !== edited?.server && server.name === name.trim() && server.project_id === owner);
    if (!isName(name.trim())) return setWrong("name");
    if (taken && !isOwn) return setWrong("taken");
    const transport = transportOf(typed);
    if ("wrong" in transport) return setWrong(transport.wrong);
    setWrong(null);
    void act(async () => {
      const entered = secretNames(typed).filter((variable) => fields.current.get(variable)?.current?.value);
      const server = { project_id: owner, name: name.trim() };
      const put = async (place: Place | null) => {
        let item = await call("mcp_set", { ...server, transport, on: edited?.server.on ?? true });
        made.current = server;
        for (const variable of entered) {
          const value = fields.current.get(variable)!.current!.value;
          item = await call("mcp_secret", { ...server, variable, value, place });
        }
        return item;
      };
      const item = entered.length > 0 ? await keyPlace.keep(put) : await put(null);
      // The person would rather not, now: what was typed stays.
      if (item === null) return;
      for (const field of fields.current.values()) takeSecret(field);
      onDone(item);
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  const plain = { autoComplete: "off", spellCheck: false };
  const looks = secretLooking(typed);
  return (
    <form className={css.form} onSubmit={submit} aria-label={edited ? t("mcp.form.edit", { name }) : t("mcp.form.title")}>
      {edited ? (
        <h4>{edited.server.name}</h4>
      ) : (
        <TextField
          label={t("mcp.form.name")}
          description={t("mcp.form.nameHint")}
          value={name}
          onChange={(text) => {
            setName(text);
            setWrong(null);
          }}
          {...plain}
          error={wrong === "name" ? t("mcp.form.wrong.name") : wrong === "taken" ? t("mcp.form.wrong.taken") : undefined}
        />
      )}
      {!edited && projectId !== null && <Where here={here} onChange={setHere} />}
      <Select
        label={t("mcp.form.by")}
        value={typed.by}
        onChange={(by) => change({ by })}
        options={[
          { value: "stdio", label: t("mcp.form.stdio") },
          { value: "http", label: t("mcp.form.http") },
        ]}
      />
      {typed.by === "stdio" ? (
        <>
          <TextField
            label={t("mcp.form.command")}
            description={t("mcp.form.commandHint")}
            placeholder="npx"
            value={typed.command}
            onChange={(command) => change({ command })}
            {...plain}
            error={wrong === "command" ? t("mcp.form.wrong.command") : undefined}
          />
          <TextArea
            label={t("mcp.form.args")}
            description={t("mcp.form.argsHint")}
            placeholder={"-y\n@modelcontextprotocol/server-everything"}
            rows={3}
            value={typed.args}
            onChange={(args) => change({ args })}
          />
          <TextArea
            label={t("mcp.form.env")}
            description={<Hint wrong={wrong === "env" ? t("mcp.form.wrong.env") : null} text={t("mcp.form.envHint")} />}
            placeholder="LOG_LEVEL=warn"
            rows={2}
            value={typed.env}
            onChange={(env) => change({ env })}
          />
          {looks.length > 0 && <Notice tone="warn">{t("mcp.form.looksSecret", { names: looks.join(", ") })}</Notice>}
          <TextArea
            label={t("mcp.form.secrets")}
            description={
              <Hint wrong={wrong === "secrets" ? t("mcp.form.wrong.secrets") : null} text={t("mcp.form.secretsHint")} />
            }
            placeholder="API_TOKEN"
            rows={2}
            value={typed.secrets}
            onChange={(secrets) => change({ secrets })}
          />
        </>
      ) : (
        <>
          <TextField
            label={t("mcp.form.url")}
            description={t("mcp.form.urlHint")}
            placeholder="https://"
            value={typed.url}
            onChange={(url) => change({ url })}
            {...plain}
            error={wrong === "url" ? t("mcp.form.wrong.url") : undefined}
          />
          <TextField
            label={t("mcp.form.header")}
            description={t("mcp.form.headerHint")}
            placeholder="Authorization"
            value={typed.header}
            onChange={(header) => change({ header })}
            {...plain}
            error={wrong === "header" ? t("mcp.form.wrong.header") : undefined}
          />
        </>
      )}
      {secretNames(typed).map((variable) => (
        <Secret
          key={variable}
          name={variable}
          // What is kept stays kept while the field is empty.
          kept={edited !== undefined && isKept(edited, variable)}
          fields={fields.current}
        />
      ))}
      {keyPlace.question}
      {failure !== null && <ErrorNotice failure={failure} />}
      <div className={css.buttons}>
        <Button type="submit" variant="primary" disabled={busy}>
          {t(edited ? "mcp.form.save" : "mcp.form.add")}
        </Button>
        <Button variant="quiet" disabled={busy} onClick={onCancel}>
          {t("cancel", { ns: "common" })}
        </Button>
        {busy && !keyPlace.question && <Spinner />}
      </div>
    </form>
  );
}

function isKept({ server: { transport }, missing_secrets }: McpItem, variable: string): boolean {
  const known = transport.by === "http" ? transport.secret_header === variable : transport.secret_env.includes(variable);
  return known && !missing_secrets.includes(variable);
}

function Hint({ wrong, text }: { wrong: string | null; text: string }) {
  return wrong === null ? text : <span className={css.wrong} role="alert">{wrong}</span>;
}

function Secret({ name, kept, fields }: { name: string; kept: boolean; fields: Fields }) {
  const { t } = useTranslation("toolSettings");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    fields.set(name, field);
    return () => void fields.delete(name);
  }, [name, fields]);
  return (
    <SecretField
      ref={field}
      label={t("mcp.form.valueOf", { name })}
      description={t(kept ? "mcp.form.kept" : "mcp.form.valueHint")}
    />
  );
}
