// A summary line by line: each leads to the messages that it rests on, and what none of them says is marked.
import { CornerUpRight } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { jumpTo } from "@/app/actions";
import type { SummaryLine } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { proseLanguage } from "@/shared/language";
import type { Summary } from "./cards";
import css from "./summaries.module.css";

/** The text of a summary. One from before there were receipts has no lines. */
export function Lines({ summary: { summary, conversation_id, receipt } }: { summary: Summary }) {
  const { t } = useTranslation("summaries");
  return (
    <div
      className={css.text}
      role="group"
      lang={proseLanguage(summary)}
      tabIndex={0}
      aria-label={t("text")}
      data-selectable
    >
      {receipt.lines.length === 0
        ? summary
        : receipt.lines.map((line, place) => <Line key={place} line={line} conversationId={conversation_id} />)}
    </div>
  );
}

function Line({ line, conversationId }: { line: SummaryLine; conversationId: string }) {
  const { t } = useTranslation("summaries");
  const { text, sources, unsupported } = line;
  return (
    <p className={css.line} data-flag={unsupported.length > 0 ? t("receipt.notSaid") : undefined}>
      <Marked line={line} />
      {sources.map((messageId, place) => (
        <button
          key={messageId}
          type="button"
          className={css.source}
          aria-label={t("receipt.source", {
            text,
            n: formatNumber(place + 1),
            count: sources.length,
          })}
          onClick={() => jumpTo(conversationId, { messageId, words: text })}
        >
          <CornerUpRight aria-hidden />
        </button>
      ))}
    </p>
  );
}

/** A line with a wave under what its messages do not say. */
export function Marked({ line: { text, unsupported } }: { line: SummaryLine }) {
  const bytes = new TextEncoder().encode(text);
  const cut = (start: number, end?: number) => new TextDecoder().decode(bytes.subarray(start, end));
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of unsupported) {
    parts.push(
      <Fragment key={start}>
        {cut(at, start)}
        <mark className={css.unsupported}>{cut(start, end)}</mark>
      </Fragment>,
    );
    at = end;
  }
  return (
    <>
      {parts}
      {cut(at)}
    </>
  );
}
