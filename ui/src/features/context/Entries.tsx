// What a context block of the next request holds that the person, another program or a message told, and the way to
// take each out again. What is loaded or set anew with every request is in the block's text alone.
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useRef } from "react";
import { tellFailure } from "@/features/errors";
import { call, type PersistenceKind, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { IconButton, quiet } from "@/shared/kit";
import css from "./ContextPane.module.css";
import { leaveKey } from "./reading";

interface EntriesProps {
  projectId: ProjectId | null;
  kind: PersistenceKind;
}

export function Entries({ projectId, kind }: EntriesProps) {
  const { t } = useTranslation("context");
  const list = useRef<HTMLUListElement>(null);
  const stores = useQuery(queries.context(projectId)).data?.stores ?? [];
  const entries = stores
    .filter((store) => store.scope === "app" && store.kind === kind)
    .flatMap((store) => store.entries)
    .flatMap(({ key, value, source }) =>
      value !== "" && (source === "told" || source === "request") ? [{ key, source }] : [],
    );
  if (entries.length === 0) return null;

  const remove = async (key: string, index: number) => {
    const buttons = list.current!.querySelectorAll("button");
    const next = buttons[index + 1] ?? buttons[index - 1] ?? list.current!.closest<HTMLElement>("[data-region]");
    try {
      await call("context_remove", { project_id: projectId, kind, key });
      if (kind === "volatile") leaveKey(projectId, key);
      next?.focus();
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  return (
    <ul ref={list} className={css.entries} aria-label={t("entries.label")}>
      {entries.map(({ key, source }, index) => (
        <li key={key}>
          <code title={key}>{key}</code>
          <span className={quiet.note}>{t(`entries.${source}`)}</span>
          <IconButton
            label={t("entries.remove", { key })}
            icon={<X aria-hidden />}
            onClick={() => void remove(key, index)}
          />
        </li>
      ))}
    </ul>
  );
}
