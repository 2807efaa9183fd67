// Attached pictures and files of the fake: known by how their bytes begin, kept by a hash of them, and in the draft
// until they are sent.
import type { AddAttachment, Attached, AttachmentBytes, Part } from "../bindings";
import { conversationOf, failure, type State, type StoredConversation } from "./state";

const LARGEST = 20 * 1024 * 1024;
const KINDS: readonly (readonly [start: RegExp, media_type: string])[] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF....WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
];

export function attach(state: State, { conversation_id, name, data }: AddAttachment): Attached {
  const conversation = conversationOf(state, conversation_id);
  const bytes = atob(data);
  const media_type = KINDS.find(([start]) => start.test(bytes))?.[1];
  if (!media_type) throw failure("attachment_unsupported", name);
  if (bytes.length > LARGEST) throw failure("attachment_too_large", name);
  const hash = hashOf(bytes);
  const type = media_type.startsWith("image/") ? "image" : "file";
  const part: Part = { type, hash, media_type, name, tokens: type === "image" ? 765 : 1500 };
  state.blobs.set(hash, { media_type, data });
  const attached = { part, size: bytes.length };
  conversation.attachments = [...conversation.attachments.filter(({ part }) => hashIn(part) !== hash), attached];
  return attached;
}

/** FNV-1a: enough to tell the few files of a test apart. */
function hashOf(bytes: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at += 1) hash = Math.imul(hash ^ bytes.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16).padStart(64, "0");
}

export function hashIn(part: Part): string | null {
  return part.type === "image" || part.type === "file" ? part.hash : null;
}

export function tokensIn(part: Part): number {
  return part.type === "image" || part.type === "file" ? part.tokens : 0;
}

/** Files of the fake's disk, by their paths. */
export function attachPaths(state: State, conversation_id: string, paths: readonly string[]): Attached[] {
  return paths.map((path) => {
    const data = state.options.disk?.[path];
    const name = path.split("/").at(-1)!;
    if (data === undefined) throw failure("attachment_unsupported", name);
    return attach(state, { conversation_id, name, data });
  });
}

export function detach(state: State, conversation_id: string, hash: string): null {
  const conversation = conversationOf(state, conversation_id);
  conversation.attachments = conversation.attachments.filter(({ part }) => hashIn(part) !== hash);
  return null;
}

export function read(state: State, hash: string): AttachmentBytes {
  const bytes = state.blobs.get(hash);
  if (!bytes) throw failure("not_found", `attachment ${hash}`);
  return bytes;
}

/** Takes attachments out of the draft, to be sent. */
export function take(conversation: StoredConversation, hashes: readonly string[]): Part[] {
  const parts = hashes.map((hash) => {
    const found = conversation.attachments.find(({ part }) => hashIn(part) === hash);
    if (!found) throw failure("bad_request", "not in the draft");
    return found.part;
  });
  conversation.attachments = conversation.attachments.filter(({ part }) => !parts.includes(part));
  return parts;
}
