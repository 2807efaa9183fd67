// Adds the servers that a README tells people to paste: each is shown whole before it is added, and nothing of it runs
// before it is looked at and trusted, as one that was typed. Secrets of the text go where keys are and are shown by name.
import { useState, type FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { useKeyPlace } from "@/features/models";
import { call, type McpItem, type Place, type ProjectId } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice, quiet, Spinner, TextArea, useAct } from "@/shared/kit";
import css from "./mcp.module.css";
import { pastedServers, type Pasted } from "./pasted";
import { TransportLines } from "./Transport";
import { Where } from "./Where";

interface PasteFormProps {
  /** The project whose page this is; null is all of them. */
  projectId: ProjectId | null;
  /** Those that are there already. */
  items: readonly McpItem[];
  onDone: (items: McpItem[]) => void;
  onCancel: () => void;
}

export function PasteForm({ projectId, items, onDone, onCancel }: PasteFormProps) {
  const { t } = useTranslation("toolSettings");
  const [text, setText] = useState("");
  const [here, setHere] = useState(projectId !== null);
  const [without, setWithout] = useState<readonly string[]>([]);
  /** Added by this form before something refused another one. */
  const [added, setAdded] = useState<readonly McpItem[]>([]);
  const { running: busy, failure, act } = useAct();
  const keyPlace = useKeyPlace();
  const owner = here ? projectId : null;
  const found = text.trim() === "" ? [] : pastedServers(text);
  const isAdded = (name: string) => added.some(({ server }) => server.name === name && server.project_id === owner);
  const hindrance = (server: Pasted, at: number): "taken" | "address" | "headers" | null => {
    const { name, wrong } = server;
    const isTaken = items.some((item) => item.server.name === name && item.server.project_id === owner) && !isAdded(name);
    const isTwice = found?.findIndex((other) => other.name === name) !== at;
    return isTaken || isTwice ? "taken" : wrong;
  };
  const all = (found ?? []).map((server, at) => ({ server, hinders: hindrance(server, at) }));
  const wanted = all.flatMap(({ server, hinders }) => (hinders === null && !without.includes(server.name) ? [server] : []));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void act(async () => {
      const put = async (place: Place | null) => {
        const made: McpItem[] = [];
        for (const { name, transport, secrets } of wanted) {
          let item = await call("mcp_set", { project_id: owner, name, transport, on: true });
          setAdded((before) => [...before, item]);
          for (const [variable, value] of Object.entries(secrets)) {
            if (value !== "") item = await call("mcp_secret", { project_id: owner, name, variable, value, place });
          }
          made.push(item);
        }
        return made;
      };
      const holdsSecret = wanted.some(({ secrets }) => Object.values(secrets).some((value) => value !== ""));
      const made = holdsSecret ? await keyPlace.keep(put) : await put(null);
      if (made !== null) onDone(made);
    });
  };
  return (
    <form className={css.form} onSubmit={submit} aria-label={t("mcp.paste.title")}>
      <TextArea
        label={t("mcp.paste.label")}
        description={t("mcp.paste.hint")}
        placeholder={'{ "mcpServers": { … } }'}
        rows={6}
        value={text}
        onChange={setText}
      />
      {text.trim() !== "" && all.length === 0 && <Notice tone="warn">{t(found === null ? "mcp.paste.noJson" : "mcp.paste.noServer")}</Notice>}
      {projectId !== null && all.length > 0 && <Where here={here} onChange={setHere} />}
      {all.length > 0 && (
        <ul className={css.pasted} aria-label={t("mcp.list")}>
          {all.map(({ server: { name, transport, secrets, ignored }, hinders }, at) => {
            const missing = Object.keys(secrets).filter((secret) => secrets[secret] === "");
            return (
              <li key={at}>
                <label className={css.tells}>
                  <input
                    type="checkbox"
                    checked={hinders === null && !without.includes(name)}
                    disabled={hinders !== null || busy}
                    onChange={({ currentTarget: { checked } }) =>
                      setWithout(checked ? without.filter((other) => other !== name) : [...without, name])
                    }
                  />
                  <strong>{name}</strong>
                </label>
                <TransportLines transport={transport} />
                {hinders && <p className={css.lacking}>{t(`mcp.paste.hinders.${hinders}`)}</p>}
                {missing.length > 0 && <p className={quiet.note}>{t("mcp.paste.missing", { names: missing.join(", ") })}</p>}
                {ignored.length > 0 && <p className={quiet.note}>{t("mcp.paste.ignored", { names: ignored.join(", ") })}</p>}
              </li>
            );
          })}
        </ul>
      )}
      {keyPlace.question}
      {failure !== null && <ErrorNotice failure={failure} />}
      <div className={css.buttons}>
        <Button type="submit" variant="primary" disabled={busy || wanted.length === 0}>
          {wanted.length > 1 ? t("mcp.paste.add", { count: wanted.length }) : t("mcp.form.add")}
        </Button>
        <Button variant="quiet" disabled={busy} onClick={onCancel}>
          {t("cancel", { ns: "common" })}
        </Button>
        {busy && !keyPlace.question && <Spinner />}
      </div>
    </form>
  );
}
