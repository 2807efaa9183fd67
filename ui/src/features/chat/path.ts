// The shown path of a conversation, as far as it is loaded: a window that mostly ends at the newest
// message. A message's id stands for everything before it (the path is a chain), so after a change
// only the newest page is read again when it still hangs on what is known.
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { call, type ConversationId, type ConversationPage, type MessageId } from "@/ipc";

export type Path = ConversationPage;

const PAGE = 60;
/** Most messages that the host gives at once. */
const MOST = 200;

const keyOf = (id: ConversationId) => ["conversation", id, "path"];

export const pathQuery = (id: ConversationId) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async ({ client }) => {
      const known = () => client.getQueryData<Path>(keyOf(id));
      for (;;) {
        const before = known();
        const path = await readAgain(id, before);
        // A page that came meanwhile would be lost, and the list at its edge would never ask for it again.
        if (known() === before) return path;
      }
    },
  });

/** All of the shown path, for whoever looks through it; what is known of it is not read again either. */
export const wholeQuery = (id: ConversationId) => {
  const queryKey = ["conversation", id, "whole"];
  return queryOptions({
    queryKey,
    queryFn: async ({ client }) => {
      const known = client.getQueryData<Path>(queryKey);
      if (known) return readAgain(id, known);
      const newest = await page(id, null, MOST);
      return { ...newest, start: 0, messages: [...(await stretch(id, 0, newest.start)), ...newest.messages] };
    },
    gcTime: 0,
  });
};

function page(id: ConversationId, start: number | null, limit: number): Promise<Path> {
  return call("conversation_page", { id, start, limit });
}

/** Messages from `start` up to `end`, in as many pages as that takes. */
async function stretch(id: ConversationId, start: number, end: number): Promise<Path["messages"]> {
  const messages: Path["messages"] = [];
  while (start + messages.length < end) {
    const from = start + messages.length;
    const next = await page(id, from, Math.min(MOST, end - from));
    if (next.messages.length === 0) break;
    messages.push(...next.messages);
  }
  return messages;
}

/** A reply that goes on after calls of tools is one row with what is before it, so no window begins inside a turn. */
const begins = ({ role, turn_id }: Path["messages"][number]) => role === "user" || role === "system" || turn_id === null;

/** The same from the beginning of a turn on, which is at the message of `needed` or before it. */
async function fromTurn(id: ConversationId, path: Path, needed = path.messages.length - 1): Promise<Path> {
  let { messages, start } = path;
  let need = needed;
  for (;;) {
    const at = messages.findIndex(begins);
    if (at >= 0 && at <= need) return { ...path, messages: messages.slice(at), start: start + at };
    if (start === 0) return { ...path, messages, start };
    const from = Math.max(0, start - PAGE);
    messages = [...(await stretch(id, from, start)), ...messages];
    need += start - from;
    start = from;
  }
}

async function readAgain(id: ConversationId, known: Path | undefined): Promise<Path> {
  if (!known || known.messages.length === 0) return fromTurn(id, await page(id, null, PAGE));
  const { start } = known;
  const end = start + known.messages.length;
  if (end < known.total) {
    // A window in the middle, after a jump: the same stretch again.
    const { total, open_turn } = await page(id, start, 1);
    return { messages: await stretch(id, start, Math.min(end, total)), start, total, open_turn };
  }
  const newest = await page(id, null, PAGE);
  if (newest.start <= start) return fromTurn(id, newest);
  const joint = known.messages[newest.start - start];
  const hangsOn = joint !== undefined && joint.id === newest.messages[0]?.id;
  const before = hangsOn
    ? known.messages.slice(0, newest.start - start)
    : await stretch(id, start, newest.start);
  return { ...newest, messages: [...before, ...newest.messages], start };
}

/** Conversations for which a page is on its way: the list asks on every scroll. */
const loading = new Set<ConversationId>();

async function once(id: ConversationId, load: () => Promise<void>): Promise<void> {
  if (loading.has(id)) return;
  loading.add(id);
  try {
    await load();
  } finally {
    loading.delete(id);
  }
}

/** Puts the page before the window in front of it. */
export function loadOlder(client: QueryClient, id: ConversationId): Promise<void> {
  return once(id, () => older(client, id));
}

/** Puts the page after the window behind it. */
export function loadNewer(client: QueryClient, id: ConversationId): Promise<void> {
  return once(id, () => newer(client, id));
}

async function older(client: QueryClient, id: ConversationId): Promise<void> {
  const known = client.getQueryData<Path>(keyOf(id));
  if (!known || known.start === 0) return;
  const first = Math.max(0, known.start - PAGE);
  const before = await fromTurn(id, await page(id, first, known.start - first));
  const { start } = before;
  client.setQueryData<Path>(keyOf(id), (now) => {
    const joins = now?.start === known.start && now.messages[0]?.parent_id === before.messages.at(-1)?.id;
    return joins ? { ...now, start, messages: [...before.messages, ...now.messages] } : now;
  });
}

async function newer(client: QueryClient, id: ConversationId): Promise<void> {
  const known = client.getQueryData<Path>(keyOf(id));
  if (!known) return;
  const end = known.start + known.messages.length;
  if (end >= known.total) return;
  const after = await page(id, end, PAGE);
  client.setQueryData<Path>(keyOf(id), (now) => {
    const joins = now?.messages.at(-1)?.id === after.messages[0]?.parent_id;
    return now && joins ? { ...after, start: now.start, messages: [...now.messages, ...after.messages] } : now;
  });
}

/** Moves the window to the newest messages. */
export async function loadNewest(client: QueryClient, id: ConversationId): Promise<void> {
  await put(client, id, await fromTurn(id, await page(id, null, PAGE)));
}

/** Makes sure that the window holds a message; gives its index, and whether the window had to move. */
export async function loadAround(
  client: QueryClient,
  id: ConversationId,
  messageId: MessageId,
): Promise<{ index: number; moved: boolean }> {
  const { index } = await call("conversation_locate", { id: messageId });
  const known = client.getQueryData<Path>(keyOf(id));
  const moved = known?.messages[index - known.start]?.id !== messageId;
  if (moved) await move(client, id, index);
  return { index, moved };
}

/** Makes sure that the window holds the message of an index; gives the message, and whether the window had to move. */
export async function loadAt(
  client: QueryClient,
  id: ConversationId,
  index: number,
): Promise<{ key: MessageId | undefined; moved: boolean }> {
  const found = () => {
    const known = client.getQueryData<Path>(keyOf(id));
    return known?.messages[index - known.start]?.id;
  };
  const moved = found() === undefined;
  if (moved) await move(client, id, index);
  return { key: found(), moved };
}

async function move(client: QueryClient, id: ConversationId, index: number): Promise<void> {
  const start = Math.max(0, index - PAGE / 2);
  await put(client, id, await fromTurn(id, await page(id, start, PAGE), index - start));
}

/** Replaces the window. A read that is under way began at the old one and would bring it back: it is dropped. */
async function put(client: QueryClient, id: ConversationId, path: Path): Promise<void> {
  await client.cancelQueries({ queryKey: keyOf(id) });
  client.setQueryData<Path>(keyOf(id), path);
}
