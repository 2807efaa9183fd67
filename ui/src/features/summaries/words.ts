// What summaries, policies and their troubles are called, in the language of the interface.
import { useFailureWords } from "@/features/errors";
import { isCode, type FoldDistance, type SummaryPolicy, type TurnFault } from "@/ipc";
import { formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { endOf, savedPercent, type Summary } from "./cards";

export const POLICIES: readonly SummaryPolicy[] = [
  "rolling",
  "segments",
  "running",
  "window",
  "importance",
  "summarise",
  "none",
];

/** The ends and steps of a rate (seed 003, compression rate). */
export const RATES = { min: 0.1, max: 0.5, step: 0.05 } as const;

export function formatRate(rate: number): string {
  return formatNumber(rate, 2);
}

/** Troubles that are not a provider's. */
const OWN_FAULTS = ["abandoned", "empty", "not_shorter"] as const;

export function useSummaryWords() {
  const { t } = useTranslation("summaries");
  const failureWords = useFailureWords();
  return {
    /** "Turns 1–3", or messages where no whole turn is among them. */
    span: (summary: Summary): string => {
      const { turns, coverage } = summary;
      const [first, last] = turns ? [turns.first, turns.last] : [coverage.start + 1, endOf(summary)];
      const values = { first: formatNumber(first), last: formatNumber(last) };
      if (turns) return first === last ? t("turn", values) : t("turns", values);
      return first === last ? t("message", values) : t("messages", values);
    },
    size: (original: number, summary: number): string =>
      t("size", { original: formatNumber(original), summary: formatNumber(summary) }),
    saved: (original: number, summary: number): string =>
      t("saved", { percent: formatNumber(savedPercent(original, summary)) }),
    fault: ({ code }: TurnFault): string => {
      const own = OWN_FAULTS.find((known) => known === code);
      if (own) return t(`fault.${own}`);
      return isCode(code) ? failureWords(code).title : t("fault.other");
    },
    /** "Next fold in 2 turns"; what is due comes after the next reply. */
    nextFold: ({ unit, left }: FoldDistance): string => {
      if (left <= (unit === "turns" ? 1 : 0)) return t("next.reply");
      return unit === "tokens" ? t("next.tokens", { n: formatTokens(left) }) : t("next.turns", { count: left });
    },
  };
}
