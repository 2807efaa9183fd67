// The foot of the conversation: trouble with its retry, waiting messages, the line of the next request, and the composer
// with its model and the Context Bar.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Paperclip, X } from "lucide-react";
import { useMemo, useState, type RefObject } from "react";
import { useAction, usePlace } from "@/app/actions";
import { AttachButton, DraftAttachments, pickAttachments, useArriving } from "@/features/attachments";
import { ContextBar, MissingRules, OthersAsked, RequestLines, useRequestPreview } from "@/features/context";
import { ErrorNotice } from "@/features/errors";
import { clearLines, isCommand, KeptFor, MemoryChanges, refreshMemory, runCommand } from "@/features/memory";
import { modelName, ModelPicker, useModelNames, useOffers } from "@/features/models";
import { isSkillCommand, runSkillCommand, useNamed } from "@/features/skills";
import { isWorkCommand, runWorkCommand, SessionNotice } from "@/features/work";
import { call, toFailure, type ConversationDetail, type MemoryLine, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button, IconButton } from "@/shared/kit";
import { AlsoAsked } from "./AlsoAsked";
import css from "./ChatScreen.module.css";
import { Composer, type ComposerHandle } from "./Composer";
import { FoldChoice } from "./FoldChoice";
import { HeldByLimit, LimitNotice } from "./LimitNotice";
import { SampleTour } from "./SampleTour";
import { TooLong } from "./TooLong";
import { useDraft } from "./useDraft";
import { useTypedAnywhere } from "./useTypedAnywhere";
import type { FindPaths } from "./useMentions";
import type { Trouble as TroubleOf, Turns } from "./useTurns";

/** Most files that are offered to be mentioned. */
const MOST_PATHS = 30;

interface ChatComposerProps {
  ref: RefObject<ComposerHandle | null>;
  detail: ConversationDetail;
  turns: Turns;
  /** The place of the conversation, for a tour through it. */
  main: RefObject<HTMLElement | null>;
  onEditLast: () => void;
}

export function ChatComposer({ ref, detail, turns, main, onEditLast }: ChatComposerProps) {
  const { t } = useTranslation("talk");
  const client = useQueryClient();
  const { alone } = useModelNames();
  const { item, draft, queued, queued_also, open_turn, attachments, provider, model } = detail;
  const isReadOnly = useQuery(queries.appInfo()).data?.data.state === "read_only";
  const attaching = useArriving(item.id).reading.length > 0;
  const onDraftChange = useDraft(item.id, draft, sentOf);
  const { trouble } = turns;
  const touring = usePlace((place) => place.touring === item.id);
  const { data: next } = useRequestPreview(item);
  const tooLong = next && next.needed !== null ? next : null;
  const refusal = tooLong?.needed
    ? t("tooLong", { needed: formatTokens(tooLong.needed), budget: formatTokens(tooLong.budget), model: alone(model, provider) })
    : undefined;
  const findPaths = useMemo(() => findIn(item.project_id), [item.project_id]);
  const { commands } = useOffers()(provider, item.project_id);
  const { skills, heard } = useNamed(item.project_id, item.id);
  const offering = useMemo(() => ({ agent: provider, commands, skills }), [provider, commands, skills]);
  const [added, setAdded] = useState<MemoryLine | null>(null);
  const where = { projectId: item.project_id, conversationId: item.id };
  const send = (text: string) => {
    const run = isCommand(text)
      ? runCommand(where, text, setAdded)
      : isWorkCommand(text)
        ? runWorkCommand(item.project_id, text)
        : isSkillCommand(text)
          ? runSkillCommand(where, text)
          : null;
    if (run === null) return turns.send(text);
    void run.then((done) => {
      if (!done && ref.current?.getText() === "") ref.current.setText(text);
    });
  };
  useAction("memoryAdd", () => {
    ref.current?.setText("/memory add ");
    ref.current?.focus();
  });
  useAction("memoryRefresh", () => void refreshMemory(where));
  useAction("memoryClear", () => void clearLines(where));
  useAction("attach", () => void pickAttachments(client, item.id));
  useTypedAnywhere(ref);
  return (
    <div className={css.foot}>
      <div className={css.footColumn}>
        {item.project_id !== null && (
          <>
            <SessionNotice projectId={item.project_id} />
            <MemoryChanges projectId={item.project_id} />
          </>
        )}
        {touring && <SampleTour within={main} onLeave={() => ref.current?.focus()} />}
        <FoldChoice />
        {added && <KeptFor where={where} line={added} onDone={() => setAdded(null)} />}
        <MissingRules conversation={item} />
        {trouble && <Trouble trouble={trouble} onDismiss={turns.dismiss} />}
        {!trouble && queued.length > 0 && open_turn === null && <HeldByLimit />}
        {queued.length > 0 && (
          <ul className={css.queue} aria-label={t("queue")}>
            {queued.map(({ id, text, attachments }) => (
              <li key={id} className={css.queued}>
                <span className={css.queuedText}>{text}</span>
                {attachments.length > 0 && (
                  <span className={css.queuedAttachments} data-numeric>
                    <Paperclip aria-hidden />
                    {t("attached", { count: attachments.length })}
                  </span>
                )}
                {queued_also.some(({ message_id }) => message_id === id) && (
                  <span className={css.queuedAttachments}>
                    {t("queuedAlso", {
                      models: queued_also
                        .flatMap(({ message_id, models }) => (message_id === id ? models : []))
                        .map(({ model }) => modelName(model))
                        .join(", "),
                    })}
                  </span>
                )}
                <IconButton
                  label={t("unqueue")}
                  icon={<X aria-hidden />}
                  onClick={() => turns.unqueue(id)}
                />
              </li>
            ))}
          </ul>
        )}
        <OthersAsked conversation={item} onLeave={() => ref.current?.focus()} />
      </div>
      <RequestLines conversation={detail} onLeave={() => ref.current?.focus()} />
      <Composer
        ref={ref}
        initialText={draft}
        answering={open_turn !== null}
        commands={offering}
        onSend={send}
        onStop={turns.stop}
        onEditLast={onEditLast}
        onDraftChange={(text) => {
          heard(text);
          onDraftChange(text);
        }}
        pasting={turns.rowActions.pasting}
        findPaths={findPaths}
        attachments={
          <DraftAttachments
            conversation={detail}
            model={alone(model, provider)}
            onText={(text) => {
              const written = ref.current?.getText() ?? "";
              ref.current?.setText(written === "" ? text : `${written}\n\n${text}`);
              ref.current?.focus();
            }}
            onEmpty={() => ref.current?.focus()}
          />
        }
        refusal={refusal}
        ways={tooLong && <TooLong conversation={detail} request={tooLong} onLeave={() => ref.current?.focus()} />}
        disabled={isReadOnly}
        placeholder={isReadOnly ? t("readOnly") : undefined}
        hasAttachments={attachments.length > 0}
        attaching={attaching}
        tools={
          !isReadOnly && (
            <>
              <AttachButton id={item.id} />
              <ModelPicker conversation={detail} />
              <AlsoAsked conversation={detail} onLeave={() => ref.current?.focus()} />
            </>
          )
        }
        hint={<ContextBar conversation={item} />}
      />
    </div>
  );
}

/** A command is carried out here; no model is sent it. */
function sentOf(text: string): string {
  return isCommand(text) || isWorkCommand(text) || isSkillCommand(text) ? "" : text;
}

function findIn(project_id: ProjectId | null): FindPaths | undefined {
  if (project_id === null) return undefined;
  return (query) => call("project_paths", { project_id, query, limit: MOST_PATHS });
}

/** Why the message is still here, with the way to try again. */
function Trouble({ trouble: { failure, retry }, onDismiss }: { trouble: TroubleOf; onDismiss: () => void }) {
  const { t } = useTranslation("talk");
  const close = (
    <Button variant="quiet" onClick={onDismiss}>
      {t("close", { ns: "common" })}
    </Button>
  );
  if (toFailure(failure).code === "limit_reached") return <LimitNotice onAllowed={retry} actions={close} />;
  return (
    <ErrorNotice
      failure={failure}
      actions={
        <>
          <Button onClick={retry}>{t("again")}</Button>
          {close}
        </>
      }
    />
  );
}
