// Tells a screen reader how the last reply ended, once; the list itself is silent. That it began is told by follow.ts.
import { useEffect, useRef } from "react";
import { useTranslation } from "@/shared/i18n";
import { announce } from "@/shared/kit";
import { textOf, type ReplyRow, type Row } from "./rows";

export function useAnnouncements(rows: readonly Row[]): void {
  const { t } = useTranslation("chat");
  const last = rows.findLast((row): row is ReplyRow => row.kind === "assistant");
  const before = useRef(last);
  useEffect(() => {
    const known = before.current;
    before.current = last;
    if (!last || (known?.id === last.id && known.status === last.status)) return;
    // Only what was seen to end: opening an old conversation says nothing.
    if (known?.id !== last.id || known.status !== "streaming") return;
    if (last.status === "interrupted") announce(t("status.interrupted"));
    else if (last.status === "failed") announce(last.error?.message ?? t("status.failed"));
    else {
      const words = textOf(last.parts).split(/\s+/).filter(Boolean).length;
      announce(t("status.done", { count: words }));
    }
  }, [last, t]);
}
