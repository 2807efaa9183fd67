// A line that a model proposes to remember, for the person to change, accept or refuse.
import { useState } from "react";
import { goToMessage } from "@/app/actions";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type InboxItem } from "@/ipc";
import { i18n, useTranslation } from "@/shared/i18n";
import { Button, quiet, TextArea, toast } from "@/shared/kit";
import { hasHidden, Revealed } from "@/shared/Revealed";
import css from "./inbox.module.css";

interface ProposedLineProps {
  item: InboxItem;
  /** Told before another place is shown. Left out where the message is in sight already: then there is no way to it. */
  onLeave?: () => void;
}

export function ProposedLine({ item, onLeave }: ProposedLineProps) {
  const { t } = useTranslation("toolSettings");
  const { id, project_id, conversation_id, message_id, why, for_all_projects, from } = item;
  const [text, setText] = useState(item.text);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const act = async (how: () => Promise<void>) => {
    setBusy(true);
    setFailure(null);
    try {
      await how();
    } catch (thrown) {
      setFailure(thrown);
      setBusy(false);
    }
  };
  const accept = (global: boolean) =>
    act(async () => accepted(await call("inbox_accept", { id, text: text.trim(), global })));
  const dismiss = () => act(async () => void (await call("inbox_dismiss", { id })));
  const empty = text.trim() === "";
  const global = (
    <Button variant={for_all_projects || project_id === null ? "primary" : "plain"} disabled={busy || empty} onClick={() => void accept(true)}>
      {t("inbox.global")}
    </Button>
  );
  return (
    <div className={css.proposed}>
      <TextArea label={t("inbox.line")} value={text} onChange={setText} rows={2} />
      {hasHidden(text) && (
        <p className={css.hidden}>
          {t("mcp.check.hidden")} <Revealed text={text} />
        </p>
      )}
      {from !== null && (
        <p className={quiet.note} data-selectable>
          <Revealed text={t("inbox.from", { from })} />
        </p>
      )}
      {why !== "" && (
        <p className={quiet.note} data-selectable>
          <Revealed text={t("inbox.why", { why })} />
        </p>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
      <div className={css.buttons}>
        {for_all_projects && global}
        {project_id !== null && (
          <Button variant={for_all_projects ? "plain" : "primary"} disabled={busy || empty} onClick={() => void accept(false)}>
            {t("inbox.project")}
          </Button>
        )}
        {!for_all_projects && global}
        <Button variant="quiet" disabled={busy} onClick={() => void dismiss()}>
          {t("inbox.dismiss")}
        </Button>
        {onLeave && conversation_id !== null && message_id !== null && (
          <button
            type="button"
            className={css.link}
            onClick={() => {
              onLeave();
              goToMessage(conversation_id, project_id, message_id);
            }}
          >
            {t("inbox.source")}
          </button>
        )}
      </div>
    </div>
  );
}

/** What was remembered can be forgotten from the toast that tells of it. */
function accepted({ id, text }: { id: string; text: string }): void {
  const t = i18n.getFixedT(null, "toolSettings");
  const short = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  const run = () => void call("memory_remove", { id }).catch(tellFailure);
  toast({ text: t("inbox.accepted", { text: short }), action: { label: t("inbox.undo"), run } });
}
