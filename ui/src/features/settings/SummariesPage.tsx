// How earlier messages are told, where a conversation has not chosen its own way.
import { useState } from "react";
import { POLICIES, RateSlider } from "@/features/summaries";
import type { SummaryPolicy, SummarySettings } from "@/ipc";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { quiet, Select, Switch } from "@/shared/kit";
import { RestingField } from "./RestingField";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

/** The numbers with their ends, which the host holds them to. */
const ENDS = {
  threshold: [100, 1_000_000],
  recent_messages: [1, 100],
  window_keep: [100, 100_000],
  token_limit: [100, 1_000_000],
  timeout_s: [5, 600],
  kept_facts_share: [0, 50],
} as const;

/** The numbers that say when a fold is due, as they are until the person changes them: a changed one counts. */
const USUAL = { threshold: 8_000, window_keep: 800, token_limit: 4_096 } as const;

function goesByNumbers(summary: SummarySettings): boolean {
  const changed = (key: keyof typeof USUAL) => summary[key] !== USUAL[key];
  if (summary.by_numbers !== null) return summary.by_numbers;
  if (summary.policy === "rolling") return changed("threshold");
  return summary.policy === "running" && (changed("window_keep") || changed("token_limit"));
}

export function SummariesPage() {
  const { t } = useTranslation("summaries");
  const { settings, change, store } = useSettings();
  const [moving, setMoving] = useState<number | null>(null);
  if (!settings) return null;
  const { summary } = settings;
  const set = (part: Partial<SummarySettings>) => change({ summary: { ...summary, ...part } });
  const number = (key: keyof typeof ENDS, label: string) => {
    const [min, max] = ENDS[key];
    const check = (text: string) => {
      const fits = /^\s*\d+\s*$/.test(text) && Number(text) >= min && Number(text) <= max;
      return fits ? null : t("page.number", { min: formatNumber(min), max: formatNumber(max) });
    };
    return (
      <RestingField
        className={css.amount}
        label={label}
        inputMode="numeric"
        stored={String(summary[key])}
        check={check}
        onStore={(text) => {
          const by_numbers = key in USUAL ? true : summary.by_numbers;
          return store({ summary: { ...summary, by_numbers, [key]: Number(text) } });
        }}
      />
    );
  };
  return (
    <div className={css.page}>
      <Switch
        label={t("page.enabled")}
        description={t("page.enabledHint")}
        checked={summary.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      <div className={css.group}>
        <Select<SummaryPolicy>
          label={t("page.policy")}
          value={summary.policy}
          onChange={(policy) => set({ policy })}
          options={POLICIES.map((value) => ({ value, label: t(`policies.${value}.name`) }))}
        />
        <p className={quiet.note}>
          {t(`policies.${summary.policy}.hint`)} {t("page.policyHint")}
        </p>
      </div>
      <Switch
        label={t("page.byNumbers")}
        description={t("page.byNumbersHint")}
        checked={goesByNumbers(summary)}
        onChange={(by_numbers) => set({ by_numbers })}
      />
      <RestingField
        label={t("page.model")}
        description={t("page.modelHint")}
        placeholder={t("page.modelPlaceholder")}
        stored={summary.model ?? ""}
        onStore={(text) => store({ summary: { ...summary, model: text.trim() || null } })}
      />
      {number("timeout_s", t("page.timeout"))}
      {number("kept_facts_share", t("page.keptShare"))}
      <section className={css.group} aria-labelledby="summaries-rolling">
        <h4 id="summaries-rolling" className={css.heading}>
          {t("page.rolling")}
        </h4>
        {number("threshold", t("page.threshold"))}
        {number("recent_messages", t("page.recent"))}
      </section>
      <section className={css.group} aria-labelledby="summaries-segments">
        <h4 id="summaries-segments" className={css.heading}>
          {t("page.segments")}
        </h4>
        <RateSlider
          value={moving ?? summary.rate}
          onChange={setMoving}
          onCommit={(rate) => {
            setMoving(null);
            set({ rate });
          }}
          description={t("rateHint")}
        />
      </section>
      <section className={css.group} aria-labelledby="summaries-running">
        <h4 id="summaries-running" className={css.heading}>
          {t("page.running")}
        </h4>
        {number("window_keep", t("page.windowKeep"))}
        {number("token_limit", t("page.tokenLimit"))}
      </section>
      <Switch
        label={t("page.strict")}
        description={t("page.strictHint")}
        checked={summary.strict}
        onChange={(strict) => set({ strict })}
      />
    </div>
  );
}
