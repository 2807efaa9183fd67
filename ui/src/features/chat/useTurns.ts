// The acts of a conversation: send, edit, regenerate, continue, stop, unqueue, switch branches.
// A failure stays in sight with the way to try again; a text that could not be sent goes back.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { openOverlay, showContext } from "@/app/actions";
import { attachFiles, attachText, dismissRefused, draftOf } from "@/features/attachments";
import { brought, dropAlso, giveBackAlso, readingSent, takeAlso } from "@/features/context";
import { remember } from "@/features/memory";
import { call, type ConversationId, type DefaultModel, type MessageId } from "@/ipc";
import { queries } from "@/ipc/queries";
import type { ComposerHandle } from "./Composer";
import { followReplies } from "./follow";
import type { Path } from "./path";
import type { RowActions } from "./rows";
import { showSides } from "./sides";

export interface Trouble {
  failure: unknown;
  retry: () => void;
}

export interface Turns {
  rowActions: RowActions;
  /** Sends the text with what is attached to the draft, to all models that were chosen for it. */
  send: (text: string) => void;
  stop: () => void;
  unqueue: (id: MessageId) => void;
  trouble: Trouble | null;
  dismiss: () => void;
}

export function useTurns(
  id: ConversationId,
  composer: RefObject<ComposerHandle | null>,
  path: Path,
  toNewest: () => Promise<void>,
  provider: string,
): Turns {
  const client = useQueryClient();
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const current = useRef(path);
  useLayoutEffect(() => {
    current.current = path;
  });

  const act = useCallback(
    async (run: () => Promise<unknown>, onFailure?: () => void) => {
      setTrouble(null);
      const since = Date.now();
      try {
        await run();
        await client.invalidateQueries({ queryKey: ["conversation", id] });
        void followReplies(client, id, since);
      } catch (failure) {
        onFailure?.();
        setTrouble({ failure, retry: () => void act(run, onFailure) });
      }
    },
    [client, id],
  );

  const send = useCallback(
    (text: string) => {
      const also = takeAlso(client.getQueryData(queries.conversation(id).queryKey));
      const run = async () => {
        dismissRefused(id);
        const attachments = drafted(client, id);
        const { message_id } = await bringing(client, id, (context) =>
          call("send", { conversation_id: id, text, attachments, context, also: [...also] }),
        );
        if (also.length > 0) showSides(message_id, true);
        dropAlso(id, also);
        if (composer.current?.getText() === text) composer.current.setText("");
        const { start, messages, total } = current.current;
        if (start + messages.length < total) await toNewest();
      };
      void act(run, () => {
        giveBackAlso(id, also);
        if (composer.current?.getText() === "") composer.current.setText(text);
      });
    },
    [act, client, composer, id, toNewest],
  );

  const regenerate = useCallback(
    (message: MessageId, by?: { question: MessageId; model: DefaultModel }) => {
      // Versions hang on the question: of several messages of a turn the first is answered again.
      const { messages } = current.current;
      const turn = messages.find((item) => item.id === message)?.turn_id ?? null;
      const first = messages.find(({ role, turn_id }) => role === "assistant" && turn !== null && turn_id === turn);
      const ask = (context: Brought) => call("regenerate", { id: first?.id ?? message, context, model: by?.model });
      void act(async () => {
        await bringing(client, id, ask);
        if (by) showSides(by.question, true);
      });
    },
    [act, client, id],
  );
  const rowActions = useMemo<RowActions>(
    () => ({
      onEdit: (message, text, attachments) => {
        const edit = (context: Brought) => call("edit", { id: message, text, attachments, context });
        void act(() => bringing(client, id, edit));
      },
      pasting: {
        onFiles: (files) => void attachFiles(client, id, files),
        onText: (text) => void attachText(client, id, text),
      },
      onRegenerate: (message) => regenerate(message),
      onRetry: (message) => regenerate(message),
      onAsk: (message, question, model) => regenerate(message, { question, model }),
      onContinue: (message) => void act(() => call("continue_reply", { id: message })),
      onSibling: (message) => void act(() => call("branch_switch", { id: message })),
      onSaw: (message) => {
        const { messages } = current.current;
        const turn = messages.find((item) => item.id === message)?.turn_id;
        if (turn && messages.some(({ turn_id, recorded }) => turn_id === turn && recorded)) showContext(turn);
      },
      onRemember: (message, text) => {
        const projectId = client.getQueryData(queries.conversation(id).queryKey)?.item.project_id ?? null;
        void remember({ projectId, conversationId: null }, text, `silt:message/${message}`);
      },
      onEnterKey: () => openOverlay({ kind: "settings", tab: "models", provider }),
    }),
    [act, client, id, provider, regenerate],
  );

  return {
    rowActions,
    send,
    stop: useCallback(() => void act(() => call("stop", { id })), [act, id]),
    unqueue: useCallback((message) => void act(() => call("unqueue", { id: message })), [act]),
    trouble,
    dismiss: useCallback(() => setTrouble(null), []),
  };
}

type Brought = ReturnType<typeof brought>;

/** Asks with what is known of the place where the person reads. */
async function bringing<T>(client: QueryClient, id: ConversationId, ask: (context: Brought) => Promise<T>): Promise<T> {
  const project = client.getQueryData(queries.conversation(id).queryKey)?.item.project_id ?? null;
  const asked = await ask(brought(project));
  readingSent(project);
  return asked;
}

/** The hashes of what is attached to the draft. */
function drafted(client: QueryClient, id: ConversationId): string[] {
  const detail = client.getQueryData(queries.conversation(id).queryKey);
  return detail ? draftOf(detail).map(({ part }) => part.hash) : [];
}
