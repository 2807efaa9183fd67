// What of a paste does not go into the field: files, and a text that is too long for it. Nothing happens to files where
// the text is meant: cells and rich text bring a picture of themselves, copied files bring their paths.
import type { ClipboardEvent } from "react";

export interface Pasting {
  onFiles: (files: File[]) => void;
  onText: (text: string) => void;
}

/** Most bytes of a text that a field takes. */
export const FIELD_BYTES = 20_000;

export function takePaste(event: ClipboardEvent, { onFiles, onText }: Pasting): void {
  const text = event.clipboardData.getData("text/plain");
  if (isLong(text)) {
    event.preventDefault();
    return onText(text);
  }
  if (text !== "" && !/^(file:|\/|[A-Za-z]:\\)/.test(text)) return;
  const files = [...event.clipboardData.files];
  if (files.length > 0) {
    event.preventDefault();
    onFiles(files);
  } else if (text === "") {
    // WebKitGTK lists no files for a picture; it gives it to who asks.
    void pictures().then((found) => found.length > 0 && onFiles(found));
  }
}

/** Whether a text has more bytes than a field takes. */
function isLong(text: string): boolean {
  return text.length > FIELD_BYTES || (text.length * 3 > FIELD_BYTES && new Blob([text]).size > FIELD_BYTES);
}

async function pictures(): Promise<File[]> {
  try {
    const files: File[] = [];
    for (const item of await navigator.clipboard.read()) {
      const type = item.types.find((type) => type.startsWith("image/"));
      if (type) files.push(new File([await item.getType(type)], `image.${type.slice("image/".length)}`, { type }));
    }
    return files;
  } catch {
    // There is nothing to paste, or it may not be read.
    return [];
  }
}
