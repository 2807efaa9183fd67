// The tab of summaries: what they have saved, how this conversation is folded, and a card for each of them.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { openOverlay, usePlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type ConversationItem, type SummaryPanel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, EmptyState, quiet, Spinner } from "@/shared/kit";
import { cardsOf, type Card } from "./cards";
import { FoldingControls } from "./FoldingControls";
import css from "./summaries.module.css";
import { SummaryCard } from "./SummaryCard";
import { useSummaryWords } from "./words";
import { Writing } from "./Writing";

/** How often a summary that is being made is looked at, in milliseconds. */
const LOOK = 700;

/** Closed cards that say what they leave behind: to know it, their messages are read. */
const CHECKED = 8;

interface SummariesTabProps {
  conversation: Pick<ConversationItem, "id" | "message_count">;
}

export function SummariesTab({ conversation }: SummariesTabProps) {
  const { data: panel, error } = useQuery({
    ...queries.summaries(conversation.id),
    // The host tells when it begins and ends, not every word in between.
    refetchInterval: ({ state }) => (state.data?.busy ? LOOK : false),
  });
  if (error) {
    return (
      <div className={css.part}>
        <ErrorNotice failure={error} />
      </div>
    );
  }
  if (!panel) {
    return (
      <div className={css.part}>
        <Spinner />
      </div>
    );
  }
  return <Panel panel={panel} conversation={conversation} />;
}

function Panel({ panel, conversation }: SummariesTabProps & { panel: SummaryPanel }) {
  const { t } = useTranslation("summaries");
  const { here, replaced } = useMemo(() => cardsOf(panel), [panel]);
  const newest = here.find(({ inUse }) => inUse);
  const asked = usePlace((place) => place.summary);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!asked) return;
    const cards = list.current?.querySelectorAll<HTMLElement>("[data-summaries]") ?? [];
    const card = [...cards].find(({ dataset }) => dataset.summaries!.split(" ").includes(asked.id));
    const hidden = card?.closest("details");
    if (hidden) hidden.open = true;
    card?.scrollIntoView({ block: "center" });
    card?.querySelector("button")?.focus({ preventScroll: true });
  }, [asked]);
  const cards = (all: readonly Card[]) => (
    <ul className={css.cards} aria-label={t("list")}>
      {all.map((card, place) => (
        <SummaryCard
          key={card.key}
          card={card}
          newest={card === newest}
          checked={card.inUse && place < CHECKED}
          writing={panel.writing}
          asked={card.versions.some(({ id }) => id === asked?.id) ? asked : null}
        />
      ))}
    </ul>
  );
  const { busy, records } = panel;
  return (
    <div ref={list}>
      <div className={css.part}>
        {panel.statistics.count > 0 && <Saved panel={panel} />}
        <FoldingControls panel={panel} conversation={conversation} />
      </div>
      {busy !== null && !records.some(({ id }) => id === busy) && (
        <Writing what={t("onAnotherBranch")} onCancel={() => call("summary_cancel", { id: conversation.id })} />
      )}
      {here.length === 0 ? <NothingYet panel={panel} /> : cards(here)}
      {replaced.length > 0 && (
        <details className={css.replaced}>
          <summary>{t("replaced", { count: replaced.length })}</summary>
          <p className={quiet.note}>{t("replacedHint")}</p>
          {cards(replaced)}
        </details>
      )}
    </div>
  );
}

/** What the panel of seed 003 counts. */
function Saved({ panel: { statistics, spent_tokens } }: { panel: SummaryPanel }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { count, turns, original_chars, summary_chars } = statistics;
  const onOthers = spent_tokens - statistics.spent_tokens;
  return (
    <div className={css.statistics} data-numeric>
      <p>
        <strong>{t("count", { count })}</strong> {t("ofTurns", { count: turns })}
      </p>
      <p>
        {words.size(original_chars, summary_chars)} · <strong>{words.saved(original_chars, summary_chars)}</strong>
      </p>
      {spent_tokens > 0 && (
        <p className={quiet.note}>
          {t("spent", { tokens: formatNumber(spent_tokens) })}
          {onOthers > 0 &&
            ` ${t("spentOn", { these: formatNumber(statistics.spent_tokens), others: formatNumber(onOthers) })}`}
        </p>
      )}
    </div>
  );
}

/** When the first summary comes, or why none does. */
function NothingYet({ panel: { enabled, distance } }: { panel: SummaryPanel }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  if (!enabled) {
    const settings = () => openOverlay({ kind: "settings", tab: "summaries" });
    return (
      <EmptyState title={t("empty.off")} action={<Button onClick={settings}>{t("empty.settings")}</Button>}>
        {t("empty.offText")}
      </EmptyState>
    );
  }
  if (!distance) return <EmptyState title={t("empty.none")}>{t("empty.noneText")}</EmptyState>;
  return <EmptyState title={t("empty.title")}>{t("empty.text", { next: words.nextFold(distance) })}</EmptyState>;
}
