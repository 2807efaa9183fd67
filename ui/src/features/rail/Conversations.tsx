// The conversations of the rail as one windowed list: only what is in sight is in the document, and one menu serves all rows.
// Tab goes through rows as through any list; the arrows, Home and End go from conversation to conversation.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState, type FocusEvent, type KeyboardEvent } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { usePlace } from "@/app/actions";
import { linesOf, type Line } from "@/features/conversations";
import { ErrorNotice } from "@/features/errors";
import type { ConversationId, ConversationItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatDay, useTranslation } from "@/shared/i18n";
import { menuOf, SharedMenu } from "@/shared/kit";
import { ConversationEntry } from "./ConversationEntry";
import css from "./rail.module.css";
import { useEntryMenu } from "./useEntryMenu";

export function Conversations({ projectId }: { projectId: string | null }) {
  const { t } = useTranslation("rail");
  const list = useQuery(queries.conversations(projectId));
  const { data: projects } = useQuery(queries.projects());
  const open = usePlace((place) => (place.today === null && place.copies === null ? place.conversationId : null));
  const lines = useMemo(
    () => linesOf(list.data ?? [], projects ?? [], projectId),
    [list.data, projects, projectId],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRef<VirtualizerHandle>(null);
  const [menu] = useState(menuOf<ConversationItem>);
  const [renaming, setRenaming] = useState<ConversationId | null>(null);
  // The row that has or had the focus, and the one that shall have it as soon as it can.
  const [held, setHeld] = useState<ConversationId | null>(null);
  const [goal, setGoal] = useState<{ id: ConversationId } | null>(null);
  const items = useEntryMenu(setRenaming);

  const indexOf = (id: ConversationId | null | undefined) =>
    lines.findIndex((line) => line.type === "entry" && line.item.id === id);
  // With those beside it, so that Tab leads on from a row that was scrolled away.
  const kept = [held, goal?.id, renaming]
    .map(indexOf)
    .flatMap((index) => (index < 0 ? [] : [index - 1, index, index + 1]))
    .filter((index) => index >= 0 && index < lines.length);

  useEffect(() => {
    if (goal === null) return;
    scroller.current?.querySelector<HTMLElement>(`[data-entry="${goal.id}"] button`)?.focus({ preventScroll: true });
  }, [goal]);
  // A row takes no focus before its height is known.
  const measured = () => setGoal((now) => now && { ...now });

  const focused = ({ target }: FocusEvent) => {
    setHeld((now) => target.closest<HTMLElement>("[data-entry]")?.dataset.entry ?? now);
    setGoal(null);
  };
  const onRenamed = useCallback((id: ConversationId, byKey: boolean) => {
    setRenaming(null);
    if (byKey) setGoal({ id });
  }, []);
  const keyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const id = target.closest<HTMLElement>("[data-entry]")?.dataset.entry;
    // In its field and on its menu's button they have another sense.
    if (id === renaming || target.ariaHasPopup === "menu" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const here = indexOf(id);
    const after = (from: number) => lines.findIndex(({ type }, index) => index > from && type === "entry");
    const before = (from: number) => lines.findLastIndex(({ type }, index) => index < from && type === "entry");
    const ways: Record<string, () => number> = {
      ArrowDown: () => after(here),
      ArrowUp: () => before(here),
      Home: () => after(-1),
      End: () => before(lines.length),
    };
    const to = ways[event.key]?.();
    const line = to === undefined ? undefined : lines[to];
    if (to === undefined || line?.type !== "entry") return;
    event.preventDefault();
    rows.current?.scrollToIndex(to, { align: "nearest" });
    setGoal({ id: line.item.id });
  };

  return (
    <div className={css.conversations}>
      {list.isError && <ErrorNotice failure={list.error} />}
      {list.data?.length === 0 && <p className={css.empty}>{t("empty")}</p>}
      {lines.length > 0 && (
        <div ref={scroller} className={css.list} role="list" onFocus={focused} onKeyDown={keyDown}>
          <Virtualizer ref={rows} scrollRef={scroller} data={lines} keepMounted={kept} onResize={measured}>
            {(line, index) => (
              <div key={line.key} role="listitem" aria-posinset={index + 1} aria-setsize={lines.length}>
                {line.type === "heading" ? (
                  <h2 className={css.day}>{headingOf(line, t)}</h2>
                ) : (
                  <ConversationEntry
                    item={line.item}
                    current={line.item.id === open}
                    renaming={line.item.id === renaming}
                    menu={menu}
                    onRename={setRenaming}
                    onRenamed={onRenamed}
                  />
                )}
              </div>
            )}
          </Virtualizer>
        </div>
      )}
      {/* Who renames writes already. */}
      <SharedMenu menu={menu} align="end" items={items} returnsFocus={() => renaming === null} />
    </div>
  );
}

function headingOf({ kind, label }: Line & { type: "heading" }, t: ReturnType<typeof useTranslation<"rail">>["t"]): string {
  if (kind === "pinned") return t("pinned");
  if (kind === "none") return t("noProject");
  return kind === "day" ? formatDay(Date.parse(label)) : label;
}
