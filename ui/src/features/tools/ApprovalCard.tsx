// What a model wants to do, exactly as it would be done, and the person's answers: Y, A and N. It waits as long as it
// takes, and takes the focus only from an empty composer.
import { useQueryClient } from "@tanstack/react-query";
import { memo, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type Approval } from "@/ipc";
import { queries } from "@/ipc/queries";
import { Diff, lineDiff, useDrawn, type Drawn, type LineDifference } from "@/shared/diff";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, hasDialog, Kbd, Notice, quiet, TextField } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { hasHidden, Revealed } from "@/shared/Revealed";
import { AlwaysForm } from "./AlwaysForm";
import { HiddenNote, Text } from "./CallDetails";
import type { ApprovalAnswer } from "./calls";
import { agentAct } from "./names";
import { useToolNames } from "./panel/effects";
import type { ToolsPlace } from "./place";
import css from "./tools.module.css";
import { useArmed } from "./useArmed";

/** Those that have had the focus: a row that leaves the window of the list and comes back takes it no second time. */
const shown = new Set<string>();

/** What was written to the model and not sent yet, by call: it outlives the row. */
const notes = new Map<string, string>();

interface ApprovalCardProps {
  approval: Approval;
  place: ToolsPlace;
}

export function ApprovalCard({ approval, place }: ApprovalCardProps) {
  const { t } = useTranslation("tools");
  const client = useQueryClient();
  const card = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const { conversationId, composerEmpty } = place;
  const { hash, call_id } = approval;
  const noteKey = `${conversationId} ${call_id}`;
  const [note, setNote] = useState(() => notes.get(noteKey) ?? "");
  const [asking, setAsking] = useState<"always" | "no" | null>(note === "" ? null : "no");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { change } = approval;
  const agent = agentAct(approval.tool)?.agent;
  const lines = useMemo(() => (change === null || change.kind === "move" ? null : lineDiff(change.before, change.after)), [change]);
  const drawn = useDrawn(lines);
  const acts = useRef<HTMLDivElement>(null);
  const asked = `${hash} ${asking} ${drawn.left}`;
  const { armed, take, again } = useArmed(card, acts, hash, asked);
  /** What a press of the pointer began on. */
  const begun = useRef("");

  useEffect(() => {
    const key = `${noteKey} ${hash}`;
    if (shown.has(key)) return;
    shown.add(key);
    const active = document.activeElement;
    const free = active === null || active === document.body || active.matches("main textarea, main button, [role=log], [data-row]");
    if (!free || !composerEmpty() || hasDialog()) return;
    card.current?.focus({ preventScroll: true });
  }, [noteKey, hash, composerEmpty]);

  /** Whether what is pressed may allow something: what was never drawn is drawn first. */
  const mayAllow = () => {
    if (!take()) return false;
    if (drawn.left > 0) drawn.more();
    return drawn.left === 0;
  };
  const always = () => {
    if (mayAllow()) setAsking("always");
  };
  const answer = async (how: ApprovalAnswer) => {
    // A no that was given in words was meant.
    if (how.answer !== "no" && !(how.answer === "never" ? take() : mayAllow())) return;
    setBusy(true);
    setFailure(null);
    try {
      await call("approval_answer", { conversation_id: conversationId, call_id, hash, ...how });
      notes.delete(noteKey);
      // The card goes with what it asked for.
    } catch (thrown) {
      setFailure(thrown);
      setAsking(null);
      again();
      // What waits may be another call by now, or nothing.
      void client.invalidateQueries({ queryKey: queries.approvals(conversationId).queryKey });
      setBusy(false);
    }
  };
  const keyDown = (event: KeyboardEvent) => {
    const { target, nativeEvent } = event;
    if (nativeEvent.isComposing || target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
    if (event.ctrlKey || event.metaKey || event.altKey || busy) return;
    if (event.repeat) {
      // Held since something else was asked; on a button it would press that, too.
      again();
      if (event.key === "Enter" || event.key === " ") event.preventDefault();
      return;
    }
    // By place on the keyboard: with a Korean layout Y, A and N are ㅛ, ㅁ and ㅜ.
    if (event.code === "KeyY") void answer({ answer: "once" });
    else if (event.code === "KeyA") always();
    else if (event.code === "KeyN") setAsking("no");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** A click that began elsewhere, or before this could be answered, presses nothing. One of the keyboard has no beginning. */
  const clicked = (event: MouseEvent) => {
    if (event.detail === 0 || begun.current === asked || !acts.current?.contains(event.target as Node)) return;
    again();
    event.preventDefault();
    event.stopPropagation();
  };
  const write = (text: string) => {
    setNote(text);
    notes.set(noteKey, text);
  };
  const back = () => {
    setAsking(null);
    card.current?.focus({ preventScroll: true });
  };
  return (
    <div
      ref={card}
      className={css.card}
      role="group"
      aria-labelledby={titleId}
      tabIndex={-1}
      data-approval
      data-armed={armed}
      onKeyDown={keyDown}
      onPointerDownCapture={() => (begun.current = armed ? asked : "")}
      onClickCapture={clicked}
    >
      <Wish approval={approval} titleId={titleId} lines={lines} drawn={drawn} />
      {failure !== null &&
        (toFailure(failure).code === "conflict" ? (
          <div role="alert">
            <Notice tone="warn">{t("ask.changed")}</Notice>
          </div>
        ) : (
          <ErrorNotice failure={failure} />
        ))}
      <div ref={acts}>
        {asking === "always" ? (
          <AlwaysForm approval={approval} busy={busy} onAnswer={(how) => void answer(how)} onCancel={back} />
        ) : asking === "no" ? (
          <form
            className={css.form}
            onSubmit={(event) => {
              event.preventDefault();
              void answer({ answer: "no", note: note.trim() });
            }}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.stopPropagation();
              back();
            }}
          >
            <TextField label={agent === undefined ? t("ask.note") : t("ask.agentNote", { agent })} value={note} onChange={write} autoFocus disabled={busy} />
            <div className={css.acts}>
              <Button variant="primary" type="submit" disabled={busy}>
                {t("ask.sayNo")}
              </Button>
              <Button variant="quiet" onClick={back} disabled={busy}>
                {t("back")}
              </Button>
            </div>
          </form>
        ) : (
          <div className={css.acts}>
            <Button variant="primary" aria-keyshortcuts="Y" disabled={busy} onClick={() => void answer({ answer: "once" })}>
              {drawn.left > 0 ? t("moreLines", { ns: "diff", n: formatNumber(drawn.left) }) : t("ask.once")}
              <Kbd keys="Y" />
            </Button>
            <Button aria-keyshortcuts="A" disabled={busy} onClick={always}>
              {t("ask.always")}
              <Kbd keys="A" />
            </Button>
            <Button aria-keyshortcuts="N" disabled={busy} onClick={() => setAsking("no")}>
              {t("ask.no")}
              <Kbd keys="N" />
            </Button>
            <Button variant="quiet" disabled={busy} onClick={() => void answer({ answer: "never" })}>
              {t(place.projectId === null ? "ask.neverAnywhere" : "ask.never")}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

interface WishProps {
  approval: Approval;
  titleId: string;
  lines: LineDifference | null;
  drawn: Drawn;
}

/** What would happen: in words, then exactly. Drawn once, and not again with every key of a note. */
const Wish = memo(function Wish({ approval, titleId, lines, drawn }: WishProps) {
  const { t } = useTranslation("tools");
  const { name } = useToolNames();
  const { change, command, purpose, server, tool, arguments: given } = approval;
  const own = agentAct(tool);
  const path = change?.path ?? "";
  const title =
    change !== null
      ? change.kind === "move"
        ? t("ask.move", { path, to: change.to })
        : t(`ask.${change.kind}`, { path })
      : command !== null
        ? own === null
          ? t("ask.command")
          : t("ask.agentCommand", { agent: own.agent })
        : own !== null
          ? t("ask.agent", { agent: own.agent, act: t(`agent.${own.act}`) })
        : server !== null
          ? t("ask.server", { server, tool: name(tool) })
          : t("ask.tool", { tool: name(tool) });
  const hidden = hasHidden(change?.after ?? "") || hasHidden(command ?? (change === null ? given : ""));
  return (
    <>
      <p id={titleId} className={css.title}>
        <Revealed text={title} />
      </p>
      {purpose !== null && purpose !== "" && (
        <p className={css.purpose}>
          <span>{own === null ? t("ask.says") : t("ask.agentSays", { agent: own.agent })}</span> <q lang={proseLanguage(purpose)} data-selectable>
            <Revealed text={purpose} />
          </q>
        </p>
      )}
      {change !== null && lines !== null && (
        <>
          {change.before === null && change.after === null ? (
            <p className={quiet.note}>{t("ask.noText")}</p>
          ) : (
            <Diff label={t("change")} difference={lines} drawn={drawn} />
          )}
        </>
      )}
      {command !== null && <Text label={t("command")} text={command} />}
      {change === null && command === null && <Text label={t("arguments")} text={given} />}
      {hidden && <HiddenNote />}
    </>
  );
});
