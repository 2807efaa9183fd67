// The line above the conversation: its title, renamed in its place, and the switches of both sides.
import { PanelLeft, PanelRight } from "lucide-react";
import { useId, useState, type SyntheticEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import { toggleSide, useAction, useChords, useSides } from "@/app/actions";
import { useTitle } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { call, type ConversationDetail, type ConversationItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatCost, useTranslation } from "@/shared/i18n";
import { IconButton, Tooltip } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./ChatScreen.module.css";
import { ConversationSettings } from "./ConversationSettings";

export function ChatHeader({ conversation }: { conversation: ConversationDetail }) {
  const { item, spent } = conversation;
  const { t } = useTranslation("talk");
  const title = useTitle()(item);
  const chord = useChords();
  const { data: projects } = useQuery(queries.projects());
  const project = projects?.find(({ id }) => id === item.project_id);
  const sides = useSides();
  const [renaming, setRenaming] = useState(false);
  useAction("rename", () => setRenaming(true));
  return (
    <header className={css.header}>
      <IconButton
        label={sides.rail ? t("hideRail") : t("showRail")}
        shortcut={chord("rail")}
        aria-expanded={sides.rail}
        icon={<PanelLeft aria-hidden />}
        onClick={() => toggleSide("rail")}
      />
      {renaming ? (
        <TitleField item={item} onDone={() => setRenaming(false)} />
      ) : (
        <Title text={title} onRename={() => setRenaming(true)} />
      )}
      {project && (
        <span className={css.project} title={project.path}>
          {project.name}
        </span>
      )}
      {spent.cost > 0 && (
        <span className={css.cost} title={t("spent", { cost: formatCost(spent.cost) })} data-numeric>
          {formatCost(spent.cost)}
        </span>
      )}
      <ConversationSettings conversation={conversation} />
      <IconButton
        label={sides.pane ? t("hidePane") : t("showPane")}
        shortcut={chord("context")}
        aria-expanded={sides.pane}
        icon={<PanelRight aria-hidden />}
        onClick={() => toggleSide("pane")}
      />
    </header>
  );
}

/** What its column cuts is said whole beside it; of a title that is whole, only what pressing it does. */
function Title({ text, onRename }: { text: string; onRename: () => void }) {
  const { t } = useTranslation("talk");
  const chord = useChords();
  const act = useId();
  const [cut, setCut] = useState(false);
  const look = ({ currentTarget }: SyntheticEvent<HTMLElement>) => setCut(currentTarget.scrollWidth > currentTarget.clientWidth);
  return (
    <>
      <h1 className={css.title}>
        <Tooltip text={cut ? text : t("rename")} shortcut={cut ? undefined : chord("rename")}>
          <button
            type="button"
            className={css.titleButton}
            aria-describedby={act}
            lang={proseLanguage(text)}
            onPointerEnter={look}
            onFocus={look}
            onClick={onRename}
          >
            {text}
          </button>
        </Tooltip>
      </h1>
      <span id={act} hidden>
        {t("rename")}
      </span>
    </>
  );
}

function TitleField({ item, onDone }: { item: ConversationItem; onDone: () => void }) {
  const { t } = useTranslation("rail");
  const [cancelled] = useState({ now: false });
  const keep = (text: string) => {
    onDone();
    const title = text.trim();
    if (cancelled.now || title === "" || title === item.title) return;
    call("conversation_rename", { id: item.id, title }).catch(tellFailure);
  };
  return (
    <input
      className={css.titleField}
      aria-label={t("renameLabel")}
      defaultValue={item.title}
      ref={(field) => field?.select()}
      onBlur={(event) => keep(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        cancelled.now = event.key === "Escape";
        event.currentTarget.blur();
      }}
    />
  );
}
