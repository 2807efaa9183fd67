// A conversation: its header, messages, composer, and the context pane beside it. This file holds
// the pieces together; each piece's own data is in its own file.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { goToStart, useAction, useSides } from "@/app/actions";
import { draftOf, isAttachment, nameOf } from "@/features/attachments";
import { ContextPane } from "@/features/context";
import { useMarks } from "@/features/checkpoints";
import { followLink } from "@/features/conversations";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { RememberSelection } from "@/features/memory";
import { endOf, useFolding, type Fold, type Folding } from "@/features/summaries";
import { ToolsProvider, type ToolsPlace } from "@/features/tools";
import { call, toFailure, type ConversationDetail, type ConversationId, type MessageItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice, Spinner } from "@/shared/kit";
import { later } from "@/shared/later";
import { ChatComposer } from "./ChatComposer";
import { ChatHeader } from "./ChatHeader";
import css from "./ChatScreen.module.css";
import type { ComposerHandle } from "./Composer";
import { EmptyConversation } from "./EmptyConversation";
import { earliest } from "./folded";
import { followReplies } from "./follow";
import { MessageList, type MessageListHandle } from "./MessageList";
import { loadNewer, loadOlder, pathQuery, type Path } from "./path";
import { useRows } from "./toRows";
import { useChatActions } from "./useChatActions";
import { useJump } from "./useJump";
import { useTurns } from "./useTurns";

const FindBar = later(() => import("./FindBar"), "FindBar");

export function ChatScreen({ id }: { id: ConversationId }) {
  const { t } = useTranslation("talk");
  const detail = useQuery(queries.conversation(id));
  const path = useQuery(pathQuery(id));
  const folding = useFolding(id);
  const failure = detail.error ?? path.error;
  if (detail.data && path.data && folding.ready) {
    return <Conversation detail={detail.data} path={path.data} folding={folding} />;
  }
  return (
    <main className={css.main} data-region tabIndex={-1} aria-label={t("label")}>
      <div className={css.alone}>
        {failure ? (
          <ErrorNotice
            failure={failure}
            actions={
              <>
                {toFailure(failure).code !== "not_found" && (
                  <Button onClick={() => void Promise.all([detail.refetch(), path.refetch()])}>{t("again")}</Button>
                )}
                <Button onClick={goToStart}>{t("toStart")}</Button>
              </>
            }
          />
        ) : (
          <Spinner />
        )}
      </div>
    </main>
  );
}

interface ConversationProps {
  detail: ConversationDetail;
  path: Path;
  folding: Folding;
}

function Conversation({ detail, path, folding }: ConversationProps) {
  const { t } = useTranslation("talk");
  const client = useQueryClient();
  const { item, open_turn } = detail;
  const { id, project_id } = item;
  const list = useRef<MessageListHandle>(null);
  const composer = useRef<ComposerHandle>(null);
  /** How often it was asked for since it was closed. */
  const [finding, setFinding] = useState(0);
  const main = useRef<HTMLElement>(null);
  const sides = useSides();
  const rows = useRows(path.messages, path.open_turn);
  const marks = useMarks(project_id, id);
  const { folds, toggle, reveal } = folding;
  const { openAt, focus, generation, toNewest, bring } = useJump(id, list, rows, reveal);
  const turns = useTurns(id, composer, path, toNewest, detail.provider);

  useEffect(() => {
    if (open_turn !== null) void followReplies(client, id);
  }, [client, id, open_turn]);

  const isEmpty = path.total === 0;
  useEffect(() => {
    if (isEmpty) composer.current?.focus();
  }, [isEmpty]);

  useChatActions({ detail, messages: path.messages, turns });
  useAction("find", () => setFinding((times) => times + 1));

  const onLink = useCallback((url: string) => void followLink(url, { id, project_id }), [id, project_id]);
  const onNewest = useCallback(() => {
    // The list is another one then: it takes the focus of the button that went with the old one.
    const focus = () => requestAnimationFrame(() => list.current?.focus());
    void toNewest().then(focus, tellFailure);
  }, [toNewest]);
  const onNeedOlder = useCallback(() => void loadOlder(client, id).catch(tellFailure), [client, id]);
  const onNeedNewer = useCallback(() => void loadNewer(client, id).catch(tellFailure), [client, id]);
  const onFold = useCallback(
    (fold: Fold, close: boolean) => {
      toggle(fold, close);
      // Opened, it is read from its beginning; closed, what comes after it follows. Both may not be loaded.
      void bring(close ? endOf(fold.summary) - 1 : fold.summary.coverage.start).catch(tellFailure);
    },
    [bring, toggle],
  );
  const drafted = useMemo(() => draftOf(detail).map(({ part }) => part), [detail]);
  const toolsPlace = useMemo<ToolsPlace>(
    () => ({
      conversationId: id,
      projectId: project_id,
      composerEmpty: () => (composer.current?.getText() ?? "").trim() === "",
    }),
    [id, project_id],
  );
  const sent = useMemo(() => sentTurns(path.messages, t), [path.messages, t]);
  return (
    <>
      <main ref={main} className={css.main} data-region tabIndex={-1} aria-label={t("label")}>
        <ChatHeader conversation={detail} />
        <Suspense>{finding > 0 && <FindBar conversationId={id} asked={finding} onClose={() => setFinding(0)} />}</Suspense>
        <div className={css.body}>
          {isEmpty ? (
            <EmptyConversation detail={detail} />
          ) : (
            <ToolsProvider value={toolsPlace}>
              <MessageList
                key={generation}
                ref={list}
                rows={rows}
                actions={turns.rowActions}
                folds={folds}
                onFold={onFold}
                marks={marks}
                onLink={onLink}
                drafted={drafted}
                initialKey={openAt ?? undefined}
                focusInitial={focus}
                hasOlder={earliest(folds, path.start) > 0}
                hasNewer={path.start + path.messages.length < path.total}
                onNeedOlder={onNeedOlder}
                onNeedNewer={onNeedNewer}
                onNewest={onNewest}
                total={path.total}
              />
            </ToolsProvider>
          )}
        </div>
        <RememberSelection projectId={project_id} />
        {item.deleted_at === null ? (
          <ChatComposer
            ref={composer}
            detail={detail}
            turns={turns}
            main={main}
            onEditLast={() => list.current?.editLast()}
          />
        ) : (
          <InTrash id={id} />
        )}
      </main>
      {sides.pane && <ContextPane conversation={item} turns={sent} />}
    </>
  );
}

/** In the place of the composer: nothing can be sent from the trash. */
function InTrash({ id }: { id: ConversationId }) {
  const { t } = useTranslation("talk");
  const restore = () => void call("conversation_restore", { id }).catch(tellFailure);
  return (
    <div className={css.foot}>
      <div className={css.footColumn}>
        <Notice actions={<Button onClick={restore}>{t("trash.restore")}</Button>}>{t("trash.here")}</Notice>
      </div>
    </div>
  );
}

/** The turns whose request can be looked at, newest first, named by their questions. */
function sentTurns(messages: readonly MessageItem[], t: ReturnType<typeof useTranslation<"talk">>["t"]) {
  const seen = new Set<string>();
  return messages
    .filter(({ recorded, turn_id }) => recorded && turn_id !== null)
    .slice(-50)
    .reverse()
    .flatMap((reply) => {
      const id = reply.turn_id!;
      if (seen.has(id)) return [];
      seen.add(id);
      const question =
        messages.find(({ role, turn_id }) => role === "user" && turn_id === id) ??
        messages.find((message) => message.id === reply.parent_id);
      const text = question ? beginningOf(question) : "…";
      return [{ id, label: t("sent", { text }) }];
    });
}

/** The beginning of a message, or what it carries when it says nothing. */
function beginningOf({ parts }: MessageItem): string {
  const words = parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : []));
  const names = parts.filter(isAttachment).map(nameOf);
  return (words.length > 0 ? words : names).join(" ").slice(0, 60);
}
