// A compaction among what was said: one line between strata; opened, the summary that the agent went on with, and what of
// the folded entries it says and does not say.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { startOf } from "@/features/chat";
import { remember } from "@/features/memory";
import { FoldHead, Facts, Shares, type FactAct } from "@/features/summaries";
import type { Stays, VaultDropped, VaultDroppedFact } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, quiet } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { Markdown } from "@/shared/markdown";
import css from "./vault.module.css";
import type { Project } from "./project";

interface CompactionProps {
  /** Key of its row. */
  row: string;
  /** The summary, as the entry says it. */
  summary: string;
  /** Null where nobody looked what it dropped, or has not yet. */
  dropped: VaultDropped | null;
  project: Project | null;
  open: boolean;
  onToggle: () => void;
  onSource: (entry: number) => void;
}

/** From what is nowhere to what is still told. */
const ORDER: readonly Stays[] = ["nowhere", "later", "summary"];

export function Compaction({ row, summary, dropped, project, open, onToggle, onSource }: CompactionProps) {
  const words = useFoldWords();
  return (
    <>
      <FoldHead row={row} count={dropped?.entries.length ?? 1} open={open} onToggle={onToggle}>
        {words(dropped)}
      </FoldHead>
      {open && <Opened summary={dropped?.summary ?? summary} dropped={dropped} project={project} onSource={onSource} />}
    </>
  );
}

/** "Compacted by itself · 168k → 8k tokens · 4 not kept". */
export function useFoldWords() {
  const { t } = useTranslation("vault");
  return (dropped: VaultDropped | null): string => {
    if (dropped === null) return t("fold.unknown");
    const { automatic, before, after, tokens, summary_tokens, facts } = dropped;
    const lost = facts.filter(({ stays }) => stays === "nowhere").length;
    const counted = before !== null && after !== null;
    const values = { before: formatTokens(before ?? tokens), after: formatTokens(after ?? summary_tokens) };
    return [
      t(automatic === null ? "fold.unknown" : automatic ? "fold.automatic" : "fold.asked"),
      t(counted ? "fold.tokens" : "fold.about", values),
      lost > 0 && t("fold.lost", { count: lost, n: formatNumber(lost) }),
    ]
      .filter(Boolean)
      .join(" · ");
  };
}

function Opened({ summary, dropped, project, onSource }: Pick<CompactionProps, "summary" | "dropped" | "project" | "onSource">) {
  const { t } = useTranslation("vault");
  return (
    <div className={css.opened} role="region" aria-label={t("fold.label")}>
      <Summary text={summary} />
      {dropped && <Shares retention={dropped.retention} />}
      {dropped && dropped.facts.length === 0 && <p className={quiet.note}>{t("fold.nothing")}</p>}
      {dropped &&
        ORDER.map((stays) => (
          <Group
            key={stays}
            stays={stays}
            facts={dropped.facts.filter((fact) => fact.stays === stays)}
            project={project}
            onSource={onSource}
          />
        ))}
    </div>
  );
}

function Summary({ text }: { text: string }) {
  const { t } = useTranslation("vault");
  const [all, setAll] = useState(false);
  const start = useMemo(() => startOf(text), [text]);
  if (text.trim() === "") return <p className={quiet.note}>{t("fold.secret")}</p>;
  const whole = all || start === text;
  return (
    <section aria-label={t("fold.summary")}>
      <p className={quiet.note}>{t("fold.summary")}</p>
      <div className={css.summary} lang={proseLanguage(text)}>
        <Markdown text={whole ? text : start} />
        {!whole && (
          <Button variant="quiet" onClick={() => setAll(true)}>
            {t("showAll", { n: formatNumber(text.length) })}
          </Button>
        )}
      </div>
    </section>
  );
}

interface GroupProps extends Pick<CompactionProps, "project" | "onSource"> {
  stays: Stays;
  facts: readonly VaultDroppedFact[];
}

function Group({ stays, facts, project, onSource }: GroupProps) {
  const { t } = useTranslation("vault");
  const memory = useQuery(queries.memory({ project_id: project?.id ?? null, conversation_id: null, dir: null })).data;
  const known = useMemo(() => new Set(memory?.lines.map(({ text }) => text.trim())), [memory]);
  const keep: FactAct = {
    label: (text) => (project ? t("fold.keep", { text, project: project.name }) : t("fold.keepEverywhere", { text })),
    icon: "remember",
    run: (text) => void remember({ projectId: project?.id ?? null, conversationId: null }, text, null),
  };
  if (facts.length === 0) return null;
  return (
    <details className={css.more} open={stays === "nowhere"}>
      <summary>{t(`fold.stays.${stays}`, { count: facts.length, n: formatNumber(facts.length) })}</summary>
      {stays === "nowhere" && <p className={quiet.note}>{t("fold.nowhereHint")}</p>}
      <Facts
        facts={facts}
        sourceTitle={t("fold.original")}
        onSource={({ entry }) => onSource(entry)}
        act={({ text }) => (known.has(text.trim()) ? t("fold.kept") : keep)}
      />
    </details>
  );
}
