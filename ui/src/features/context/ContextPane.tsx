// The pane at the right: exactly what the next message would send, or what was sent for a reply.
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { showContext, toggleSide, usePlace } from "@/app/actions";
import { followLink } from "@/features/conversations";
import { ErrorNotice } from "@/features/errors";
import { modelName, useProviderName } from "@/features/models";
import { call, type ConversationItem, type LeftOut, type TurnId } from "@/ipc";
import { formatMoment, formatTokens, useTranslation } from "@/shared/i18n";
import { IconButton, Select, Spinner } from "@/shared/kit";
import { BlockRow } from "./BlockRow";
import css from "./ContextPane.module.css";
import { useRequestPreview } from "./preview";
import { blocksOf, nextView, sentView, type View } from "./view";

export interface SentTurn {
  id: TurnId;
  /** Its question, shortened. */
  label: string;
}

interface ContextPaneProps {
  conversation: ConversationItem;
  /** Turns that were sent, newest first. */
  turns: readonly SentTurn[];
}

export function ContextPane({ conversation, turns }: ContextPaneProps) {
  const { t } = useTranslation("context");
  const of = usePlace((place) => place.contextOf);
  const next = useRequestPreview(conversation.id);
  const sent = useQuery({
    queryKey: ["conversation", conversation.id, "sent", of],
    queryFn: () => call("request_sent", { id: of }),
    enabled: of !== "next",
  });
  const asked = of === "next" ? next : sent;
  const view = useMemo(
    () => (of === "next" ? next.data && nextView(next.data) : sent.data && sentView(sent.data)),
    [of, next.data, sent.data],
  );
  const known = of === "next" || turns.some(({ id }) => id === of);
  return (
    <aside className={css.pane} aria-label={t("label")} data-region tabIndex={-1}>
      <header className={css.head}>
        <h2 className={css.title}>{t("title")}</h2>
        <IconButton
          label={t("close", { ns: "common" })}
          icon={<X size={16} aria-hidden />}
          onClick={() => toggleSide("pane", false)}
        />
      </header>
      <div className={css.choice}>
        <Select
          label={t("show")}
          hideLabel
          value={of}
          onChange={showContext}
          options={[
            { value: "next", label: t("next") },
            ...(known ? [] : [{ value: of, label: t("earlierTurn") }]),
            ...turns.map(({ id, label }) => ({ value: id, label })),
          ]}
        />
      </div>
      {asked.isError && (
        <div className={css.part}>
          <ErrorNotice failure={asked.error} />
        </div>
      )}
      {view ? <Request view={view} conversation={conversation} /> : asked.isFetching && <Loading />}
    </aside>
  );
}

function Loading() {
  return (
    <div className={css.part}>
      <Spinner />
    </div>
  );
}

function Request({ view, conversation }: { view: View; conversation: ConversationItem }) {
  const { t } = useTranslation("context");
  const providerName = useProviderName();
  const scroller = useRef<HTMLDivElement>(null);
  const section = usePlace((place) => place.section);
  useEffect(() => {
    if (!section) return;
    const rows = scroller.current?.querySelectorAll<HTMLElement>("[data-block]") ?? [];
    const row = [...rows].find(({ dataset }) => dataset.block === section.id);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
  }, [section]);
  const { provider, model, usage, openedAt } = view;
  const who = provider === "offline" ? providerName(provider) : `${modelName(model)}, ${provider}`;
  return (
    <>
      <div className={css.part}>
        <Total view={view} />
        <p className={css.muted}>
          {openedAt === null ? who : t("sentAt", { when: formatMoment(Date.parse(openedAt)), who })}
        </p>
        {usage?.exact && (
          <p className={css.muted} data-numeric>
            {t("counted", { input: formatTokens(usage.input_tokens), output: formatTokens(usage.output_tokens) })}
          </p>
        )}
      </div>
      <div ref={scroller} className={css.scroller}>
        <ul>
          {blocksOf(view.pieces).map((block) => (
            <BlockRow
              key={block.id}
              block={block}
              exact={view.exact}
              onLink={(url) => void followLink(url, conversation)}
            />
          ))}
        </ul>
        {view.leftOut.length > 0 && <LeftOutList items={view.leftOut} />}
      </div>
    </>
  );
}

function Total({ view: { tokens, budget, exact } }: { view: View }) {
  const { t } = useTranslation("context");
  const label = t(exact ? "total" : "totalEstimated", {
    used: formatTokens(tokens),
    budget: formatTokens(budget),
  });
  const share = budget === 0 ? 1 : Math.min(1, tokens / budget);
  return (
    <>
      <p className={css.total} data-numeric>
        {label}
      </p>
      <div className={css.budget} aria-hidden>
        <span style={{ inlineSize: `${share * 100}%` }} data-over={tokens > budget || undefined} />
      </div>
    </>
  );
}

function LeftOutList({ items }: { items: readonly LeftOut[] }) {
  const { t } = useTranslation("context");
  return (
    <details className={css.leftOut}>
      <summary>{t("leftOut", { count: items.length })}</summary>
      <ul>
        {items.slice(0, 200).map(({ source, tokens, why }) => (
          <li key={`${source}:${why}`} className={css.left}>
            <span className={css.leftName}>{source}</span>
            <span data-numeric>{formatTokens(tokens)}</span>
            <span className={css.leftWhy}>{t(`leftOutWhy.${why}`)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
