// A conversation before its first message: who answers, and three keys. What would be sent is said by the line above the
// composer, as ever.
import { openOverlay, useChords } from "@/app/actions";
import type { ConversationDetail } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Kbd, quiet } from "@/shared/kit";
import css from "./ChatScreen.module.css";

export function EmptyConversation({ detail }: { detail: Pick<ConversationDetail, "provider"> }) {
  const { t } = useTranslation("talk");
  const chord = useChords();
  return (
    <div className={css.empty}>
      <div className={css.strata} aria-hidden>
        <i />
        <i />
        <i />
        <i />
      </div>
      <p className={css.emptyTitle}>{t("empty.title")}</p>
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
