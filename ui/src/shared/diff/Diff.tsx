// A unified diff: what goes and what comes, a few lines around it, and gaps that say how much is left out. In a line that was
// rewritten the words that are other ones are marked.
import { Fragment, useCallback, useMemo, useState, type ReactNode } from "react";
import { formatNumber, useTranslation } from "../i18n";
import { Button, Notice, quiet } from "../kit";
import { proseLanguage } from "../language";
import { Revealed } from "../Revealed";
import css from "./diff.module.css";
import type { Part } from "./difference";
import type { DiffLine, Difference } from "./lines";
import { changedWords } from "./words";

/** Lines that are drawn at first. */
const DRAWN = 400;

const SIGNS = { same: " ", added: "+", removed: "-" };
const TAGS = { same: Fragment, added: "ins", removed: "del" } as const;

/** How much of a difference is drawn. */
export interface Drawn {
  most: number;
  /** Lines that are not. */
  left: number;
  more: () => void;
}

/** For whoever has to know whether all of it is seen. */
export function useDrawn(difference: Difference | null): Drawn {
  const [most, setMost] = useState(DRAWN);
  const all = useMemo(() => difference?.hunks.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0, [difference]);
  const left = Math.max(0, all - most);
  const more = useCallback(() => setMost((most) => most * 10), []);
  return useMemo(() => ({ most, left, more }), [most, left, more]);
}

interface DiffProps {
  label: string;
  difference: Difference;
  /** Where somebody else has to know, too. */
  drawn?: Drawn;
  /** What stands over a hunk, and how it is meant. */
  hunk?: (index: number) => { head: ReactNode; going: boolean };
}

export function Diff({ label, difference, drawn, hunk }: DiffProps) {
  const { t } = useTranslation("diff");
  const own = useDrawn(difference);
  const { most, left, more } = drawn ?? own;
  const { hunks, skipped, smallest } = difference;
  if (hunks.length === 0) return <p className={quiet.note}>{t("same")}</p>;
  const gap = (count: number) => count > 0 && <span className={css.gap}>{t("gap", { count })}</span>;
  let room = most;
  return (
    <>
      {!smallest && <Notice>{t("notSmallest", { ns: "common" })}</Notice>}
      {/* What stands over a hunk is pressed, so the text around it is no one field. */}
      <div className={css.diff} role="group" aria-label={label} tabIndex={0} data-selectable>
        {hunks.map(({ skipped, lines }, index) => {
          const shown = lines.slice(0, Math.max(0, room));
          room -= lines.length;
          if (shown.length === 0) return null;
          const over = hunk?.(index);
          return (
            <Fragment key={index}>
              {gap(skipped)}
              {over?.head}
              <pre
                className={css.hunk}
                lang={proseLanguage(shown.map(({ text }) => text).join("\n"))}
                data-going={over?.going || undefined}
              >
                <Lines lines={shown} />
              </pre>
            </Fragment>
          );
        })}
        {left === 0 && gap(skipped)}
      </div>
      {left > 0 && <Button onClick={more}>{t("moreLines", { n: formatNumber(left) })}</Button>}
    </>
  );
}

function Lines({ lines }: { lines: readonly DiffLine[] }) {
  const { t } = useTranslation("diff");
  const words = useMemo(() => changedWords(lines), [lines]);
  return lines.map(({ kind, text, before, after, unended }, at) => {
    const Kind = TAGS[kind];
    return (
      <span key={at} className={css.diffLine} data-kind={kind}>
        <span className={css.number} aria-hidden>
          {after ?? before}
        </span>
        <code>
          <span className={css.sign}>{SIGNS[kind]} </span>
          <Kind>
            <Words parts={words[at] ?? [{ kind: "same", text }]} />
          </Kind>
          {unended && kind !== "same" && <em className={css.unended}>{t("unended")}</em>}
        </code>
      </span>
    );
  });
}

function Words({ parts }: { parts: readonly Part[] }) {
  return parts.map(({ kind, text }, at) => {
    if (kind === "same") return <Revealed key={at} text={text} />;
    // A word is marked without the space before it, unless that is all.
    const word = text.trimStart() || text;
    return (
      <Fragment key={at}>
        <Revealed text={text.slice(0, text.length - word.length)} />
        <mark>
          <Revealed text={word} />
        </mark>
      </Fragment>
    );
  });
}

/** How many lines come and go: `+14 −2`. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  const { t } = useTranslation("diff");
  return (
    <span className={css.counts} data-numeric>
      <span className="visually-hidden">{t("counts", { count: added, added: formatNumber(added), removed: formatNumber(removed) })}</span>
      <ins aria-hidden>+{formatNumber(added)}</ins>
      <del aria-hidden>−{formatNumber(removed)}</del>
    </span>
  );
}
