// One summary: what it stands for and what that saves; opens to its text and to what can be done with it. What is
// being made or has failed at the same place is told above.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight, TriangleAlert } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { create } from "zustand";
import { jumpTo, type usePlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type SummaryId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatCost, formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, quiet, TextArea, useAct } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { beginningOf, charsOf, type Card, type Summary } from "./cards";
import { Lines } from "./Lines";
import { RateDialog } from "./RateDialog";
import { Receipt } from "./Receipt";
import css from "./summaries.module.css";
import { UnfoldFailure } from "./UnfoldFailure";
import { VersionsDialog } from "./VersionsDialog";
import { useSummaryWords } from "./words";
import { Writing } from "./Writing";

/** Cards that are open, by the ids of their versions: the tab is left, and branches are switched. */
const useOpened = create<Record<SummaryId, boolean>>(() => ({}));

/** Texts that are being edited and were neither kept nor given up: the tab is left, the pane is closed. */
const useEdits = create<Record<SummaryId, string | undefined>>(() => ({}));

interface SummaryCardProps {
  card: Card;
  /** The newest of those in use: it can be taken back. */
  newest: boolean;
  /** Closed, it says what it leaves behind. */
  checked: boolean;
  /** What came so far of the one that is being made. */
  writing: string;
  /** Set when a link has led to this one: it opens. */
  asked: ReturnType<typeof usePlace.getState>["summary"];
}

export function SummaryCard({ card, newest, checked, writing, asked }: SummaryCardProps) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { current, versions, making, failed } = card;
  const open = useOpened((opened) => versions.some((version) => opened[version.id]));
  const [pressed, setPressed] = useState(false);
  const setOpen = (next: boolean) => {
    setPressed(true);
    useOpened.setState(Object.fromEntries(versions.map((version) => [version.id, next])));
  };
  const id = useId();
  useEffect(() => {
    if (asked) useOpened.setState({ [asked.id]: true });
  }, [asked]);
  return (
    <li className={css.card} data-summaries={versions.map((version) => version.id).join(" ")}>
      {making && (
        <Writing
          what={t("makingOf", { span: words.span(making), version: making.version })}
          onCancel={() => call("summary_cancel", { id: making.conversation_id })}
          since={making.created_at}
          text={writing}
        />
      )}
      {failed && !making && <Failed failed={failed} />}
      {current && (
        <>
          <button
            type="button"
            className={css.row}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            <ChevronRight aria-hidden className={css.chevron} />
            <span className={css.name}>{words.span(current)}</span>
            <span className={css.version} data-numeric>
              {t("version", { version: current.version })}
            </span>
            <span className={css.facts} data-numeric>
              {words.size(current.original_chars, current.summary_chars)}
              {" · "}
              {words.saved(current.original_chars, current.summary_chars)}
              {" · "}
              {words.rate(current)}
            </span>
            {!open && (
              <span className={css.excerpt} lang={proseLanguage(current.summary)}>
                {beginningOf(current.summary)}
              </span>
            )}
            <Tags summary={current} inUse={card.inUse} />
            {checked && <Kept summary={current} />}
          </button>
          {open && (
            <div id={id} className={css.body} data-rises={pressed || undefined}>
              <Opened key={current.id} card={card} current={current} newest={newest} />
            </div>
          )}
        </>
      )}
    </li>
  );
}

/** What sets a summary apart from one that a model wrote and that is sent. */
function Tags({ summary, inUse }: { summary: Summary; inUse: boolean }) {
  const { t } = useTranslation("summaries");
  const tags = [
    inUse && summary.unfolded_at !== null && t("tag.unfolded"),
    summary.edited && t("tag.edited"),
    summary.level > 1 && t("tag.merged"),
    summary.receipt.cut && t("tag.cut"),
  ].filter((tag) => tag !== false);
  return tags.length === 0 ? null : <span className={css.tags}>{tags.join(" · ")}</span>;
}

/** What it leaves behind, and how many facts go with it. */
function Kept({ summary: { id, conversation_id, receipt } }: { summary: Summary }) {
  const { t } = useTranslation("summaries");
  const left = useQuery(queries.foldCheck(conversation_id, id)).data?.left_behind.length ?? 0;
  const kept = receipt.kept.length;
  if (left + kept === 0) return null;
  return (
    <span className={css.tags} data-numeric>
      {left > 0 && (
        <span className={css.left}>
          <TriangleAlert aria-hidden /> {t("receipt.left", { count: left })}
        </span>
      )}
      {left > 0 && kept > 0 && " · "}
      {kept > 0 && t("receipt.kept", { count: kept })}
    </span>
  );
}

function Failed({ failed }: { failed: Summary }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { running, failure, act } = useAct();
  const { fault } = failed;
  const undone = fault?.code === "undone";
  return (
    <div className={css.strip} data-failed>
      <TriangleAlert aria-hidden />
      <div className={css.grow}>
        <p>{t(undone ? "undoneOf" : "failedOf", { span: words.span(failed), version: failed.version })}</p>
        {fault && <p className={quiet.note}>{words.fault(fault)}</p>}
        {fault?.message && !undone && (
          <details className={quiet.note}>
            <summary>{t("details", { ns: "errors" })}</summary>
            <p data-selectable>{fault.message}</p>
          </details>
        )}
      </div>
      <Button
        disabled={running}
        onClick={() => void act(() => call(undone ? "summary_adopt" : "summary_retry", { id: failed.id }))}
      >
        {t(undone ? "foldAgain" : "retry")}
      </Button>
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}

function Opened({ card, current, newest }: { card: Card; current: Summary; newest: boolean }) {
  const { t } = useTranslation("summaries");
  const { running, failure, act } = useAct();
  const edited = useEdits((edits) => edits[current.id]);
  const [dialog, setDialog] = useState<"rate" | "versions" | null>(null);
  const { id, conversation_id, coverage, unfolded_at } = current;
  const close = () => setDialog(null);
  const edit = (text: string | undefined) => useEdits.setState({ [id]: text });
  if (edited !== undefined) return <EditSummary current={current} text={edited} onEdit={edit} />;
  return (
    <>
      <Lines summary={current} />
      <How summary={current} />
      <Receipt summary={current} acts={card.inUse} />
      {failure !== null && <UnfoldFailure failure={failure} />}
      <div className={css.acts}>
        <Button onClick={() => edit(current.summary)}>{t("edit")}</Button>
        {rated(current) && <Button onClick={() => setDialog("rate")}>{t("tryRate")}</Button>}
        {card.inUse && (
          <Button
            disabled={running}
            onClick={() => void act(() => call("summary_unfold", { id, unfolded: unfolded_at === null }))}
          >
            {t(unfolded_at === null ? "unfold" : "foldAgain")}
          </Button>
        )}
        {newest && (
          <Button variant="quiet" disabled={running} onClick={() => void act(() => call("summary_undo", { id }))}>
            {t("receipt.undo")}
          </Button>
        )}
        {card.versions.length > 1 && (
          <Button variant="quiet" onClick={() => setDialog("versions")}>
            {t("versions", { count: card.versions.length })}
          </Button>
        )}
        {card.inUse && (
          <Button variant="quiet" onClick={() => jumpTo(conversation_id, { index: coverage.start })}>
            {t("show")}
          </Button>
        )}
      </div>
      {dialog === "rate" && <RateDialog current={current} onClose={close} />}
      {dialog === "versions" && <VersionsDialog card={card} current={current} onClose={close} />}
    </>
  );
}

/** How long a running summary is, is said by its policy alone (seed 001), at no rate. */
function rated({ policy }: Summary): boolean {
  return policy !== "running";
}

/** By whom it was written, at what cost and when. */
function How({ summary }: { summary: Summary }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { cost, created_at, finished_at } = summary;
  const at = Date.parse(finished_at ?? created_at);
  const took = Math.round((at - Date.parse(created_at)) / 1000);
  const said = [
    words.writer(summary),
    cost !== null && formatCost(cost),
    formatMoment(at),
    took > 0 && t("took", { n: formatNumber(took) }),
  ].filter((words) => words !== false);
  return (
    <p className={quiet.note} data-numeric>
      {said.join(" · ")}
    </p>
  );
}

interface EditSummaryProps {
  current: Summary;
  text: string;
  /** Undefined ends it. */
  onEdit: (text: string | undefined) => void;
}

function EditSummary({ current, text, onEdit }: EditSummaryProps) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { running, failure, act } = useAct();
  const save = async () => {
    if (await act(() => call("summary_edit", { id: current.id, text }))) onEdit(undefined);
  };
  return (
    <div
      className={css.editing}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        onEdit(undefined);
      }}
    >
      <TextArea
        label={t("editLabel")}
        value={text}
        onChange={onEdit}
        rows={8}
        description={`${words.size(current.original_chars, charsOf(text))} · ${words.saved(current.original_chars, charsOf(text))}`}
      />
      {failure !== null && <ErrorNotice failure={failure} />}
      <div className={css.acts}>
        <Button
          variant="primary"
          disabled={running || text.trim() === "" || text === current.summary}
          onClick={() => void save()}
        >
          {t("save")}
        </Button>
        <Button variant="quiet" onClick={() => onEdit(undefined)}>
          {t("cancel", { ns: "common" })}
        </Button>
      </div>
    </div>
  );
}
