// The sample project: a recorded conversation to walk through. A card as long as there is nothing else to open, a line
// once there is.
import { useQuery } from "@tanstack/react-query";
import { BookOpen } from "lucide-react";
import { useState } from "react";
import { goToConversation, showProject } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet, Spinner } from "@/shared/kit";
import css from "./start.module.css";

export function Sample() {
  const { t } = useTranslation("start");
  const conversations = useQuery(queries.conversations(null));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const open = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const { project, conversation_id } = await call("sample_open");
      showProject(project.id);
      goToConversation({ id: conversation_id, project_id: project.id });
    } catch (thrown) {
      setFailure(thrown);
      setBusy(false);
    }
  };
  if (!conversations.data) return null;
  const used = conversations.data.some(({ message_count }) => message_count > 0);
  const icon = busy ? <Spinner label={t("sample.opening")} /> : <BookOpen strokeWidth={1.75} aria-hidden />;
  return (
    <>
      {used ? (
        <p className={css.quiet}>
          <Button variant="quiet" icon={icon} disabled={busy} onClick={() => void open()}>
            {t("sample.title")}
          </Button>
        </p>
      ) : (
        <button type="button" className={css.talk} disabled={busy} onClick={() => void open()}>
          {icon}
          <span>
            <strong>{t("sample.title")}</strong>
            <span className={quiet.words}>{t("sample.hint")}</span>
          </span>
        </button>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </>
  );
}
