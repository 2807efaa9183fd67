// A conversation before its first message: what would be sent already, and three keys.
import { useQuery } from "@tanstack/react-query";
import { chordFor, openOverlay, showContext } from "@/app/actions";
import { useBlockWords, useRequestPreview } from "@/features/context";
import type { ConversationDetail } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button, Kbd } from "@/shared/kit";
import css from "./ChatScreen.module.css";

export function EmptyConversation({ detail }: { detail: ConversationDetail }) {
  const { t } = useTranslation("talk");
  const { pieceName } = useBlockWords();
  const preview = useRequestPreview(detail.item);
  const keys = useQuery(queries.settings()).data?.keys ?? {};
  const memory = preview.data?.sections.filter(({ kind }) => kind === "memory") ?? [];
  const tokens = memory.reduce((sum, section) => sum + section.tokens, 0);
  const untrusted = preview.data?.left_out.some(({ why }) => why === "untrusted") ?? false;
  return (
    <div className={css.empty}>
      <div className={css.strata} aria-hidden>
        <i />
        <i />
        <i />
        <i />
      </div>
      <p className={css.emptyTitle}>
        {memory.length > 0
          ? t("empty.memory", { tokens: formatTokens(tokens) })
          : t("empty.nothing")}
      </p>
      {memory.length > 0 && (
        <ul className={css.sources}>
          {memory.slice(0, 6).map((section) => (
            <li key={section.id}>
              <button type="button" className={css.source} onClick={() => showContext("next", section.id)}>
                {pieceName(section)}
                <span data-numeric>{formatTokens(section.tokens)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {untrusted && <p className={css.muted}>{t("empty.untrusted")}</p>}
      {detail.provider === "offline" && (
        <p className={css.muted}>
          {t("empty.offline")}{" "}
          <Button variant="quiet" onClick={() => openOverlay({ kind: "settings", tab: "models" })}>
            {t("empty.connect")}
          </Button>
        </p>
      )}
      <dl className={css.keys}>
        {(["palette", "conversations", "context"] as const).map((id) => (
          <div key={id}>
            <dt>
              <Kbd keys={chordFor(id, keys)} />
            </dt>
            <dd>{t(id, { ns: "actions" })}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
