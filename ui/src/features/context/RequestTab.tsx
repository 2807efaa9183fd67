// Exactly what the next message would send, or what was sent for a reply.
import { useQuery } from "@tanstack/react-query";
import { FileJson } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { openOverlay, showContext, showSummaries, usePlace } from "@/app/actions";
import { followLink } from "@/features/conversations";
import { ErrorNotice } from "@/features/errors";
import { RunTable } from "@/features/tools";
import { isNobody, modeName, useIsAgent, useModelNames, useOffers, useProviderName } from "@/features/models";
import type { ConversationId, ConversationItem, NodeId, Shares, Tuning, TurnId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatMoment, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, quiet, Select, Spinner } from "@/shared/kit";
import { isSameModel, useAlso } from "./also";
import type { AttachedProps } from "./Attached";
import { BlockRow } from "./BlockRow";
import { Comparison } from "./Comparison";
import css from "./ContextPane.module.css";
import { LeftOutList } from "./LeftOutList";
import { GROUPS, groupOf } from "./line";
import { useRequestPreview } from "./preview";
import { blocksOf, goesAlone, isRecalled, nextView, sentView, type Piece, type View } from "./view";
import { useBlockWords } from "./words";

export interface SentTurn {
  id: TurnId;
  /** Its question, shortened. */
  label: string;
}

interface RequestTabProps {
  conversation: ConversationItem;
  /** Turns that were sent, newest first. */
  turns: readonly SentTurn[];
}

export function RequestTab({ conversation, turns }: RequestTabProps) {
  const { t } = useTranslation("context");
  const { alone } = useModelNames();
  const of = usePlace((place) => place.contextOf);
  const wanted = usePlace((place) => place.contextModel);
  const detail = useQuery(queries.conversation(conversation.id)).data;
  const also = useAlso(detail);
  /** One that is asked too, while it is. */
  const model = also.find((one) => wanted !== null && isSameModel(one, wanted));
  const next = useRequestPreview(conversation, model);
  const sent = useQuery({ ...queries.sent(conversation.id, of), enabled: of !== "next" });
  const tuning = detail?.tuning ?? null;
  const sizes = useMemo(
    () => new Map(detail?.attachments.flatMap(({ part, size }) => ("hash" in part ? [[part.hash, size] as const] : []))),
    [detail],
  );
  const calls = useCalls(conversation.id, of);
  const [chosen, setChosen] = useState<NodeId | null>(null);
  // The newest one is what the turn shows by itself.
  const earlier = calls.slice(0, -1).find((id) => id === chosen);
  const sentEarlier = useQuery({
    ...queries.sentCall(conversation.id, of, earlier ?? ""),
    enabled: earlier !== undefined,
  });
  const shown = earlier === undefined ? sent : sentEarlier;
  const asked = of === "next" ? next : shown;
  const nextShown = useMemo(() => next.data && nextView(next.data, tuning), [next.data, tuning]);
  const view = useMemo(
    () => (of === "next" ? nextShown : shown.data && sentView(shown.data)),
    [of, nextShown, shown.data],
  );
  const [comparing, setComparing] = useState(false);
  const known = of === "next" || turns.some(({ id }) => id === of);
  const others = also.map((model, at) => ({ value: `next ${at}`, label: t("nextTo", { model: alone(model.model, model.provider) }), model }));
  const show = (value: string) => {
    const other = others.find((one) => one.value === value);
    showContext(other ? "next" : value, undefined, other?.model);
  };
  return (
    <div className={css.request}>
      <div className={css.choice}>
        <Select
          label={t("show")}
          hideLabel
          value={of === "next" && model ? others[also.indexOf(model)]!.value : of}
          onChange={show}
          options={[
            { value: "next", label: t("next") },
            ...others.map(({ value, label }) => ({ value, label })),
            ...(known ? [] : [{ value: of, label: t("earlierTurn") }]),
            ...turns.map(({ id, label }) => ({ value: id, label })),
          ]}
        />
        {calls.length > 1 && (
          <Select
            label={t("call.label")}
            hideLabel
            value={earlier ?? calls[calls.length - 1]!}
            onChange={setChosen}
            options={calls.map((id, at) => ({ value: id, label: t("call.of", { n: at + 1, of: calls.length }) }))}
          />
        )}
        {of !== "next" && (
          <Button aria-pressed={comparing} onClick={() => setComparing(!comparing)}>
            {t("compare.with")}
          </Button>
        )}
      </div>
      {asked.isError && (
        <div className={css.part}>
          <ErrorNotice failure={asked.error} />
        </div>
      )}
      {view && nextShown && comparing && of !== "next" ? (
        <Comparison sent={view} next={nextShown} />
      ) : view ? (
        <Request view={view} conversation={conversation} sizes={sizes} />
      ) : (
        asked.isFetching && <Loading />
      )}
    </div>
  );
}

/** The calls of the model that a turn took, oldest first. */
function useCalls(id: ConversationId, of: TurnId | "next"): readonly NodeId[] {
  const run = useQuery({ ...queries.run(id, of), enabled: of !== "next" }).data;
  return of === "next" || run === undefined
    ? []
    : run.nodes.filter(({ kind }) => kind === "model").map((node) => node.id);
}

function Loading() {
  return (
    <div className={css.part}>
      <Spinner />
    </div>
  );
}

interface RequestProps {
  view: View;
  conversation: ConversationItem;
  sizes: AttachedProps["sizes"];
}

function Request({ view, conversation, sizes }: RequestProps) {
  const { t } = useTranslation("context");
  const providerName = useProviderName();
  const { alone } = useModelNames();
  const isAgent = useIsAgent();
  const offers = useOffers();
  const scroller = useRef<HTMLDivElement>(null);
  const section = usePlace((place) => place.section);
  useEffect(() => {
    if (!section) return;
    const rows = scroller.current?.querySelectorAll<HTMLElement>("[data-block]") ?? [];
    const row = [...rows].find(({ dataset }) => dataset.block === section.id);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
  }, [section]);
  const headings = useId();
  const groups = useMemo(() => grouped(view.pieces), [view.pieces]);
  const { provider, model, usage, openedAt } = view;
  const name = alone(model, provider);
  const who = isNobody(provider) ? providerName(provider) : name === provider ? provider : `${name}, ${provider}`;
  return (
    <>
      <div className={css.part}>
        <Total view={view} />
        <p className={quiet.note}>
          {openedAt === null ? who : t("sentAt", { when: formatMoment(Date.parse(openedAt)), who })}
        </p>
        {isAgent(provider) && <p className={quiet.note}>{t("agent", { name: provider })}</p>}
        {view.mode && (
          <p className={quiet.note}>{t(openedAt === null ? "mode" : "modeThen", { mode: modeName(offers(provider, conversation.project_id), view.mode) })}</p>
        )}
        {goesAlone(view.leftOut) && <p className={quiet.note}>{t("alone")}</p>}
        {view.looksUp && <p className={quiet.note}>{t("looksUp")}</p>}
        {usage?.exact && (
          <p className={quiet.note} data-numeric>
            {t("counted", { input: formatTokens(usage.input_tokens), output: formatTokens(usage.output_tokens) })}
          </p>
        )}
        {view.turnId !== null && <RunTable conversationId={conversation.id} turnId={view.turnId} provider={provider} />}
        {view.tuning && <Tuned tuning={view.tuning} />}
        {view.recall && <Recalled shares={view.recall} count={view.pieces.filter(isRecalled).length} />}
        <ExactBytes bytes={view.exactBytes} />
      </div>
      <div ref={scroller} className={css.scroller} data-next={view.openedAt === null || undefined}>
        {groups.map(({ group, blocks, tokens }) => (
          <section key={group} aria-labelledby={`${headings}-${group}`}>
            <h2 id={`${headings}-${group}`} className={css.group}>
              {t(`group.${group}`)}
              <span data-numeric>{formatTokens(tokens)}</span>
            </h2>
            <ul>
              {blocks.map((block) => (
                <BlockRow
                  key={block.id}
                  block={block}
                  sizes={sizes}
                  next={view.openedAt === null ? conversation : undefined}
                  onLink={(url) => void followLink(url, conversation)}
                />
              ))}
            </ul>
          </section>
        ))}
        {view.leftOut.length > 0 && (
          <LeftOutList items={view.leftOut} conversationId={view.openedAt === null ? conversation.id : undefined} />
        )}
      </div>
    </>
  );
}

/** In the order in which the model reads them within each group. */
function grouped(pieces: readonly Piece[]) {
  const all = blocksOf(pieces);
  return GROUPS.flatMap((group) => {
    const blocks = all.filter(({ pieces }) => groupOf(pieces[0]!) === group);
    return blocks.length === 0 ? [] : [{ group, blocks, tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0) }];
  });
}

/** What of the way a model is asked is not left to the provider; the instructions are a block of the request. */
function Tuned({ tuning: { temperature, max_output_tokens, effort } }: { tuning: Tuning }) {
  const { t } = useTranslation("tuning");
  const said = [
    temperature !== null && `${t("temperature")} ${formatNumber(temperature, 2)}`,
    max_output_tokens !== null && `${t("maxOutput")} ${formatNumber(max_output_tokens)}`,
    effort !== null && `${t("effort")} ${t(`efforts.${effort}`)}`,
  ].filter((words) => words !== false);
  if (said.length === 0) return null;
  return (
    <p className={quiet.note} data-numeric>
      {said.join(" · ")}
    </p>
  );
}

/** How much is recalled of what was said, why so much, and where that is changed; nothing while nothing was said. */
function Recalled({ shares, count }: { shares: Shares; count: number }) {
  const { t } = useTranslation("recall");
  const { shareWhy } = useBlockWords();
  const { room, recalled, summaries, turns, why } = shares;
  if (count === 0 && (why === "all_sent" || summaries + turns === 0)) return null;
  const [ofRoom, ofPassages, ofSummaries, ofTurns] = [room, recalled, summaries, turns].map(formatTokens);
  const said = { room: ofRoom, recalled: ofPassages, summaries: ofSummaries, turns: ofTurns };
  return (
    <div className={css.recalled}>
      {count > 0 && <p data-numeric>{t("passages", { count, tokens: ofPassages })}</p>}
      <p className={quiet.note}>{shareWhy(shares)}</p>
      {count > 0 && (
        <p className={quiet.note} data-numeric>
          {t("shares", said)}
        </p>
      )}
      <Button variant="quiet" onClick={() => showSummaries()}>
        {t("settings")}
      </Button>
    </div>
  );
}

function ExactBytes({ bytes }: { bytes: View["exactBytes"] }) {
  const { t } = useTranslation("context");
  if (bytes === null) return null;
  if (bytes === "gone" || bytes === "none") return <p className={quiet.note}>{t(`exactBytes.${bytes}`)}</p>;
  return (
    <p className={css.exact}>
      {/* Over the window, not in the pane: that closes when the window is made narrow. */}
      <Button icon={<FileJson aria-hidden />} onClick={() => openOverlay({ kind: "sent", seq: bytes })}>
        {t("exactBytes.open")}
      </Button>
    </p>
  );
}

function Total({ view }: { view: View }) {
  const { t } = useTranslation("context");
  const { requestTotal } = useBlockWords();
  const { alone } = useModelNames();
  const { tokens, budget, window, model, provider } = view;
  const share = budget === 0 ? 1 : Math.min(1, tokens / budget);
  return (
    <>
      <p className={css.total} data-numeric>
        {requestTotal(view)}
      </p>
      <div className={css.budget} aria-hidden>
        <span style={{ inlineSize: `${share * 100}%` }} data-over={tokens > budget || undefined} />
      </div>
      {window && provider !== "offline" && (
        <p className={css.window} data-numeric>
          {t(`window.${window.source === "assumed" ? "assumedHint" : window.source}`, { model: alone(model, provider), tokens: formatTokens(window.tokens) })}
          <Button variant="quiet" onClick={() => openOverlay({ kind: "window", model, name: alone(model, provider), tokens: window.tokens })}>
            {t("window.change")}
          </Button>
        </p>
      )}
    </>
  );
}
