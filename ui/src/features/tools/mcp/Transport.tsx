// How a server is reached, whole, with nothing hidden in it; and what of that is not as it was.
import type { McpTransport } from "@/ipc";
import { diffParts } from "@/shared/diff";
import { useTranslation } from "@/shared/i18n";
import { quiet } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./mcp.module.css";
import { linesOf, type TransportLine } from "./transport";

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

const SIGNS = { same: " ", added: "+", removed: "−" };

/** What was trusted beside what would run now. */
export function TransportChange({ was, is }: { was: McpTransport; is: McpTransport }) {
  const { t } = useTranslation("toolSettings");
  const named = (transport: McpTransport) =>
    linesOf(transport).map(({ kind, text }: TransportLine) => `${t(`mcp.line.${kind}`)}: ${kind === "network" ? t("mcp.line.allowed") : text}`);
  return (
    <pre className={css.change} tabIndex={0} aria-label={t("mcp.changed.label")} data-selectable>
      {diffParts(named(was), named(is)).map(({ kind, text }, at) => (
        <span key={at} data-kind={kind}>
          <span aria-hidden>{SIGNS[kind]} </span>
          {kind !== "same" && <span className="visually-hidden">{t(`mcp.changed.${kind}`)} </span>}
          <Revealed text={text} />
        </span>
      ))}
    </pre>
  );
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
