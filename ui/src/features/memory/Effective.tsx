// What memory says when all of it is put together, line by line, each with where it is of.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { MemoryPlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import type { EffectiveLine, MemoryView } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button, quiet, Select, Spinner } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./memory.module.css";
import { useOriginWords } from "./words";

/** Lines that are drawn at once. */
const MOST = 800;

interface EffectiveProps {
  place: MemoryPlace;
  view: MemoryView;
  onSource: (path: string, line: number) => void;
}

export function Effective({ place, view, onSource }: EffectiveProps) {
  const { t } = useTranslation("memory");
  const [dir, setDir] = useState<string | null>(null);
  const [shown, setShown] = useState(MOST);
  const { projectId: project_id, conversationId: conversation_id } = place;
  const result = useQuery(queries.effective({ project_id, conversation_id, dir }));
  const dirs = [...new Set(view.files.map((file) => file.dir).filter((dir) => dir !== ""))];
  const tokens = result.data?.tokens.reduce((sum, of) => sum + of.tokens, 0) ?? 0;
  const lines = result.data?.lines ?? [];
  const more = lines.length - shown;
  return (
    <section className={css.effective} aria-labelledby="memory-effective">
      <header className={css.effectiveHead}>
        <h2 id="memory-effective">{t("edit.effective")}</h2>
        {tokens > 0 && (
          <span className={quiet.note} data-numeric>
            {t("tokens", { n: formatTokens(tokens) })}
          </span>
        )}
      </header>
      <p className={css.hint}>{t("effective.hint")}</p>
      {dirs.length > 0 && (
        <div className={css.inPlace}>
          <Select
            label={t("effective.dir")}
            quiet
            value={dir ?? ""}
            onChange={(value) => setDir(value === "" ? null : value)}
            options={[{ value: "", label: t("effective.everywhere") }, ...dirs.map((value) => ({ value, label: value }))]}
          />
        </div>
      )}
      {result.isError && <ErrorNotice failure={result.error} />}
      {result.isPending && <Spinner />}
      {result.data && lines.length === 0 && <p className={css.none}>{t("effective.empty")}</p>}
      <div className={css.merged}>
        {stretches(lines.slice(0, shown)).map((stretch) => (
          <Stretch key={`${stretch[0]!.path}:${stretch[0]!.line_id}:${stretch[0]!.line}`} lines={stretch} onSource={onSource} />
        ))}
      </div>
      {more > 0 && <Button onClick={() => setShown(lines.length)}>{t("effective.more", { count: more })}</Button>}
    </section>
  );
}

/** Lines of one file that follow each other. */
function stretches(lines: readonly EffectiveLine[]): EffectiveLine[][] {
  const out: EffectiveLine[][] = [];
  for (const line of lines) {
    const last = out.at(-1)?.[0];
    if (last && last.path === line.path && last.layer === line.layer) out.at(-1)!.push(line);
    else out.push([line]);
  }
  return out;
}

function Stretch({ lines, onSource }: { lines: readonly EffectiveLine[]; onSource: EffectiveProps["onSource"] }) {
  const { t } = useTranslation("memory");
  const origin = useOriginWords();
  const [first] = lines as [EffectiveLine];
  return (
    <section data-layer={first.layer} className={css.stretch} aria-label={origin(first)}>
      <h3 className={css.stretchName}>{origin(first)}</h3>
      <ol>
        {lines.map((line, index) => {
          const { path, text, overridden_by, same_as, must } = line;
          const words = overridden_by ? <del>{text}</del> : text;
          return (
            <li key={index} className={css.mergedLine} data-same={same_as !== null || undefined} data-must={must || undefined}>
              {path === null || text.trim() === "" ? (
                <span className={css.mergedText} lang={proseLanguage(text)}>
                  {words}
                </span>
              ) : (
                <button
                  type="button"
                  className={css.mergedText}
                  lang={proseLanguage(text)}
                  title={t("effective.toSource", { origin: origin(line), line: line.line, text })}
                  onClick={() => onSource(path, line.line)}
                >
                  {words}
                </button>
              )}
              {must && <em>{t("effective.must")}</em>}
              {overridden_by && <em>{t("effective.overridden", { winner: origin(overridden_by) })}</em>}
              {same_as && text.trim() !== "" && <em>{t("effective.same", { origin: origin(same_as) })}</em>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
