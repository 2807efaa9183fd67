// Looks at a server before it may be used: first what would run, whole; then, once it was asked, its tools and what it
// wants models to be told. Nothing runs before the button that says so is pressed, and nothing of it is offered to a
// model before it is trusted.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type McpItem, type McpTested, type McpTransport, type ProjectId } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { announce, Button, Dialog, Notice, Progress, quiet, useAct } from "@/shared/kit";
import { hasHidden, Revealed } from "@/shared/Revealed";
import css from "./mcp.module.css";
import { BoundFiles, ChangedFiles, Needs } from "./Needs";
import { TransportChange, TransportLines } from "./Transport";
import { linesOf } from "./transport";
import { rememberTrusted, useWasTrusted } from "./trusted";

interface CheckDialogProps {
  item: McpItem;
  /** The project whose page this is; a server of all projects is looked at as it would start there. */
  projectId: ProjectId | null;
  onChanged: () => void;
  onClose: () => void;
}

export function CheckDialog({ item, projectId: at, onChanged, onClose }: CheckDialogProps) {
  const { t } = useTranslation("toolSettings");
  const { server, trusted, missing_secrets } = item;
  const { name, project_id, transport } = server;
  const before = useWasTrusted(item);
  const was = before && JSON.stringify(linesOf(before)) !== JSON.stringify(linesOf(transport)) ? before : undefined;
  const [tested, setTested] = useState<McpTested | null>(null);
  const [testing, setTesting] = useState(false);
  const { running, failure, act } = useAct();
  const [told, setTold] = useState<boolean | null>(null);
  /** What was agreed to stays agreed to as long as it is the same text. */
  const agreed = tested !== null && tested.instructions !== null && server.instructions_trusted === tested.instructions_hash;
  const tells = told ?? agreed;

  const test = () =>
    act(async () => {
      setTested(null);
      setTesting(true);
      try {
        const answer = await call("mcp_test", { project_id, name, ...(at !== null && { at }) });
        setTested(answer);
        announce(t("mcp.check.tools", { count: answer.tools.length }));
      } finally {
        setTesting(false);
        onChanged();
      }
    });
  const trust = (tested: McpTested) =>
    act(async () => {
      const instructions = tells && tested.instructions !== null ? tested.instructions_hash : "";
      const { fingerprint } = tested;
      const now = await call("mcp_trust", { project_id, name, fingerprint, instructions, ...(at !== null && { at }) });
      rememberTrusted([now]);
      announce(t("mcp.check.isTrusted", { name }));
      onChanged();
      onClose();
    });
  const program = transport.by === "stdio" ? transport : null;
  const reach = (transport: McpTransport) =>
    act(async () => {
      // What was asked with other means is no answer to what it is now.
      setTested(null);
      await call("mcp_set", { project_id, name, transport, on: server.on });
      onChanged();
    });
  return (
    <Dialog
      open
      size="m"
      onClose={onClose}
      title={t("mcp.check.title", { name })}
      description={t(transport.by === "stdio" ? "mcp.check.stdio" : "mcp.check.http")}
      footer={
        <>
          <Button onClick={onClose}>{t("close", { ns: "common" })}</Button>
          <Button variant={tested ? "plain" : "primary"} disabled={running} onClick={() => void test()}>
            {t(tested ? "mcp.check.again" : transport.by === "stdio" ? "mcp.check.start" : "mcp.check.ask")}
          </Button>
          {tested && (
            <Button variant="primary" disabled={running} onClick={() => void trust(tested)}>
              {t(trusted ? "mcp.check.keep" : "mcp.check.trust")}
            </Button>
          )}
        </>
      }
    >
      <div className={css.check}>
        <TransportLines transport={transport} />
        {was && (
          <section aria-labelledby="mcp-changed">
            <h3 id="mcp-changed">{t("mcp.changed.title")}</h3>
            <TransportChange was={was} is={transport} />
          </section>
        )}
        <ChangedFiles changes={item.changes} />
        {program && (
          <>
            <BoundFiles item={item} />
            <Needs item={item} needs={program.needs} busy={running} onChange={(needs) => void reach({ ...program, needs })} />
            {!tested && <Notice tone="warn">{t("mcp.check.warning")}</Notice>}
          </>
        )}
        {missing_secrets.length > 0 && (
          <Notice tone="warn">{t("mcp.missing", { names: missing_secrets.join(", ") })}</Notice>
        )}
        {testing && (
          <Progress label={t(transport.by === "stdio" ? "mcp.check.starting" : "mcp.check.asking")} value={null} />
        )}
        {failure !== null && <ErrorNotice failure={failure} />}
        {tested && <Offers tested={tested} tells={tells} onTells={setTold} />}
      </div>
    </Dialog>
  );
}

interface OffersProps {
  tested: McpTested;
  tells: boolean;
  onTells: (tells: boolean) => void;
}

/** What a server answered, in its own words. */
function Offers({ tested: { tools, instructions }, tells, onTells }: OffersProps) {
  const { t } = useTranslation("toolSettings");
  return (
    <>
      <section aria-labelledby="mcp-tools">
        <h3 id="mcp-tools">{t("mcp.check.tools", { count: tools.length })}</h3>
        <p className={quiet.note}>{t("mcp.check.toolsHint")}</p>
        <ul className={css.offered} aria-labelledby="mcp-tools">
          {tools.map(({ name, description, says_read_only }) => (
            <li key={name}>
              <code className={css.path}>
                <Revealed text={name} />
              </code>
              {says_read_only && <span className={quiet.note}> {t("mcp.check.readOnly")}</span>}
              <p className={css.said} data-selectable>
                <Revealed text={description} />
              </p>
              {hasHidden(description) && <p className={css.lacking}>{t("mcp.check.hidden")}</p>}
            </li>
          ))}
        </ul>
      </section>
      {instructions !== null && (
        <section aria-labelledby="mcp-instructions">
          <h3 id="mcp-instructions">{t("mcp.check.instructions")}</h3>
          <pre className={css.instructions} tabIndex={0} aria-labelledby="mcp-instructions" data-selectable>
            <Revealed text={instructions} />
          </pre>
          {hasHidden(instructions) && <p className={css.lacking}>{t("mcp.check.hidden")}</p>}
          <label className={css.tells}>
            <input type="checkbox" checked={tells} onChange={(event) => onTells(event.currentTarget.checked)} />
            <span>
              {t("mcp.check.tells")}
              <span className={quiet.note}> {t("mcp.check.tellsHint")}</span>
            </span>
          </label>
        </section>
      )}
    </>
  );
}
