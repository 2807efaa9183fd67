// Lines that were added to memory: what each says and where it was said, and the field that adds another.
import { useEffect, useRef, useState } from "react";
import { followLink } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { call, type MemoryLayer, type MemoryLine } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { IconButton, Menu, quiet, toast } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { forget, remember, startOf, type Where } from "./acts";
import css from "./memory.module.css";
import { nameOf } from "./words";

interface LineEntryProps {
  line: MemoryLine;
  /** Grows with each visit of this very line; 0 while nobody asked for it. */
  visit: number;
}

export function LineEntry({ line, visit }: LineEntryProps) {
  const { t } = useTranslation("memory");
  const entry = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (visit === 0) return;
    // When the dialog that led here has given the focus back.
    const timer = setTimeout(() => {
      entry.current?.scrollIntoView({ block: "center" });
      entry.current?.focus({ preventScroll: true });
    });
    return () => clearTimeout(timer);
  }, [visit]);
  const move = async (to: MemoryLayer) => {
    try {
      const { path } = await call("memory_move", { id: line.id, to });
      toast({ text: t("line.moved", { path: nameOf(path, to) }) });
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  const { kind, source, conversation_id, project_id } = line;
  // A server's own address leads nowhere here, and neither does a skill's folder.
  const place = kind === "skill" || source?.startsWith("mcp:") ? null : source;
  return (
    <li ref={entry} className={css.line} data-current={visit > 0 || undefined} tabIndex={-1}>
      <p className={css.lineText} data-selectable>
        {kind !== "added" && (
          <span className={quiet.note}>{t(`line.kept.${kind}`, { source: source?.startsWith("silt:") ? "" : source })} </span>
        )}
        <span lang={proseLanguage(line.text)}>{line.text}</span>
      </p>
      <Menu
        align="end"
        trigger={<IconButton className={css.more} label={t("line.more", { text: startOf(line.text) })} icon={<span aria-hidden>⋯</span>} />}
        items={[
          {
            id: "project",
            label: t("line.toProject"),
            disabledReason: project_id === null ? t("line.noProject") : undefined,
            onSelect: () => void move("project"),
          },
          { id: "global", label: t("line.toGlobal"), onSelect: () => void move("global") },
          ...(place === null
            ? []
            : [{ id: "source", label: t("line.source"), onSelect: () => void followLink(place, { id: conversation_id ?? "", project_id }) }]),
          "separator",
          { id: "remove", label: t("line.remove"), danger: true, onSelect: () => void forget(line.id) },
        ]}
      />
    </li>
  );
}

export function AddLine({ projectId, conversationId }: Where) {
  const { t } = useTranslation("memory");
  const [text, setText] = useState("");
  const add = async () => {
    if (text.trim() === "") return;
    await remember({ projectId, conversationId }, text, null);
    setText("");
  };
  const name = t(conversationId !== null ? "line.addSession" : projectId === null ? "line.addGlobal" : "line.add");
  return (
    <input
      className={css.addLine}
      aria-label={name}
      placeholder={name}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !event.nativeEvent.isComposing) void add();
      }}
    />
  );
}
