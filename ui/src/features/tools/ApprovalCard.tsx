// What a model wants to do, exactly as it would be done, and the person's answers: Y, A and N. It waits as long as it
// takes, and takes the focus only from an empty composer.
import { useQueryClient } from "@tanstack/react-query";
import { memo, useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { Diff, lineDiff } from "@/features/checkpoints";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type Approval } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Kbd, Notice, TextField } from "@/shared/kit";
import { hasHidden, Revealed } from "@/shared/Revealed";
import { AlwaysForm } from "./AlwaysForm";
import { HiddenNote, Text } from "./CallDetails";
import type { ApprovalAnswer } from "./calls";
import { useToolNames } from "./panel/effects";
import type { ToolsPlace } from "./place";
import css from "./tools.module.css";

/** Those that have had the focus: a row that leaves the window of the list and comes back takes it no second time. */
const shown = new Set<string>();

/** What was written to the model and not sent yet, by call: it outlives the row. */
const notes = new Map<string, string>();

/** How long, in milliseconds, keys mean something else: when the card has just taken the focus from the composer, and when
 * what it asks for has just become another. */
const STRAY = 700;

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
  const deaf = useRef(0);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  useEffect(() => {
    if (shown.has(hash)) return;
    shown.add(hash);
    const active = document.activeElement;
    const free = active === null || active === document.body || active.matches("main textarea, main button, [role=log], [data-row]");
    if (!free || !composerEmpty() || document.querySelector("[role=dialog]") !== null) return;
    if (active instanceof HTMLTextAreaElement) deaf.current = performance.now() + STRAY;
    card.current?.focus({ preventScroll: true });
  }, [hash, composerEmpty]);

  const answer = async (how: ApprovalAnswer) => {
    setBusy(true);
    setFailure(null);
    try {
      await call("approval_answer", { conversation_id: conversationId, call_id, hash, ...how });
      notes.delete(noteKey);
      // The card goes with what it asked for.
    } catch (thrown) {
      setFailure(thrown);
      setAsking(null);
      deaf.current = performance.now() + STRAY;
      // What waits may be another call by now, or nothing.
      void client.invalidateQueries({ queryKey: queries.approvals(conversationId).queryKey });
      setBusy(false);
    }
  };
  const keyDown = (event: KeyboardEvent) => {
    const { target, nativeEvent } = event;
    if (nativeEvent.isComposing || target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || busy) return;
    if (performance.now() < deaf.current) return;
    // By place on the keyboard: with a Korean layout Y, A and N are ㅛ, ㅁ and ㅜ.
    if (event.code === "KeyY") void answer({ answer: "once" });
    else if (event.code === "KeyA") setAsking("always");
    else if (event.code === "KeyN") setAsking("no");
    else return;
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
      onKeyDown={keyDown}
    >
      <Wish approval={approval} titleId={titleId} />
      {failure !== null &&
        (toFailure(failure).code === "conflict" ? (
          <div role="alert">
            <Notice tone="warn">{t("ask.changed")}</Notice>
          </div>
        ) : (
          <ErrorNotice failure={failure} />
        ))}
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
          <TextField label={t("ask.note")} value={note} onChange={write} autoFocus disabled={busy} />
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
            {t("ask.once")}
            <Kbd keys="Y" />
          </Button>
          <Button aria-keyshortcuts="A" disabled={busy} onClick={() => setAsking("always")}>
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
  );
}

/** What would happen: in words, then exactly. Drawn once: the lines of a large change are not compared again with every key of a note. */
const Wish = memo(function Wish({ approval, titleId }: { approval: Approval; titleId: string }) {
  const { t } = useTranslation("tools");
  const { name } = useToolNames();
  const { change, command, purpose, server, tool, arguments: given } = approval;
  const path = change?.path ?? "";
  const title =
    change !== null
      ? change.kind === "move"
        ? t("ask.move", { path, to: change.to })
        : t(`ask.${change.kind}`, { path })
      : command !== null
        ? t("ask.command")
        : server !== null
          ? t("ask.server", { server, tool: name(tool) })
          : t("ask.tool", { tool: name(tool) });
  const hidden = hasHidden(change?.after ?? "") || hasHidden(command ?? "");
  return (
    <>
      <p id={titleId} className={css.title}>
        <Revealed text={title} />
      </p>
      {purpose !== null && purpose !== "" && (
        <p className={css.purpose}>
          <span>{t("ask.says")}</span> <q data-selectable>{purpose}</q>
        </p>
      )}
      {change !== null && change.kind !== "move" && (
        <>
          {change.before === null && change.after === null ? (
            <p className={css.muted}>{t("ask.noText")}</p>
          ) : (
            <Diff label={t("change")} lines={lineDiff(change.before, change.after)} />
          )}
        </>
      )}
      {command !== null && <Text label={t("command")} text={command} />}
      {change === null && command === null && <Text label={t("arguments")} text={spread(given)} />}
      {hidden && <HiddenNote />}
    </>
  );
});

/** JSON over several lines; as it is when it is none. */
function spread(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
