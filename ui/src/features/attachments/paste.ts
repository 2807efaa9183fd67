// The files of a paste. Nothing happens to a paste whose text is meant: cells and rich text bring a picture of
// themselves, copied files bring their paths.
import type { ClipboardEvent } from "react";

export function takeFiles(event: ClipboardEvent, onFiles: (files: File[]) => void): void {
  const text = event.clipboardData.getData("text/plain");
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
