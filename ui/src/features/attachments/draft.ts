// Pictures, files and long texts on their way into a draft: from the clipboard, a drop, or the system's dialog. The draft itself is
// the host's; kept here is only what has not arrived and what was refused, until the person has read why.
import type { QueryClient } from "@tanstack/react-query";
import { create } from "zustand";
import { call, toFailure, type Attached, type ConversationId, type Failure } from "@/ipc";
import { queries } from "@/ipc/queries";
import { i18n } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import { nameOf, textQuery, type Drafted } from "./picture";

interface Arriving {
  /** Names of those that are being read. */
  reading: readonly string[];
  refused: readonly { name: string; failure: Failure }[];
}

const NONE: Arriving = { reading: [], refused: [] };
const useArrivals = create<Record<ConversationId, Arriving>>(() => ({}));

export function useArriving(id: ConversationId): Arriving {
  return useArrivals((all) => all[id] ?? NONE);
}

function change(id: ConversationId, how: (now: Arriving) => Partial<Arriving>): void {
  useArrivals.setState((all) => {
    const now = all[id] ?? NONE;
    return { [id]: { ...now, ...how(now) } };
  });
}

export function dismissRefused(id: ConversationId): void {
  change(id, () => ({ refused: [] }));
}

/** What the host keeps at most; a larger file is not even read. */
const LARGEST = 20 * 1024 * 1024;

/** Files of the clipboard, one after the other. */
export async function attachFiles(client: QueryClient, id: ConversationId, files: readonly File[]): Promise<void> {
  await attachAll(client, id, files, async (file) => {
    const failure: Failure = { code: "attachment_too_large", message: "", hint: "" };
    if (file.size > LARGEST) throw failure;
    return [await call("attachment_add", { conversation_id: id, name: file.name, data: await base64Of(file) })];
  });
}

/** A long text of the clipboard: handed over once, as it is. */
export async function attachText(client: QueryClient, id: ConversationId, text: string): Promise<void> {
  const name = i18n.t("pasting", { ns: "attach" });
  await attachAll(client, id, [{ name }], async () => [await call("attachment_paste", { conversation_id: id, text })]);
}

/** Files that were dropped on the window just now, by their paths. */
export async function attachDropped(client: QueryClient, id: ConversationId, paths: readonly string[]): Promise<void> {
  const dropped = paths.map((path) => ({ path, name: path.split(/[/\\]/).at(-1) ?? path }));
  await attachAll(client, id, dropped, ({ path }) => call("attachment_drop", { conversation_id: id, paths: [path] }));
}

async function attachAll<T extends { name: string }>(
  client: QueryClient,
  id: ConversationId,
  things: readonly T[],
  attach: (thing: T) => Promise<readonly Attached[]>,
): Promise<void> {
  change(id, ({ reading }) => ({ reading: [...reading, ...things.map(({ name }) => name)], refused: [] }));
  for (const thing of things) {
    const { name } = thing;
    try {
      await attach(thing);
      announce(i18n.t("added", { ns: "attach", name }));
    } catch (thrown) {
      change(id, ({ refused }) => ({ refused: [...refused, { name, failure: toFailure(thrown) }] }));
    }
    change(id, ({ reading }) => ({ reading: reading.toSpliced(reading.indexOf(name), 1) }));
    await read(client, id);
  }
}

/** Asks with the system's dialog. */
export async function pickAttachments(client: QueryClient, id: ConversationId): Promise<void> {
  change(id, () => ({ refused: [] }));
  try {
    await call("attachment_pick", { id });
  } catch (thrown) {
    const name = i18n.t("chosen", { ns: "attach" });
    change(id, () => ({ refused: [{ name, failure: toFailure(thrown) }] }));
  }
  // Those before a refused one are in the draft.
  await read(client, id);
}

export async function removeAttachment(client: QueryClient, id: ConversationId, { part }: Drafted): Promise<void> {
  await call("attachment_remove", { conversation_id: id, hash: part.hash });
  announce(i18n.t("removed", { ns: "attach", name: nameOf(part) }));
  await read(client, id);
}

/** Gives a pasted text to whoever writes it into the field, and takes it out of the draft then. */
export async function turnIntoText(
  client: QueryClient,
  id: ConversationId,
  pasted: Drafted,
  write: (text: string) => void,
): Promise<void> {
  write(await client.fetchQuery(textQuery(pasted.part.hash)));
  await removeAttachment(client, id, pasted);
}

async function read(client: QueryClient, id: ConversationId): Promise<void> {
  await client.invalidateQueries(queries.conversation(id));
  void client.invalidateQueries({ queryKey: ["preview", id] });
}

function base64Of(file: File): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = reader.result as string;
      done(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}
