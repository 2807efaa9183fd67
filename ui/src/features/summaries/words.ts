// What summaries, policies and their troubles are called, in the language of the interface.
import { useFailureWords } from "@/features/errors";
import { modelName } from "@/features/models";
import { isCode, type FoldDistance, type FoldGate, type SummaryPolicy, type TurnFault, type TurnSpan } from "@/ipc";
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
  return rate.toFixed(2);
}

/** Troubles that are not a provider's. */
const OWN_FAULTS = ["abandoned", "constraint_lost", "empty", "not_shorter", "superseded", "undone"] as const;

export function useSummaryWords() {
  const { t } = useTranslation("summaries");
  const failureWords = useFailureWords();
  /** One of them, or the first and the last. */
  const between = (one: "turn" | "message", several: "turns" | "messages", first: number, last: number) => {
    const values = { first: formatNumber(first), last: formatNumber(last) };
    return first === last ? t(one, values) : t(several, values);
  };
  const turns = ({ first, last }: TurnSpan): string => between("turn", "turns", first, last);
  return {
    turns,
    version: (version: number): string => t("version", { version }),
    /** "Turns 1–3", or messages where no whole turn is among them. */
    span: (summary: Summary): string =>
      summary.turns
        ? turns(summary.turns)
        : between("message", "messages", summary.coverage.start + 1, endOf(summary)),
    size: (original: number, summary: number): string =>
      t("size", { original: formatNumber(original), summary: formatNumber(summary) }),
    saved: (original: number, summary: number): string =>
      t("saved", { percent: formatNumber(savedPercent(original, summary)) }),
    /** The rate it was asked for, where it was; else the one that it came to. */
    rate: ({ policy, edited, compression_rate, original_chars, summary_chars }: Summary): string =>
      policy === "segments" && !edited
        ? t("atRate", { rate: formatRate(compression_rate) })
        : t("cameTo", { rate: formatRate(summary_chars / Math.max(1, original_chars)) }),
    /** Who wrote it. */
    writer: ({ edited, model }: Summary): string => {
      if (edited || model === null) return t("byPerson");
      return model === "offline" ? t("byOffline") : modelName(model);
    },
    fault: ({ code }: TurnFault): string => {
      const own = OWN_FAULTS.find((known) => known === code);
      if (own) return t(`fault.${own}`);
      return isCode(code) ? failureWords(code).title : t("fault.other");
    },
    /** Whether a summary may stand for its messages, and what it lost. */
    gate: (gate: FoldGate): string => {
      if (gate.verdict === "hard") return t(`receipt.refused.${gate.reason}`);
      if (gate.verdict === "pass") return t("receipt.pass");
      return t("receipt.lost", { what: gate.lost.map((category) => t(`receipt.categories.${category}`)).join(", ") });
    },
    /** "Next fold in 2 turns"; what is due comes after the next reply. */
    nextFold: ({ unit, left }: FoldDistance): string => {
      if (left <= (unit === "turns" ? 1 : 0)) return t("next.reply");
      return unit === "tokens" ? t("next.tokens", { n: formatTokens(left) }) : t("next.turns", { count: left });
    },
  };
}
