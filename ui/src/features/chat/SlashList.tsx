// The commands that are offered above the composer. The field keeps the focus.
import { useTranslation } from "@/shared/i18n";
import css from "./Composer.module.css";
import { written, type Slash } from "./useSlash";

interface SlashListProps {
  /** Of the list; an option's has its index behind. */
  id: string;
  slash: Slash;
}

export function SlashList({ id, slash: { hits, active, setActive, pick } }: SlashListProps) {
  const { t } = useTranslation(["memory", "work"]);
  return (
    <ul id={id} className={css.mentions} role="listbox" aria-label={t("slash.label")}>
      {hits.map((command, index) => (
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field hears the keys
        <li
          key={command}
          id={`${id}-${index}`}
          className={css.mention}
          role="option"
          aria-selected={index === active}
          onPointerMove={() => setActive(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => pick(index)}
        >
          <span className={css.mentionName}>{written(command)}</span>
          <span className={css.mentionFolder}>{t(command)}</span>
        </li>
      ))}
    </ul>
  );
}
