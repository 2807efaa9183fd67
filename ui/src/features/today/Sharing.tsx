// Whether the session is written into the project's folder, so that it goes where the folder goes.
import { useQuery } from "@tanstack/react-query";
import { tellFailure } from "@/features/errors";
import { call, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet, Switch } from "@/shared/kit";
import css from "./plan.module.css";

export function Sharing({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("work");
  const session = useQuery(queries.session(projectId)).data;
  if (!session) return null;
  const share = (on: boolean, ignore = false) =>
    void call("session_share", { project_id: projectId, on, ignore }).catch(tellFailure);
  return (
    <section className={css.part} aria-label={t("share.label")}>
      <Switch
        label={t("share.label")}
        description={t("share.hint")}
        checked={session.shared === true}
        onChange={(on) => share(on)}
      />
      {session.shared === true && session.in_git === true && (
        <div className={css.buttons}>
          <span className={quiet.note}>{t("share.inGit")}</span>
          <Button onClick={() => share(true, true)}>{t("share.ignore")}</Button>
        </div>
      )}
    </section>
  );
}
