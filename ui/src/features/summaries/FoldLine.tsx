// Where a summary ends, a line lies between the messages: one hairline a folded turn. It opens in its place to the
// summary beside the messages it stands for. The messages themselves stay in the list.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId } from "react";
import { create } from "zustand";
import { jumpTo, showSummaries } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type MessageItem, type SummaryId } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Spinner } from "@/shared/kit";
import { proseLanguage } from "@/shared/markdown";
import type { Summary } from "./cards";
import css from "./FoldLine.module.css";
import { useAct } from "./useAct";
import { useSummaryWords } from "./words";

/** Which lines are open: a line that is scrolled out of sight leaves the document. */
const useOpen = create<Record<SummaryId, boolean>>(() => ({}));

/** Most hairlines of one line. */
const STRATA = 6;

/** Messages that are shown beside the summary; all of them are in the list. */
const MOST = 60;

export function FoldLine({ summary }: { summary: Summary }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const open = useOpen((all) => all[summary.id] ?? false);
  const id = useId();
  const { turns, coverage, unfolded_at } = summary;
  const count = Math.min(STRATA, turns ? turns.last - turns.first + 1 : coverage.count);
  const strata = <span className={css.strata} style={{ blockSize: `${count * 3 - 2}px` }} aria-hidden />;
  const values = {
    span: words.span(summary),
    version: summary.version,
    size: words.size(summary.original_chars, summary.summary_chars),
  };
  return (
    <div className={css.fold} data-unfolded={unfolded_at !== null || undefined}>
      <button
        type="button"
        className={css.line}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => useOpen.setState({ [summary.id]: !open })}
      >
        {strata}
        <ChevronRight size={14} aria-hidden className={css.chevron} />
        <span data-numeric>{t(unfolded_at === null ? "line.folded" : "line.unfolded", values)}</span>
        {strata}
      </button>
      {open && (
        <div id={id} className={css.opened} role="region" aria-label={t("line.label", { span: values.span })}>
          <Opened summary={summary} />
        </div>
      )}
    </div>
  );
}

function Opened({ summary }: { summary: Summary }) {
  const { t } = useTranslation("summaries");
  const { running, failure, act } = useAct();
  const { id, unfolded_at } = summary;
  return (
    <>
      <section className={css.side} aria-label={t("line.summary")}>
        <h2>{t("line.summary")}</h2>
        <p className={css.text} lang={proseLanguage(summary.summary)} tabIndex={0} data-selectable>
          {summary.summary}
        </p>
      </section>
      <Originals summary={summary} />
      <div className={css.acts}>
        <Button onClick={() => showSummaries(id)}>{t("line.card")}</Button>
        <Button
          disabled={running}
          onClick={() => void act(() => call("summary_unfold", { id, unfolded: unfolded_at === null }))}
        >
          {t(unfolded_at === null ? "unfold" : "foldAgain")}
        </Button>
      </div>
      {failure !== null && (
        <div className={css.acts}>
          <ErrorNotice failure={failure} />
        </div>
      )}
    </>
  );
}

function Originals({ summary: { conversation_id: id, coverage } }: { summary: Summary }) {
  const { t } = useTranslation(["summaries", "chat"]);
  const { start, count, last } = coverage;
  const { data, error } = useQuery({
    queryKey: ["conversation", id, "originals", last, start],
    queryFn: () => call("conversation_page", { id, start, limit: Math.min(MOST, count) }),
  });
  const first = data?.messages[0];
  const further = count - (data?.messages.length ?? count);
  return (
    <section className={css.side} aria-label={t("line.originals")}>
      <h2>{t("line.originals")}</h2>
      {error && <ErrorNotice failure={error} />}
      {!data && !error && <Spinner />}
      {data && (
        <ol className={css.text} tabIndex={0} data-selectable>
          {data.messages.map((message) => (
            <Original key={message.id} message={message} />
          ))}
        </ol>
      )}
      {further > 0 && <p className={css.muted}>{t("line.further", { count: further, n: formatNumber(further) })}</p>}
      {first && (
        <p>
          <Button variant="quiet" onClick={() => jumpTo(id, first.id)}>
            {t("line.first")}
          </Button>
        </p>
      )}
    </section>
  );
}

function Original({ message: { role, parts } }: { message: MessageItem }) {
  const { t } = useTranslation("chat");
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text === "") return null;
  return (
    <li lang={proseLanguage(text)}>
      <span className={css.who}>{t(role === "user" ? "you" : "assistant")}</span>
      {text}
    </li>
  );
}
