// The row of the settings that leads to the skills of a place. No conversation is meant there: it is about which of them
// models may ask for.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet } from "@/shared/kit";
import { later } from "@/shared/later";
import css from "./skills.module.css";

const SkillsDialog = later(() => import("./SkillsDialog"), "SkillsDialog");

export function SkillsEntry({ projectId }: { projectId: ProjectId | null }) {
  const { t } = useTranslation("skills");
  const [open, setOpen] = useState(false);
  const skills = useQuery(queries.skills({ project_id: projectId, conversation_id: null })).data?.skills ?? [];
  const usable = skills.filter(({ fault }) => fault === null);
  const offered = usable.filter((item) => item.offered).length;
  return (
    <section className={css.entry} aria-labelledby="tools-skills">
      <div>
        <h4 id="tools-skills">{t("settings.title")}</h4>
        <p className={quiet.note}>
          {t("settings.hint")}
          {usable.length > 0 && ` ${t("settings.offered", { count: usable.length, n: offered })}`}
        </p>
      </div>
      <Button onClick={() => setOpen(true)}>{t("settings.open")}</Button>
      <Suspense>
        {open && <SkillsDialog projectId={projectId} conversationId={null} onClose={() => setOpen(false)} />}
      </Suspense>
    </section>
  );
}
