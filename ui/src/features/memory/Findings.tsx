// What a file imports and what to look at in it, before a model reads it.
import { TriangleAlert } from "lucide-react";
import type { Finding, ImportNote } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import css from "./memory.module.css";
import { useFindingWords, useRefusalWords } from "./words";

interface NotesProps {
  imports: readonly ImportNote[];
  findings: readonly Finding[];
  /** Goes to a line of the file. */
  onLine?: (line: number) => void;
}

export function FileNotes({ imports, findings, onLine }: NotesProps) {
  const { t } = useTranslation("memory");
  const refused = useRefusalWords();
  const words = useFindingWords();
  const place = (line: number) =>
    onLine ? (
      <button type="button" className={css.place} onClick={() => onLine(line)}>
        {t("finding.line", { line })}
      </button>
    ) : (
      <span className={css.muted}>{t("finding.line", { line })}</span>
    );
  return (
    <>
      {imports.length > 0 && (
        <ul className={css.notes} aria-label={t("import.label")}>
          {imports.map((note) => (
            <li key={`${note.from}:${note.line}:${note.target}`} data-tone={note.refused ? "warn" : undefined}>
              {place(note.line)}
              <code>@{note.target}</code>
              {note.refused && <span>{refused(note.refused)}</span>}
              {note.again && <span>{t("import.again")}</span>}
            </li>
          ))}
        </ul>
      )}
      {findings.length > 0 && (
        <ul className={css.notes} aria-label={t("finding.label")}>
          {findings.map(({ line, column, kind, excerpt }) => (
            <li key={`${line}:${column}:${kind.code}`} data-tone="warn">
              <TriangleAlert size={14} aria-hidden />
              {place(line)}
              <span>{words(kind)}</span>
              {excerpt !== "" && <code>{excerpt}</code>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
