// Remotes in words.
import type { RemotePlace } from "@/ipc";

/** Where it is, in one line. */
export function placeOf(at: RemotePlace): string {
  switch (at.kind) {
    case "folder":
      return at.path;
    case "s3":
      return [at.endpoint || "s3.amazonaws.com", at.bucket, at.prefix].filter(Boolean).join("/");
    case "azure":
      return [at.endpoint || `${at.account}.blob.core.windows.net`, at.container, at.prefix].filter(Boolean).join("/");
    case "gcs":
      return ["storage.googleapis.com", at.bucket, at.prefix].filter(Boolean).join("/");
  }
}
