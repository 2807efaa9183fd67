// The files that are offered above the composer. The field keeps the focus.
import { useEffect, useRef } from "react";
import { formatBytes, useTranslation } from "@/shared/i18n";
import css from "./Composer.module.css";
import type { Mentions } from "./useMentions";

interface MentionListProps {
  /** Of the list; an option's has its index behind. */
  id: string;
  mentions: Mentions;
}

export function MentionList({ id, mentions: { hits, active, setActive, pick } }: MentionListProps) {
  const { t } = useTranslation("chat");
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active, hits]);
  return (
    <ul ref={list} id={id} className={css.mentions} role="listbox" aria-label={t("mention.label")}>
      {hits.map(({ path, size }, index) => {
        const name = path.slice(path.lastIndexOf("/") + 1);
        return (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field hears the keys
          <li
            key={path}
            id={`${id}-${index}`}
            className={css.mention}
            role="option"
            aria-selected={index === active}
            title={path}
            onPointerMove={() => setActive(index)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(index)}
          >
            <span className={css.mentionName}>{name}</span>
            <span className={css.mentionFolder}>{path.slice(0, -name.length)}</span>
            <span data-numeric>{formatBytes(size)}</span>
          </li>
        );
      })}
    </ul>
  );
}
