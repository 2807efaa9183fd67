// What a file imports and what to look at in it, before a model reads it.
import { TriangleAlert } from "lucide-react";
import type { Finding, ImportNote, Passage } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { quiet } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./memory.module.css";
import { useFindingWords, useRefusalWords } from "./words";

interface NotesProps {
  imports: readonly ImportNote[];
  findings: readonly Finding[];
  /** Goes to a line of the file. */
  onLine?: (line: number) => void;
  /** Which of the lines that can be left out alone go, and another answer about one. */
  goes?: Going;
}

/** Flagged lines are left out unless they are ticked. */
export interface Going {
  /** The file they are in, unless it is an imported one. */
  path: string;
  has: (path: string, passage: Passage) => boolean;
  set: (path: string, passage: Passage, on: boolean) => void;
}

export function FileNotes({ imports, findings, onLine, goes }: NotesProps) {
  const { t } = useTranslation("memory");
  const refused = useRefusalWords();
  const words = useFindingWords();
  const place = (line: number) =>
    onLine ? (
      <button type="button" className={css.place} onClick={() => onLine(line)}>
        {t("finding.line", { line })}
      </button>
    ) : (
      <span className={quiet.note}>{t("finding.line", { line })}</span>
    );
  return (
    <>
      {imports.length > 0 && (
        <ul className={css.notes} aria-label={t("import.label")}>
          {imports.map((note) => (
            <li key={`${note.from}:${note.line}:${note.target}`} data-tone={note.refused ? "warn" : undefined}>
              {place(note.line)}
              <code>
                @<Revealed text={note.target} name />
              </code>
              {note.refused && <span>{refused(note.refused)}</span>}
              {note.again && <span>{t("import.again")}</span>}
            </li>
          ))}
        </ul>
      )}
      {findings.length > 0 && (
        <ul className={css.notes} aria-label={t("finding.label")}>
          {findings.map(({ line, column, kind, excerpt, passage, in_file }) => (
            <li key={`${in_file ?? ""}:${line}:${column}:${kind.code}`} data-tone="warn">
              <TriangleAlert aria-hidden />
              {in_file === undefined ? place(line) : <span className={quiet.note}>{`${in_file}:${line}`}</span>}
              <span>{words(kind)}</span>
              {excerpt !== "" && (
                <code>
                  <Revealed text={excerpt} />
                </code>
              )}
              {passage && goes && <Tick path={in_file ?? goes.path} passage={passage} excerpt={excerpt} goes={goes} />}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface TickProps {
  path: string;
  passage: Passage;
  excerpt: string;
  goes: Going;
}

function Tick({ path, passage, excerpt, goes }: TickProps) {
  const { t } = useTranslation("memory");
  const on = goes.has(path, passage);
  return (
    <label className={css.tick}>
      <input
        type="checkbox"
        checked={on}
        aria-label={t("finding.send", { excerpt })}
        onChange={(event) => goes.set(path, passage, event.currentTarget.checked)}
      />
      {t(on ? "finding.goes" : "finding.leftOut")}
    </label>
  );
}
