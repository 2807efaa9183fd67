// The commands that are offered above the composer. The field keeps the focus. What an agent says of its own is shown as its
// words, with its name behind: nobody takes them for ours. A skill has its cost there.
import { useEffect, useRef } from "react";
import { formatTokens, useTranslation } from "@/shared/i18n";
import css from "./Composer.module.css";
import type { Slash, SlashHit } from "./useSlash";

interface SlashListProps {
  /** Of the list; an option's has its index behind. */
  id: string;
  slash: Slash;
}

export function SlashList({ id, slash: { hits, active, setActive, pick } }: SlashListProps) {
  const { t } = useTranslation("memory");
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active, hits]);
  return (
    <ul ref={list} id={id} className={css.mentions} role="listbox" aria-label={t("slash.label")}>
      {hits.map((hit, index) => (
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field hears the keys
        <li
          key={index}
          id={`${id}-${index}`}
          className={css.mention}
          role="option"
          aria-selected={index === active}
          title={hit.of === "us" ? undefined : hit.of === "agent" ? hit.command.about : hit.skill.description}
          onPointerMove={() => setActive(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => pick(index)}
        >
          <Words hit={hit} />
        </li>
      ))}
    </ul>
  );
}

function Words({ hit }: { hit: SlashHit }) {
  const { t } = useTranslation(["memory", "work", "skills"]);
  if (hit.of === "us") {
    return (
      <>
        <span className={css.mentionName}>{hit.text}</span>
        <span className={css.mentionFolder}>{t(hit.command)}</span>
      </>
    );
  }
  if (hit.of === "skills") {
    const { id, description, tokens } = hit.skill;
    return (
      <>
        <span className={css.mentionName}>{hit.text}</span>
        <span className={css.mentionFolder}>{description || id}</span>
        <span className={css.mentionOf} data-numeric>
          {t("tokens", { ns: "skills", n: formatTokens(tokens) })}
        </span>
      </>
    );
  }
  const { name, hint, about } = hit.command;
  return (
    <>
      <span className={css.mentionName}>/{name}</span>
      {hint !== "" && <span className={css.mentionHint}>{hint}</span>}
      <span className={css.mentionFolder}>{about}</span>
      <span className={css.mentionOf}>{hit.agent}</span>
    </>
  );
}
