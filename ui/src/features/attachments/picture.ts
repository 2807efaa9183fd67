// What is attached: what it is called, and the bytes of pictures as object URLs, read once and alive as long as something
// shows them. Only formats that hold nothing but pixels are shown; an SVG is a document and never one of them.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call, type ConversationDetail, type Part } from "@/ipc";
import { formatNumber, i18n } from "@/shared/i18n";

export type Attachment = Extract<Part, { type: "image" | "file" | "pasted" }>;

export function isAttachment(part: { type: string }): part is Attachment {
  return part.type === "image" || part.type === "file" || part.type === "pasted";
}

export function nameOf(part: Attachment): string {
  if (part.type !== "pasted") return part.name;
  return i18n.t("pasted", { ns: "attach", count: part.lines, n: formatNumber(part.lines) });
}

/** A pasted text of a draft, whose words are beside it. */
export const textQuery = (hash: string) =>
  queryOptions({
    queryKey: ["pasted", hash],
    queryFn: async () => new TextDecoder().decode(bytesOf((await call("attachment_read", { hash })).data)),
    gcTime: 0,
  });

export interface Drafted {
  part: Attachment;
  /** In bytes. */
  size: number;
}

/** What goes with the message that is being written. */
export function draftOf({ attachments }: ConversationDetail): Drafted[] {
  return attachments.flatMap(({ part, size }) => (isAttachment(part) ? [{ part, size }] : []));
}

const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

const pictureQuery = (hash: string) =>
  queryOptions({
    queryKey: ["picture", hash],
    queryFn: async () => {
      const { media_type, data } = await call("attachment_read", { hash });
      return SHOWN.has(media_type) ? new Blob([bytesOf(data)], { type: media_type }) : null;
    },
    // Some megabytes each: kept for a scroll back and forth, not for long.
    gcTime: 60_000,
  });

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export type Picture = { state: "loading" } | { state: "missing" } | { state: "ready"; url: string };

export function usePicture(hash: string): Picture {
  const { data: blob, isError } = useQuery(pictureQuery(hash));
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  if (isError || blob === null) return { state: "missing" };
  return url === null ? { state: "loading" } : { state: "ready", url };
}
