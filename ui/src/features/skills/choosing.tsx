// What is done with one skill in the dialog, and what is said when it was refused. What is refused because the file says
// something else than what was shown is listed anew, and that is said.
import { useQueryClient } from "@tanstack/react-query";
import { ErrorNotice } from "@/features/errors";
import { call, toFailure, type ConversationId, type MemoryLineId, type ProjectId, type SkillItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { announce, Notice, useAct } from "@/shared/kit";
import { drop } from "./acts";

export interface Place {
  projectId: ProjectId | null;
  conversationId: ConversationId | null;
}

export function useChoosing({ id, name, hash }: SkillItem, { projectId, conversationId }: Place) {
  const { t } = useTranslation("skills");
  const client = useQueryClient();
  const { running, failure, act } = useAct();
  const done = (run: () => Promise<unknown>) =>
    act(async () => {
      try {
        await run();
      } finally {
        await client.invalidateQueries({ queryKey: ["skills"] });
      }
    });
  return {
    running,
    failure,
    /** By the hash of the text that was shown. */
    take: (shown: string) =>
      done(async () => {
        await call("skill_choose", { conversation_id: conversationId!, id, hash: shown });
        announce(t("used", { name }));
      }),
    drop: (line: MemoryLineId) => done(() => drop(line, name)),
    offer: (on: boolean) => done(() => call("skill_offer", { project_id: projectId, id, hash, on })),
  };
}

export function Refused({ failure, name }: { failure: unknown; name: string }) {
  const { t } = useTranslation("skills");
  if (failure === null) return null;
  if (toFailure(failure).code !== "conflict") return <ErrorNotice failure={failure} />;
  return (
    <div role="alert">
      <Notice tone="warn">{t("conflict", { name })}</Notice>
    </div>
  );
}
