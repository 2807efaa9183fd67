// What a server that is a program may reach: what keeps it inside, what was named for it, and the files that trust in it is
// bound to. All of it is said before the server is agreed to; what is named is changed here.
import { useState } from "react";
import type { McpChange, McpItem, McpNeeds } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice, quiet, Switch, TextArea } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./mcp.module.css";
import { listed, needsWith, sameNeeds } from "./transport";

interface NeedsProps {
  item: McpItem;
  needs: McpNeeds;
  /** It is being changed or asked. */
  busy: boolean;
  onChange: (needs: McpNeeds) => void;
}

export function Needs({ item, needs, busy, onChange }: NeedsProps) {
  const { t } = useTranslation("toolSettings");
  const [reads, setReads] = useState(needs.reads.join("\n"));
  const [writes, setWrites] = useState(needs.writes.join("\n"));
  const { sandbox, lacks, this_computer_only } = item;
  const typed = { ...needs, reads: listed(reads), writes: listed(writes) };
  const isTyped = !sameNeeds(typed, needs);
  const lacking = [...lacks.reads, ...lacks.writes, ...(lacks.network ? [t("mcp.needs.theNetwork")] : [])];
  const give = () => {
    const all = needsWith(typed, lacks);
    setReads(all.reads.join("\n"));
    setWrites(all.writes.join("\n"));
    onChange(all);
  };
  return (
    <section aria-labelledby="mcp-needs">
      <h3 id="mcp-needs">{t("mcp.needs.title")}</h3>
      {sandbox === "whole" ? (
        <p className={quiet.note}>{t("mcp.needs.inside.whole")}</p>
      ) : (
        <Notice tone="warn">{t(`mcp.needs.inside.${sandbox}`)}</Notice>
      )}
      {lacking.length > 0 && (
        <Notice tone="info">
          <p>{t("mcp.needs.usual", { names: lacking.join(", ") })}</p>
          <Button disabled={busy} onClick={give}>
            {t("mcp.needs.give")}
          </Button>
        </Notice>
      )}
      <TextArea label={t("mcp.needs.reads")} description={t("mcp.needs.readsHint")} rows={2} value={reads} onChange={setReads} />
      <TextArea label={t("mcp.needs.writes")} description={t("mcp.needs.writesHint")} rows={2} value={writes} onChange={setWrites} />
      <Switch label={t("mcp.needs.network")} checked={needs.network} onChange={(network) => onChange({ ...typed, network })} />
      {needs.network && this_computer_only && <Notice tone="warn">{t("mcp.needs.onlyHere")}</Notice>}
      {isTyped && (
        <div className={css.buttons}>
          <Button disabled={busy} onClick={() => onChange(typed)}>
            {t("mcp.needs.save")}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Which files of it trust is bound to. */
export function BoundFiles({ item: { files, file_count, more_files } }: { item: McpItem }) {
  const { t } = useTranslation("toolSettings");
  if (file_count === 0) return null;
  return (
    <section aria-labelledby="mcp-files">
      <h3 id="mcp-files">{t("mcp.files.title", { count: file_count })}</h3>
      <p className={quiet.note}>{t("mcp.files.hint")}</p>
      <pre className={css.change} tabIndex={0} aria-labelledby="mcp-files" data-selectable>
        {files.map((path) => (
          <span key={path}>
            <Revealed text={path} />
          </span>
        ))}
        {file_count > files.length && <span>{t("mcp.files.others", { count: file_count - files.length })}</span>}
      </pre>
      {more_files && <Notice tone="warn">{t("mcp.files.more")}</Notice>}
    </section>
  );
}

/** Which files of it are not as they were when it was trusted. */
export function ChangedFiles({ changes }: { changes: readonly McpChange[] }) {
  const { t } = useTranslation("toolSettings");
  if (changes.length === 0) return null;
  return (
    <section aria-labelledby="mcp-changed-files">
      <h3 id="mcp-changed-files">{t("mcp.changed.title")}</h3>
      <ul aria-labelledby="mcp-changed-files">
        {changes.map(({ path, kind }) => (
          <li key={`${kind} ${path}`}>
            {t(`mcp.files.kind.${kind}`)}{" "}
            <code className={css.path}>
              <Revealed text={path} />
            </code>
          </li>
        ))}
      </ul>
    </section>
  );
}
