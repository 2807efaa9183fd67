// The conversation as a windowed list: only what is in sight is in the document. Mount it with
// key={conversation id}; it opens at its end, or at `initialKey`. Older and newer pages are asked
// for as the edges come near; the owner puts them into `rows`.
import { ArrowDown } from "lucide-react";
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type Ref,
} from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { Attachment } from "@/features/attachments";
import { CheckpointMark, type Marks } from "@/features/checkpoints";
import { FoldLine, FoldRule, type Fold } from "@/features/summaries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import { LinkProvider, type OnLink } from "@/shared/markdown";
import { useShown, type FoldRow, type Shown } from "./folded";
import css from "./MessageList.module.css";
import { placeOf, shows, type Row, type RowActions } from "./rows";
import { NoticeTurn, Reply, UserTurn } from "./Turns";
import { useAnchor } from "./useAnchor";
import { useFollow } from "./useFollow";

export interface MessageListHandle {
  scrollToEnd: () => void;
  /** False when no such row is loaded. Moves the focus to it too, unless told not to. */
  showRow: (key: string, focus?: boolean) => boolean;
  /** Opens the last message the person wrote for editing. */
  editLast: () => void;
  focus: () => void;
}

export interface MessageListProps {
  ref?: Ref<MessageListHandle>;
  rows: readonly Row[];
  actions: RowActions;
  /** Stretches of the rows that summaries stand for. */
  folds?: readonly Fold[];
  /** Closes a fold, or opens it. */
  onFold?: (fold: Fold, close: boolean) => void;
  /** Checkpoints by the message they stand at. */
  marks?: Marks;
  /** A stable function: it is given to every link. */
  onLink: OnLink;
  hasOlder?: boolean;
  hasNewer?: boolean;
  /** Called again and again while the edge is near: load one page at a time. */
  onNeedOlder?: () => void;
  onNeedNewer?: () => void;
  /** Goes to the newest rows when they are not loaded (`hasNewer`): one step, however far they are. */
  onNewest?: () => void;
  /** Rows in the whole conversation; for assistive technology. */
  total?: number;
  initialKey?: string;
  /** What is attached to the draft; it can go with an edited message instead. */
  drafted?: readonly Attachment[];
  /** Whether opening at `initialKey` moves the focus there. */
  focusInitial?: boolean;
}

/** How near, in pixels, an edge of the loaded rows may come before the next page is asked for. */
const EDGE = 1200;

const NOTHING: readonly Attachment[] = [];
const NO_FOLDS: readonly Fold[] = [];
const NO_KEYS: ReadonlySet<string> = new Set();

export function MessageList(props: MessageListProps) {
  const { actions, folds = NO_FOLDS, onFold, hasOlder = false, hasNewer = false, initialKey, focusInitial } = props;
  const { t } = useTranslation("chat");
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const follow = useFollow(scroller, !hasNewer);
  const [active, setActive] = useState<string | null>(
    focusInitial === false ? null : (initialKey ?? null),
  );
  const [editing, setEditing] = useState<string | null>(null);
  const [whole, setWhole] = useState(NO_KEYS);
  const { rows, beside } = useShown(props.rows, folds, editing);
  const shift = usePrepended(rows);
  const unseen = useUnseen(rows, follow.away);

  const total = props.total ?? (hasOlder || hasNewer ? -1 : props.rows.length);
  const activeIndex = active === null ? -1 : rows.findIndex((row) => row.key === active);
  const editingIndex = editing === null ? -1 : rows.findIndex((row) => row.key === editing);
  const kept = [activeIndex, editingIndex].filter((index) => index >= 0).sort((a, b) => a - b);

  const focusRow = useCallback((key: string) => {
    const mounted = scroller.current!.querySelectorAll<HTMLElement>("[data-row]");
    [...mounted].find((row) => row.dataset.row === key)?.focus({ preventScroll: true });
  }, []);

  const showWhole = useCallback(
    (key: string, pressed: boolean) => {
      setWhole((keys) => new Set(keys).add(key));
      // The button that was pressed goes. Words that are looked for leave the focus where it is.
      if (pressed) focusRow(key);
    },
    [focusRow],
  );

  const { stop, toEnd, settle, following } = follow;
  const anchored = useAnchor({ list, scroller, rows, shift, following });
  const show = useCallback(
    (index: number, align: "center" | "nearest", focus = true) => {
      const row = rows[index];
      if (!row) return false;
      if (index < rows.length - 1) stop();
      list.current?.scrollToIndex(index, { align });
      if (focus) {
        setActive(row.key);
        // Who comes back to the row that had it last gets it again.
        focusRow(row.key);
      }
      return true;
    },
    [rows, stop, focusRow],
  );

  // Where the list opens.
  const opened = useRef(false);
  useLayoutEffect(() => {
    if (opened.current || rows.length === 0) return;
    const at = initialKey === undefined ? -1 : rows.findIndex((row) => shows(row, initialKey));
    // The rows around it are on their way; opening at the end would load newer ones and stay there.
    if (initialKey !== undefined && at < 0) return;
    opened.current = true;
    if (at >= 0) show(at, "center", focusInitial);
    else toEnd();
  }, [rows, initialKey, focusInitial, show, toEnd]);

  // The list's own call too: it ends one that is still under way to another row, which would come back there.
  const toLast = useCallback(() => {
    list.current?.scrollToIndex(rows.length - 1, { align: "end" });
    toEnd();
  }, [rows, toEnd]);

  // The person's own new message is always shown; everything else only when followed.
  const all = props.rows;
  const newest = useRef(hasNewer ? undefined : all.at(-1)?.key);
  useLayoutEffect(() => {
    const known = newest.current;
    // What follows the last row of a page that others come after is not new, it was only not loaded.
    newest.current = hasNewer ? undefined : all.at(-1)?.key;
    const from = known === undefined ? -1 : all.findIndex((row) => row.key === known);
    if (from >= 0 && all.slice(from + 1).some((row) => row.kind === "user")) toLast();
  }, [all, hasNewer, toLast]);
  useLayoutEffect(settle, [rows, settle]);

  useEffect(() => {
    if (active !== null) focusRow(active);
  }, [active, focusRow]);

  // Where the focus was is in a fold now: its line takes it.
  const activePosition = useRef(0);
  useLayoutEffect(() => {
    if (active === null) return;
    const position = rows.find((row) => row.key === active)?.position;
    const focused = document.activeElement;
    if (position !== undefined) activePosition.current = position;
    // Another version of the reply stands there.
    else if (focused instanceof HTMLElement && focused.dataset.row !== undefined) setActive(focused.dataset.row);
    else if (focused === document.body) {
      setActive(rows.findLast((row) => row.position <= activePosition.current)?.key ?? null);
    }
  }, [active, rows]);

  const { onNeedOlder, onNeedNewer } = props;
  const askForPages = useCallback(() => {
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    if (hasOlder && scrollTop < EDGE) onNeedOlder?.();
    if (hasNewer && scrollHeight - scrollTop - clientHeight < EDGE) onNeedNewer?.();
  }, [hasOlder, hasNewer, onNeedOlder, onNeedNewer]);
  // Also without a scroll: a page of a few short rows leaves nothing to scroll.
  useEffect(askForPages, [rows, askForPages]);
  const scrolled = () => {
    follow.scrolled();
    anchored();
    askForPages();
  };
  const toggle = useCallback(
    (fold: Fold, close: boolean) => {
      // Who opens one reads it: its beginning stays in sight.
      stop();
      if (close) setActive((now) => (now !== null && beside.get(now) === fold ? now : fold.key));
      onFold?.(fold, close);
    },
    [beside, onFold, stop],
  );

  useImperativeHandle(
    props.ref,
    () => ({
      scrollToEnd: toEnd,
      showRow: (key, focus) => show(rows.findIndex((row) => shows(row, key)), "center", focus),
      editLast: () => {
        const last = rows.findLast((row) => row.kind === "user");
        if (!last) return;
        setEditing(last.key);
        list.current?.scrollToIndex(rows.indexOf(last), { align: "nearest" });
      },
      focus: () => scroller.current?.focus({ preventScroll: true }),
    }),
    [rows, show, toEnd],
  );

  const newestElsewhere = hasNewer ? props.onNewest : undefined;
  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const onRow = target === scroller.current || target.dataset.row !== undefined;
    if (!onRow || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    // As in a tree: to the left closes what the row lies in, to the right opens it.
    const here = rows[activeIndex];
    const closed = here?.kind === "fold";
    const fold = closed ? here.fold : here && beside.get(here.key);
    if (fold && event.code === (closed ? "ArrowRight" : "ArrowLeft")) {
      event.preventDefault();
      return toggle(fold, !closed);
    }
    // By place on the keyboard: with a Korean layout J and K are ㅓ and ㅏ.
    const moves: Record<string, number> = { KeyJ: 1, ArrowDown: 1, KeyK: -1, ArrowUp: -1 };
    const move = moves[event.code];
    let to: number;
    if (event.code === "Home") to = 0;
    else if (event.code === "End" && newestElsewhere) {
      event.preventDefault();
      return newestElsewhere();
    } else if (event.code === "End") to = rows.length - 1;
    else if (move === undefined) return;
    else if (activeIndex < 0) to = list.current?.findItemIndex(scroller.current!.scrollTop) ?? 0;
    else to = Math.min(rows.length - 1, Math.max(0, activeIndex + move));
    event.preventDefault();
    show(to, "nearest");
  };

  const row = (item: Row | FoldRow, index: number) =>
    item.kind === "fold" ? (
      <div
        key={item.key}
        data-first={(index === 0 && item.position === 1) || undefined}
        data-last={index === rows.length - 1 || undefined}
        className={css.foldRow}
        onFocus={({ target }) => target.dataset.row === item.key && setActive(item.key)}
      >
        <FoldLine fold={item.fold} onToggle={toggle} />
      </div>
    ) : (
      <div
        key={placeOf(item)}
        className={css.row}
        role="article"
        tabIndex={-1}
        data-row={item.key}
        data-fold={beside.has(item.key) || undefined}
        data-first={(index === 0 && item.position === 1) || undefined}
        data-last={index === rows.length - 1 || undefined}
        aria-posinset={(item.kind === "assistant" ? item.end : undefined) ?? item.position}
        aria-setsize={total}
        aria-label={
          item.kind === "notice"
            ? t("noticeLabel")
            : t("turnLabel", { who: t(item.kind === "user" ? "you" : "assistant"), position: item.position })
        }
        onFocus={(event) => event.target === event.currentTarget && setActive(item.key)}
      >
        <RuleOf row={item} fold={beside.get(item.key)} onToggle={toggle} />
        {item.kind === "user" ? (
          <UserTurn
            row={item}
            actions={actions}
            editing={editing === item.key}
            drafted={editing === item.key ? (props.drafted ?? NOTHING) : NOTHING}
            onEditing={setEditing}
            whole={whole.has(item.key)}
            onWhole={showWhole}
          />
        ) : item.kind === "assistant" ? (
          <Reply row={item} actions={actions} />
        ) : (
          <NoticeTurn row={item} />
        )}
        <MarkOf row={item} marks={props.marks} />
      </div>
    );

  return (
    <LinkProvider value={props.onLink}>
      <div className={css.frame}>
        <div
          ref={scroller}
          className={css.scroller}
          role="log"
          aria-live="off"
          aria-label={t("conversation")}
          tabIndex={0}
          onKeyDown={keyDown}
        >
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            data={rows}
            shift={shift}
            keepMounted={kept}
            onScroll={scrolled}
            onResize={settle}
          >
            {row}
          </Virtualizer>
        </div>
        {(follow.away || hasNewer) && (
          <div className={css.pill}>
            <Button icon={<ArrowDown aria-hidden />} onClick={newestElsewhere ?? toLast}>
              {unseen > 0 ? t("newestCount", { n: formatNumber(unseen) }) : t("newest")}
            </Button>
          </div>
        )}
      </div>
    </LinkProvider>
  );
}

/** The rule of a fold beside a row. */
function RuleOf({ row, fold, onToggle }: { row: Row; fold: Fold | undefined; onToggle: (fold: Fold, close: boolean) => void }) {
  if (!fold) return null;
  const first = Math.max(fold.summary.coverage.start, fold.closed) === row.position - 1;
  return <FoldRule fold={fold} first={first} onToggle={onToggle} />;
}

/** The newest checkpoint at a row; one that was made before a call is named by the call itself. */
function MarkOf({ row, marks }: { row: Row; marks: Marks | undefined }) {
  const ids = (row.kind === "assistant" ? row.ids : undefined) ?? [row.key];
  const found = ids.flatMap((id) => marks?.get(id) ?? []);
  const mark = ids.length === 1 ? found[0] : found.findLast(({ item }) => item.reason.code !== "before_tool");
  return mark ? <CheckpointMark mark={mark} /> : null;
}

/** True in the render in which rows came in front of the first known one. */
function usePrepended(rows: Shown["rows"]): boolean {
  const [known, setKnown] = useState({ rows, shift: false });
  if (known.rows === rows) return known.shift;
  const first = known.rows[0]?.key;
  const shift =
    first !== undefined && rows[0]?.key !== first && rows.some((row) => row.key === first);
  setKnown({ rows, shift });
  return shift;
}

/** How many rows were added at the end since the end went out of sight. */
function useUnseen(rows: Shown["rows"], away: boolean): number {
  const [left, setLeft] = useState<string | null>(null);
  const last = rows.at(-1)?.key ?? null;
  if (!away) {
    if (left !== null) setLeft(null);
    return 0;
  }
  if (left === null) {
    setLeft(last);
    return 0;
  }
  const from = rows.findIndex((row) => row.key === left);
  return from < 0 ? 0 : rows.length - 1 - from;
}
