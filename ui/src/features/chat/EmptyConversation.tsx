// A conversation before its first message: what would be sent already, and three keys.
import { openOverlay, showContext, useChords } from "@/app/actions";
import { useBlockWords, useRequestPreview } from "@/features/context";
import type { ConversationDetail, Section } from "@/ipc";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button, Kbd, quiet } from "@/shared/kit";
import css from "./ChatScreen.module.css";

/** Rows of the list; where more goes, the last one says how much. */
const ROWS = 6;

export function EmptyConversation({ detail }: { detail: ConversationDetail }) {
  const { t } = useTranslation("talk");
  const { pieceName } = useBlockWords();
  const preview = useRequestPreview(detail.item);
  const chord = useChords();
  const goes = preview.data?.sections.filter(({ kind }) => kind !== "draft") ?? [];
  const named = goes.slice(0, goes.length > ROWS ? ROWS - 1 : ROWS);
  const rest = goes.slice(named.length);
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
        {goes.length > 0
          ? t("empty.goes", { tokens: formatTokens(sumOf(goes)) })
          : t("empty.nothing")}
      </p>
      {goes.length > 0 && (
        <ul className={css.sources}>
          {named.map((section) => (
            <li key={section.id}>
              <button type="button" className={css.source} onClick={() => showContext("next", section.id)}>
                {pieceName(section)}
                <span data-numeric>{formatTokens(section.tokens)}</span>
              </button>
            </li>
          ))}
          {rest.length > 0 && (
            <li>
              <button type="button" className={css.source} onClick={() => showContext("next", rest[0]!.id)}>
                {t("empty.more", { count: rest.length })}
                <span data-numeric>{formatTokens(sumOf(rest))}</span>
              </button>
            </li>
          )}
        </ul>
      )}
      {untrusted && <p className={quiet.words}>{t("empty.untrusted")}</p>}
      {detail.provider === "offline" && (
        <p className={quiet.words}>
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
              <Kbd keys={chord(id)} />
            </dt>
            <dd>{t(id, { ns: "actions" })}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function sumOf(sections: readonly Section[]): number {
  return sections.reduce((sum, { tokens }) => sum + tokens, 0);
}
