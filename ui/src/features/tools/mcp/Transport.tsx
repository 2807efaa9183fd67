// How a server is reached, whole, with nothing hidden in it; and what of that is not as it was.
import type { McpTransport } from "@/ipc";
import { Diff, lineDiff } from "@/shared/diff";
import { useTranslation } from "@/shared/i18n";
import { quiet } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./mcp.module.css";
import { linesOf } from "./transport";

/** Each line with its name: a program, its arguments one by one, variables, an address. */
export function TransportLines({ transport }: { transport: McpTransport }) {
  const { t } = useTranslation("toolSettings");
  return (
    <dl className={css.transport} data-selectable>
      {linesOf(transport).map(({ kind, text }, at) => (
        <div key={at}>
          <dt>{t(`mcp.line.${kind}`)}</dt>
          <dd>
            {text !== "" ? (
              <Revealed text={text} />
            ) : (
              <span className={quiet.note}>{t(kind === "network" ? "mcp.line.allowed" : "mcp.line.empty")}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What was trusted beside what would run now, all of it. */
export function TransportChange({ was, is }: { was: McpTransport; is: McpTransport }) {
  const { t } = useTranslation("toolSettings");
  const named = (transport: McpTransport) =>
    linesOf(transport)
      .map(({ kind, text }) => `${t(`mcp.line.${kind}`)}: ${kind === "network" ? t("mcp.line.allowed") : text}`)
      // Nothing in one of them looks like the next one.
      .map((line) => line.replaceAll("\n", "⏎"))
      .join("\n");
  return <Diff label={t("mcp.changed.label")} difference={lineDiff(named(was), named(is), Infinity)} />;
}

/** The same on one line, to recognise it by. */
export function TransportLine({ transport }: { transport: McpTransport }) {
  const text = transport.by === "http" ? transport.url : [transport.command, ...transport.args].join(" ");
  return (
    <span className={css.path}>
      <Revealed text={text} />
    </span>
  );
}
