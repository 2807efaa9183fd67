// A part of the settings: MCP servers of all projects and of one, how each stands, the form for another one, and those
// that the project's files name.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type McpFound, type McpItem, type McpTransport, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, Spinner, Switch } from "@/shared/kit";
import { CheckDialog } from "./CheckDialog";
import css from "./mcp.module.css";
import { PasteForm } from "./PasteForm";
import { ServerForm } from "./ServerForm";
import { TransportLine } from "./Transport";
import { forgetTrusted, keyOf, rememberTrusted, useWasTrusted } from "./trusted";

type Form = { is: "pasted" } | { is: "new"; found?: { name: string; transport: McpTransport } } | { is: "edit"; of: string };

export function ServersPage({ projectId }: { projectId: ProjectId | null }) {
  const { t } = useTranslation("toolSettings");
  const client = useQueryClient();
  const servers = useQuery(queries.mcp(projectId));
  const trusted = useQuery(queries.projects()).data?.find(({ id }) => id === projectId)?.trust === "trusted";
  const [form, setForm] = useState<Form | null>(null);
  const [checking, setChecking] = useState<string | null>(null);
  const items = servers.data ?? [];
  useEffect(() => {
    if (servers.data) rememberTrusted(servers.data);
  }, [servers.data]);
  const renew = () => void client.invalidateQueries({ queryKey: ["tools"] });
  const done = (...made: McpItem[]) => {
    setForm(null);
    const keys = made.map(keyOf);
    client.setQueryData(queries.mcp(projectId).queryKey, (all: McpItem[] = []) => [
      ...all.filter((other) => !keys.includes(keyOf(other))),
      ...made,
    ]);
    renew();
    // What was added or changed is looked at next: it does nothing before.
    const next = made.find(({ trusted, missing_secrets }) => !trusted && missing_secrets.length === 0);
    if (next) setChecking(keyOf(next));
  };
  const checked = items.find((item) => keyOf(item) === checking);
  return (
    <div className={css.page}>
      <p className={quiet.note}>{t("mcp.hint")}</p>
      {servers.isError && <ErrorNotice failure={servers.error} />}
      {servers.isPending && <Spinner />}
      {servers.data?.length === 0 && form === null && <p className={quiet.note}>{t("mcp.none")}</p>}
      <ul aria-label={t("mcp.list")} hidden={items.length === 0}>
        {items.map((item) =>
          form?.is === "edit" && form.of === keyOf(item) ? (
            <li key={keyOf(item)} className={css.item}>
              <ServerForm projectId={projectId} edited={item} items={items} onDone={done} onCancel={() => setForm(null)} />
            </li>
          ) : (
            <Server
              key={keyOf(item)}
              item={item}
              onCheck={() => setChecking(keyOf(item))}
              onEdit={() => setForm({ is: "edit", of: keyOf(item) })}
              onChanged={renew}
            />
          ),
        )}
      </ul>
      {form?.is === "new" ? (
        <ServerForm
          key={`${projectId} ${form.found?.name}`}
          projectId={projectId}
          found={form.found}
          items={items}
          onDone={done}
          onCancel={() => setForm(null)}
        />
      ) : form?.is === "pasted" ? (
        <PasteForm projectId={projectId} items={items} onDone={(made) => done(...made)} onCancel={() => setForm(null)} />
      ) : (
        <p className={css.buttons}>
          <Button onClick={() => setForm({ is: "new" })}>{t("mcp.add")}</Button>
          <Button variant="quiet" onClick={() => setForm({ is: "pasted" })}>
            {t("mcp.paste.open")}
          </Button>
        </p>
      )}
      {projectId !== null && trusted && (
        <Found projectId={projectId} onAdd={({ name, transport }) => setForm({ is: "new", found: { name, transport } })} />
      )}
      {checked && (
        <CheckDialog key={keyOf(checked)} item={checked} projectId={projectId} onChanged={renew} onClose={() => setChecking(null)} />
      )}
    </div>
  );
}

interface ServerProps {
  item: McpItem;
  onCheck: () => void;
  onEdit: () => void;
  onChanged: () => void;
}

function Server({ item, onCheck, onEdit, onChanged }: ServerProps) {
  const { t } = useTranslation("toolSettings");
  const { server, trusted, changes, missing_secrets, fault, tools } = item;
  const { name, project_id, transport, on } = server;
  const wasTrusted = useWasTrusted(item) !== undefined;
  const [asked, setAsked] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const turn = (on: boolean) => {
    setFailure(null);
    call("mcp_set", { project_id, name, transport, on }).then(onChanged, setFailure);
  };
  const remove = () => {
    setAsked(false);
    call("mcp_remove", { project_id, name }).then(() => {
      forgetTrusted(item);
      onChanged();
    }, tellFailure);
  };
  const lacks = [
    !trusted && t(changes.length > 0 ? "mcp.changed.files" : wasTrusted ? "mcp.changed.again" : "mcp.untrusted", { path: changes[0]?.path }),
    missing_secrets.length > 0 && t("mcp.missing", { names: missing_secrets.join(", ") }),
    fault !== null && t("mcp.fault", { detail: fault }),
  ].filter((lack) => typeof lack === "string");
  return (
    <li className={css.item}>
      <div className={css.itemText}>
        <span className={css.itemName}>
          {name}
          <span className={css.tag}>{t(project_id === null ? "mcp.ofAll" : "mcp.ofThis")}</span>
        </span>
        <TransportLine transport={transport} />
        {trusted && fault === null && tools.length > 0 && (
          <span className={quiet.note} title={tools.join("\n")}>
            {t("mcp.offers", { count: tools.length })}
          </span>
        )}
        {lacks.map((lack) => (
          <span key={lack} className={css.lacking}>
            {lack}
          </span>
        ))}
      </div>
      <div className={css.buttons}>
        <Button aria-label={t(trusted ? "mcp.testOne" : "mcp.lookOne", { name })} variant={trusted ? "plain" : "primary"} onClick={onCheck}>
          {t(trusted ? "mcp.test" : "mcp.look")}
        </Button>
        <Button aria-label={t("mcp.editOne", { name })} onClick={onEdit}>
          {t("mcp.edit")}
        </Button>
        <Button variant="quiet" aria-label={t("mcp.removeOne", { name })} onClick={() => setAsked(true)}>
          {t("mcp.remove")}
        </Button>
      </div>
      <div className={css.wide}>
        <Switch label={t("mcp.on", { name })} checked={on} onChange={turn} />
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
      <Dialog
        open={asked}
        onClose={() => setAsked(false)}
        title={t("mcp.removeConfirm", { name })}
        description={t("mcp.removeText")}
        footer={
          <>
            <Button onClick={() => setAsked(false)}>{t("cancel", { ns: "common" })}</Button>
            <Button variant="danger" onClick={remove}>
              {t("mcp.remove")}
            </Button>
          </>
        }
      />
    </li>
  );
}

/** Servers that a trusted project's own files name. Nothing of them runs before it is added, looked at and trusted. */
function Found({ projectId, onAdd }: { projectId: ProjectId; onAdd: (found: McpFound) => void }) {
  const { t } = useTranslation("toolSettings");
  const found = useQuery(queries.mcpFound(projectId));
  if (found.isError) return <ErrorNotice failure={found.error} />;
  if (!found.data || found.data.length === 0) return null;
  return (
    <section className={css.group} aria-labelledby="mcp-found">
      <h4 id="mcp-found" className={css.heading}>
        {t("mcp.found.title")}
      </h4>
      <p className={quiet.note}>{t("mcp.found.hint")}</p>
      <ul aria-labelledby="mcp-found">
        {found.data.map((one) => (
          <li key={`${one.path} ${one.name}`} className={css.item}>
            <div className={css.itemText}>
              <span className={css.itemName}>
                {one.name}
                <span className={css.path}>{one.path}</span>
              </span>
              <TransportLine transport={one.transport} />
            </div>
            {one.added ? (
              <span className={quiet.note}>{t("mcp.found.added")}</span>
            ) : (
              <Button aria-label={t("mcp.found.addOne", { name: one.name })} onClick={() => onAdd(one)}>
                {t("mcp.found.add")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
