// A file of the project, for reading only, at the line that a link named. Windowed: files of many
// thousand lines open at once.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { closeOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import type { ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { CopyButton, Dialog, Notice, Spinner } from "@/shared/kit";
import css from "./files.module.css";

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
          <Lines text={file.data.text} line={line} label={path} />
        </div>
      )}
    </Dialog>
  );
}

function Lines({ text, line, label }: { text: string; line: number | null; label: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const lines = useMemo(() => text.split(/\r\n|\n|\r/), [text]);
  useEffect(() => {
    if (line !== null) list.current?.scrollToIndex(line - 1, { align: "center" });
  }, [line, lines]);
  return (
    <div ref={scroller} className={css.lines} role="document" aria-label={label} tabIndex={0} data-selectable>
      <Virtualizer ref={list} scrollRef={scroller} data={lines} keepMounted={line === null ? [] : [line - 1]}>
        {(content, index) => (
          <div key={index} className={css.line} data-at={index + 1 === line || undefined}>
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
