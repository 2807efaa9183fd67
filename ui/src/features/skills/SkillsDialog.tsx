// The skills of a place, the project's own first: what each is for, where it lies and what it costs. Each is taken into the
// conversation, offered to models or read; nothing of one is in a request before. Loaded when it is first opened.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { openOverlay, type SettingsTab } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import type { ConversationId, ProjectId, SkillItem, SkillPanel } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, EmptyState, Notice, Spinner, TextField } from "@/shared/kit";
import { filtered, isOwn, MANY } from "./find";
import { ReadDialog } from "./ReadDialog";
import { SkillRow } from "./SkillRow";
import css from "./skills.module.css";

interface SkillsDialogProps {
  projectId: ProjectId | null;
  /** Where none is open, they are only offered. */
  conversationId: ConversationId | null;
  onClose: () => void;
}

export function SkillsDialog({ projectId, conversationId, onClose }: SkillsDialogProps) {
  const { t } = useTranslation("skills");
  const panel = useQuery(queries.skills({ project_id: projectId, conversation_id: conversationId }));
  const [reading, setReading] = useState<string | null>(null);
  const read = panel.data?.skills.find(({ id }) => id === reading);
  const place = { projectId, conversationId };
  const settings = (tab: SettingsTab) => {
    onClose();
    openOverlay({ kind: "settings", tab });
  };
  return (
    <Dialog open size="m" onClose={onClose} title={t("title")} description={t("hint")}>
      <div className={css.skills}>
        {panel.isError && <ErrorNotice failure={panel.error} />}
        {panel.isPending && <Spinner />}
        {panel.data && <Listed panel={panel.data} place={place} onRead={setReading} onSettings={settings} />}
      </div>
      {read && <ReadDialog key={read.id} item={read} place={place} onClose={() => setReading(null)} />}
    </Dialog>
  );
}

interface ListedProps {
  panel: SkillPanel;
  place: Omit<SkillsDialogProps, "onClose">;
  onRead: (id: string) => void;
  onSettings: (tab: SettingsTab) => void;
}

function Listed({ panel: { skills, untrusted }, place, onRead, onSettings }: ListedProps) {
  const { t } = useTranslation("skills");
  const tools = useQuery(queries.settings()).data?.tools;
  const [query, setQuery] = useState("");
  const many = skills.length >= MANY;
  const shown = many ? filtered(skills, query) : skills;
  const silent = tools !== undefined && (!tools.on || tools.off.includes("read_skill"));
  const groups = [
    { of: "project", items: shown.filter((item) => !isOwn(item)) },
    { of: "own", items: shown.filter(isOwn) },
  ] as const;
  return (
    <>
      {untrusted && (
        <Notice tone="warn" actions={<Button onClick={() => onSettings("projects")}>{t("answer")}</Button>}>
          {t("untrusted")}
        </Notice>
      )}
      {skills.length === 0 && (
        <EmptyState title={t("empty.title")}>
          <p>{t("empty.text")}</p>
          <p>{t("empty.where")}</p>
        </EmptyState>
      )}
      {silent && skills.length > 0 && (
        <Notice actions={<Button onClick={() => onSettings("tools")}>{t("toTools")}</Button>}>{t("noTools")}</Notice>
      )}
      {many && (
        <TextField
          label={t("filter")}
          hideLabel
          placeholder={t("filter")}
          type="search"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={setQuery}
        />
      )}
      <div className={css.groups} data-many={many || undefined}>
        {shown.length === 0 && skills.length > 0 && <p role="status">{t("nothing")}</p>}
        {groups.map(({ of, items }) => (
          <Group key={of} of={of} items={items} place={place} onRead={onRead} />
        ))}
      </div>
    </>
  );
}

interface GroupProps extends Pick<ListedProps, "place" | "onRead"> {
  of: "project" | "own";
  items: readonly SkillItem[];
}

function Group({ of, items, place, onRead }: GroupProps) {
  const { t } = useTranslation("skills");
  if (items.length === 0) return null;
  const name = `skills-${of}`;
  return (
    <section aria-labelledby={name}>
      <h3 id={name} className={css.group}>
        {t(`of.${of}`)}
      </h3>
      <ul aria-labelledby={name}>
        {items.map((item) => (
          <SkillRow key={item.id} item={item} place={place} onRead={() => onRead(item.id)} />
        ))}
      </ul>
    </section>
  );
}
