// What was said in a session, as a windowed list that is read and not written to. Nothing in it is fetched or carried out.
import { ImageOff } from "lucide-react";
import { memo, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState, type KeyboardEvent, type Ref } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { openOverlay } from "@/app/actions";
import { isAttachment } from "@/features/attachments";
import { piecesOf, Reasoning, SiblingSwitch, startOf, textOf, type Part } from "@/features/chat";
import { modelName } from "@/features/models";
import { MarginRule } from "@/features/summaries";
import { Calls } from "@/features/tools";
import type { VaultDropped, VaultEntry } from "@/ipc";
import { formatMoment, formatNumber, formatTime, useTranslation } from "@/shared/i18n";
import { Button, CopyButton } from "@/shared/kit";
import { LinkProvider, Markdown } from "@/shared/markdown";
import { Revealed } from "@/shared/Revealed";
import { Compaction, useFoldWords } from "./Compaction";
import { currentLeaf, leafBeyond, rowsOf, type Row } from "./entries";
import type { Project } from "./project";
import css from "./vault.module.css";

export interface EntriesHandle {
  /** Shows the compaction after the one that was shown last; after the last one, the first. */
  nextFold: () => void;
}

interface EntriesProps {
  ref?: Ref<EntriesHandle>;
  /** Its id. */
  session: string;
  /** The entry that is shown first, by its number. */
  first?: number;
  entries: readonly VaultEntry[];
  dropped: readonly VaultDropped[];
  project: Project | null;
  /** Back to the list, by key. */
  onLeave: () => void;
}

/** For so long the row that was gone to is lit, in milliseconds. */
const LIT = 2000;

/** What another program wrote leads outside after a question, and nowhere else. */
const onLink = (url: string) => {
  if (/^(https?:\/\/|mailto:)/i.test(url)) openOverlay({ kind: "link", url });
};

const NO_KEYS: ReadonlySet<string> = new Set();

export function Entries({ ref, session, first, entries, dropped, project, onLeave }: EntriesProps) {
  const { t } = useTranslation(["vault", "chat"]);
  const words = useFoldWords();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [leaf, setLeaf] = useState(() => (first === undefined ? currentLeaf(entries) : leafBeyond(entries, first)));
  const rows = useMemo(() => rowsOf(entries, leaf), [entries, leaf]);
  const [active, setActive] = useState<string | null>(null);
  const [lit, setLit] = useState<string | null>(null);
  const [whole, setWhole] = useState(NO_KEYS);
  const [opened, setOpened] = useState(NO_KEYS);
  const [goal, setGoal] = useState<{ entry: number } | null>(() => (first === undefined ? null : { entry: first }));
  const byFold = useMemo(() => new Map(dropped.map((fold) => [fold.number, fold])), [dropped]);
  /** The compaction that folded an entry. */
  const foldOf = useMemo(() => new Map(dropped.flatMap((fold) => fold.entries.map((entry) => [entry, fold] as const))), [dropped]);
  /** The first row beside which a compaction is drawn. */
  const firstOf = useMemo(() => {
    const first = new Map<number, string>();
    for (const { key, numbers } of rows) {
      const fold = foldOf.get(numbers[0]!);
      if (fold && !first.has(fold.number)) first.set(fold.number, key);
    }
    return first;
  }, [rows, foldOf]);
  const activeIndex = active === null ? -1 : rows.findIndex(({ key }) => key === active);

  const focusRow = useCallback((key: string) => {
    const mounted = scroller.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [];
    [...mounted].find((row) => row.dataset.row === key)?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (active !== null) focusRow(active);
  }, [active, focusRow]);
  useEffect(() => scroller.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (lit === null) return;
    const timer = setTimeout(() => setLit(null), LIT);
    return () => clearTimeout(timer);
  }, [lit]);

  const show = useCallback(
    (index: number, align: "center" | "nearest" | "start") => {
      const row = rows[index];
      if (!row) return;
      list.current?.scrollToIndex(index, { align });
      setActive(row.key);
      focusRow(row.key);
    },
    [rows, focusRow],
  );
  // An entry of another branch is gone to once its path is shown.
  const reached = useRef<typeof goal>(null);
  useEffect(() => {
    if (goal === null || goal === reached.current) return;
    const index = rows.findIndex(({ numbers }) => numbers.includes(goal.entry));
    if (index < 0) return;
    reached.current = goal;
    const { key, kind } = rows[index]!;
    // What a compaction says is read where it is open.
    if (kind === "fold") setOpened((keys) => new Set(keys).add(key));
    show(index, "center");
    setLit(key);
  }, [goal, rows, show]);
  const goTo = (entry: number) => {
    if (!rows.some(({ numbers }) => numbers.includes(entry))) setLeaf(leafBeyond(entries, entry));
    setGoal({ entry });
  };

  const toggle = (keys: ReadonlySet<string>, key: string) => {
    const next = new Set(keys);
    if (!next.delete(key)) next.add(key);
    return next;
  };
  const showFold = (number: number) => {
    setOpened((keys) => new Set(keys).add(String(number)));
    const index = rows.findIndex(({ key }) => key === String(number));
    show(index, "start");
  };
  useImperativeHandle(ref, () => ({
    nextFold: () => {
      const folds = rows.flatMap((row, index) => (row.kind === "fold" ? [{ index, number: row.numbers[0]! }] : []));
      const next = folds.find(({ index }) => index > activeIndex) ?? folds[0];
      if (next) showFold(next.number);
    },
  }));

  const onSibling = useCallback(
    (id: string) => {
      setLeaf(leafBeyond(entries, Number(id)));
      setActive(id);
    },
    [entries],
  );
  const onWhole = useCallback((key: string) => setWhole((keys) => new Set(keys).add(key)), []);

  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const onRow = target === scroller.current || target.dataset.row !== undefined;
    if (!onRow || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const here = rows[activeIndex];
    if (event.key === "Escape") {
      event.preventDefault();
      return onLeave();
    }
    // As in a tree: to the right opens what is closed, to the left closes it.
    if (here?.kind === "fold" && (event.code === "ArrowRight") !== opened.has(here.key) && /^Arrow(Left|Right)$/.test(event.code)) {
      event.preventDefault();
      return setOpened((keys) => toggle(keys, here.key));
    }
    // By place on the keyboard: with a Korean layout J and K are ㅓ and ㅏ.
    const move = { KeyJ: 1, ArrowDown: 1, KeyK: -1, ArrowUp: -1 }[event.code];
    let to: number;
    if (event.code === "Home") to = 0;
    else if (event.code === "End") to = rows.length - 1;
    else if (move === undefined) return;
    else if (activeIndex < 0) to = list.current?.findItemIndex(scroller.current!.scrollTop) ?? 0;
    else to = Math.min(rows.length - 1, Math.max(0, activeIndex + move));
    event.preventDefault();
    show(to, "nearest");
  };

  return (
    <LinkProvider value={onLink}>
      <div
        ref={scroller}
        className={css.scroller}
        role="log"
        aria-live="off"
        aria-label={t("session.said")}
        tabIndex={0}
        onKeyDown={keyDown}
      >
        <Virtualizer ref={list} scrollRef={scroller} data={rows} keepMounted={activeIndex < 0 ? [] : [activeIndex]}>
          {(row, index) =>
            row.kind === "fold" ? (
              <div key={row.key} className={css.entry} onFocus={({ target }) => target.dataset.row === row.key && setActive(row.key)}>
                <Compaction
                  row={row.key}
                  summary={textOf(partsOf(row.entry))}
                  dropped={byFold.get(row.numbers[0]!) ?? null}
                  project={project}
                  open={opened.has(row.key)}
                  onToggle={() => (opened.has(row.key) ? setOpened((keys) => toggle(keys, row.key)) : showFold(row.numbers[0]!))}
                  onSource={goTo}
                />
              </div>
            ) : (
              <div
                key={row.key}
                className={css.entry}
                role="article"
                tabIndex={-1}
                data-row={row.key}
                data-found={lit === row.key ? "" : undefined}
                aria-posinset={index + 1}
                aria-setsize={rows.length}
                aria-label={t("session.entry", { who: t(`who.${row.kind}`), position: formatNumber(index + 1) })}
                onFocus={(event) => event.target === event.currentTarget && setActive(row.key)}
              >
                <Rule
                  fold={foldOf.get(row.numbers[0]!)}
                  row={row.key}
                  firstOf={firstOf}
                  words={words}
                  onShow={showFold}
                />
                {row.kind === "user" && <Asked row={row} whole={whole.has(row.key)} onWhole={onWhole} onSibling={onSibling} />}
                {row.kind === "assistant" && <Answer row={row} session={session} onSibling={onSibling} />}
                {row.kind === "context" && <Context row={row} onSibling={onSibling} />}
              </div>
            )
          }
        </Virtualizer>
      </div>
    </LinkProvider>
  );
}

const partsOf = ({ parts }: VaultEntry): Part[] => parts.flatMap((part) => (part.type === "text" ? [part] : []));

interface RuleProps {
  fold: VaultDropped | undefined;
  row: string;
  firstOf: ReadonlyMap<number, string>;
  words: (fold: VaultDropped) => string;
  onShow: (number: number) => void;
}

/** Beside what a compaction folded: the model did not see it any more. */
function Rule({ fold, row, firstOf, words, onShow }: RuleProps) {
  const { t } = useTranslation("vault");
  if (!fold) return null;
  const label = t("fold.show", { label: words(fold) });
  return (
    <MarginRule
      first={firstOf.get(fold.number) === row}
      aria-label={label}
      title={label}
      onClick={() => onShow(fold.number)}
    />
  );
}

type Of<K> = Extract<Row, { kind: K }>;

interface TurnProps<K> {
  row: Of<K>;
  onSibling: (id: string) => void;
}

const Asked = memo(function Asked({ row, whole, onWhole, onSibling }: TurnProps<"user"> & { whole: boolean; onWhole: (key: string) => void }) {
  const { t } = useTranslation("chat");
  const text = textOf(row.parts);
  const start = useMemo(() => startOf(text), [text]);
  const all = whole || start === text;
  return (
    <div className={css.turn}>
      <div className={css.surface}>
        {text !== "" && <Markdown text={all ? text : start} said={row.key} />}
        {!all && (
          <Button variant="quiet" onClick={() => onWhole(row.key)}>
            {t("showAll", { n: formatNumber(text.length) })}
          </Button>
        )}
        <Pictures parts={row.parts} />
      </div>
      <div className={css.turnFoot}>
        <At at={row.at} />
        <span className={css.grow} />
        <SiblingSwitch siblings={row.siblings} onSibling={onSibling} />
        <span className={css.acts}>{text !== "" && <CopyButton text={text} label={t("actions.copy")} />}</span>
      </div>
    </div>
  );
});

const thought = (text: string) => <Reasoning text={text} thinking={false} />;

const Answer = memo(function Answer({ row, session, onSibling }: TurnProps<"assistant"> & { session: string }) {
  const { t } = useTranslation("chat");
  const pieces = useMemo(() => piecesOf(inSession(row.parts, session)), [row.parts, session]);
  const text = textOf(row.parts);
  return (
    <div className={css.turn}>
      {pieces.map((piece, index) =>
        piece.type === "calls" ? (
          <Calls key={index} steps={piece.steps} turnId={undefined} live={false} reasoning={thought} />
        ) : piece.type === "text" ? (
          <Markdown key={index} text={piece.text} said={row.key} />
        ) : piece.type === "reasoning" ? (
          <Reasoning key={index} text={piece.text} thinking={false} />
        ) : (
          <Pictures key={index} parts={[piece]} />
        ),
      )}
      <div className={css.turnFoot}>
        <At at={row.at} />
        {row.model !== null && <span>{modelName(row.model)}</span>}
        <span className={css.grow} />
        <SiblingSwitch siblings={row.siblings} onSibling={onSibling} />
        <span className={css.acts}>{text !== "" && <CopyButton text={text} label={t("actions.copy")} />}</span>
      </div>
    </div>
  );
});

/** Which call is open is known by where it was made: numbers of entries begin anew with each session. */
function inSession(parts: readonly Part[], session: string): Part[] {
  return parts.map((part) => (part.type === "call" ? { ...part, call: { ...part.call, replyId: `${session} ${part.call.replyId}` } } : part));
}

const Context = memo(function Context({ row, onSibling }: TurnProps<"context">) {
  const { t } = useTranslation("vault");
  const [shown, setShown] = useState(false);
  const text = textOf(row.parts);
  return (
    <div className={css.turn}>
      <details className={css.context} onToggle={(event) => setShown(event.currentTarget.open)}>
        <summary>
          {t("who.context")} <span className={css.contextStart}>{text.slice(0, 120).replace(/\s+/g, " ").trim()}</span>
        </summary>
        {shown && (
          <pre className={css.contextText} tabIndex={0} aria-label={t("who.context")} data-selectable>
            <Revealed text={text} />
          </pre>
        )}
      </details>
      <Pictures parts={row.parts} />
      {row.siblings.count > 1 && <SiblingSwitch siblings={row.siblings} onSibling={onSibling} />}
    </div>
  );
});

function At({ at }: { at: number | null }) {
  if (at === null) return null;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
      {formatTime(at)}
    </time>
  );
}

/** Pictures and files stand for themselves: their bytes are kept in the session's file, and not taken out of it. */
function Pictures({ parts }: { parts: readonly Part[] }) {
  const { t } = useTranslation("vault");
  const attached = parts.filter(isAttachment);
  if (attached.length === 0) return null;
  return (
    <ul className={css.pictures}>
      {attached.map((part, index) => (
        <li key={index} className={css.tag}>
          <ImageOff aria-hidden />
          {t(part.type === "image" ? "picture" : "file", { kind: part.type === "pasted" ? "" : part.media_type })}
        </li>
      ))}
    </ul>
  );
}
