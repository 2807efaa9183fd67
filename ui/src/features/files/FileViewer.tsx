// A file of the project, for reading only, at the line that a link named. Windowed: files of many
// thousand lines open at once. The file, and lines that are selected in it, go with the next message.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { closeOverlay } from "@/app/actions";
import { pickLines, tellReading, useReading, useReadingWords } from "@/features/context";
import { ErrorNotice } from "@/features/errors";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { CopyButton, Dialog, Notice, Spinner } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./files.module.css";
import { useRange } from "./pick";

interface FileViewerProps {
  projectId: ProjectId;
  path: string;
  /** From 1. */
  line: number | null;
}

export function FileViewer({ projectId, path, line }: FileViewerProps) {
  const { t } = useTranslation("file");
  const file = useQuery(queries.file(projectId, path));
  return (
    <Dialog
      open
      size="l"
      onClose={closeOverlay}
      title={path}
      description={line === null ? t("readOnly") : t("readOnlyLine", { line })}
      footer={file.data && <CopyButton text={file.data.text} label={t("copy")} />}
    >
      {file.isError && <ErrorNotice failure={file.error} />}
      {file.isPending && <Spinner />}
      {file.data && (
        <div className={css.file}>
          {file.data.truncated && <Notice tone="warn">{t("truncated")}</Notice>}
          <Lines projectId={projectId} path={path} line={line} text={file.data.text} />
          <Going projectId={projectId} />
        </div>
      )}
    </Dialog>
  );
}

/** What of the file goes with the next message, and how lines of it do. */
function Going({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("file");
  const words = useReadingWords();
  const reading = useReading(projectId);
  return (
    <p className={css.going} role="status">
      {reading?.lines ? t("picked", { name: words(reading) }) : t("pick")}
    </p>
  );
}

function Lines({ projectId, path, line, text }: FileViewerProps & { text: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const lines = useMemo(() => text.split(/\r\n|\n|\r/), [text]);
  const [range, setRange] = useRange(scroller);
  const first = range ? Math.min(range.anchor, range.head) : 0;
  const last = range ? Math.max(range.anchor, range.head) : 0;
  useEffect(() => {
    if (line !== null) list.current?.scrollToIndex(line - 1, { align: "center" });
  }, [line, lines]);
  useEffect(() => {
    tellReading(projectId, path, first === 0 ? null : pickLines(lines, first, last));
  }, [projectId, path, lines, first, last]);

  const keyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!event.shiftKey || step === undefined || list.current === null) return;
    event.preventDefault();
    const shown = line ?? list.current.findItemIndex(list.current.scrollOffset) + 1;
    const start = Math.min(shown, lines.length);
    const { anchor, head } = range ?? { anchor: start, head: start - step };
    const next = Math.min(Math.max(head + step, 1), lines.length);
    setRange({ anchor, head: next });
    list.current.scrollToIndex(next - 1, { align: "nearest" });
  };
  // The ends of a selection must stay in the document, or the window drops it.
  const kept = range ? [range.anchor, range.head] : [];
  const mounted = [...kept, ...(line === null ? [] : [line])].map((number) => number - 1);
  return (
    <div
      ref={scroller}
      className={css.lines}
      role="document"
      aria-label={path}
      tabIndex={0}
      lang={proseLanguage(text)}
      data-selectable
      onKeyDown={keyDown}
    >
      <Virtualizer ref={list} scrollRef={scroller} data={lines} keepMounted={mounted}>
        {(content, index) => (
          <div
            key={index}
            className={css.line}
            data-line={index + 1}
            data-at={index + 1 === line || undefined}
            data-picked={(first <= index + 1 && index + 1 <= last) || undefined}
          >
            <span className={css.number} aria-hidden data-numeric>
              {index + 1}
            </span>
            <code className={css.code}>{content || " "}</code>
          </div>
        )}
      </Virtualizer>
    </div>
  );
}
