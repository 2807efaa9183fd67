// The whole of a long result, of which the model got the beginning and the end: read on page by page.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type ConversationId, type KeptOutput } from "@/ipc";
import { formatBytes, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, quiet } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./tools.module.css";

/** Lines that are read at once. */
const PAGE = 400;

export function LongResult({ kept, conversationId }: { kept: KeptOutput; conversationId: ConversationId }) {
  const { t } = useTranslation("tools");
  const [pages, setPages] = useState<readonly string[]>([]);
  const [read, setRead] = useState(0);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { hash, bytes, lines } = kept;
  const more = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const { text } = await call("tool_output", { conversation_id: conversationId, hash, offset: read + 1, limit: PAGE });
      setPages([...pages, text]);
      setRead(Math.min(lines, read + PAGE));
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p className={quiet.note}>{t("kept", { size: formatBytes(bytes), lines: formatNumber(lines) })}</p>
      {pages.length > 0 && (
        <pre className={css.text} tabIndex={0} aria-label={t("whole")} lang={proseLanguage(pages[0]!)} data-selectable>
          {pages.join("\n")}
        </pre>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
      {read < lines && (
        <div className={css.acts}>
          <Button onClick={() => void more()} disabled={busy}>
            {read === 0 ? t("readWhole") : t("readOn", { left: formatNumber(lines - read) })}
          </Button>
        </div>
      )}
    </>
  );
}
