// A failure in its place: what happened, what to do, and the technical words folded away.
import type { ReactNode } from "react";
import { isCode, toFailure } from "@/ipc";
import { i18n, useTranslation } from "@/shared/i18n";
import { Notice, toast } from "@/shared/kit";
import css from "./ErrorNotice.module.css";

export interface FailureWords {
  title: string;
  hint: string;
}

/** Why a turn was ended before its model was done: no failures of a command, and told in the same place. */
const LIMITS = ["limit_rounds", "limit_tokens", "limit_time"] as const;

/** Words by code; a code that this version does not know reads as an internal one. */
function words(code: string): FailureWords {
  const known = isCode(code) ? code : (LIMITS.find((limit) => limit === code) ?? "internal");
  return { title: i18n.t(`${known}.title`, { ns: "errors" }), hint: i18n.t(`${known}.hint`, { ns: "errors" }) };
}

/** As a hook, so that a switch of the language is followed. */
export function useFailureWords(): (code: string) => FailureWords {
  useTranslation("errors");
  return words;
}

export interface ErrorNoticeProps {
  failure: unknown;
  actions?: ReactNode;
  /** Something that happened earlier: shown, and not announced again whenever it comes into sight. */
  past?: boolean;
}

export function ErrorNotice({ failure, actions, past = false }: ErrorNoticeProps) {
  const { t } = useTranslation("errors");
  const { code, message } = toFailure(failure);
  const { title, hint } = useFailureWords()(code);
  return (
    <div role={past ? undefined : "alert"}>
      <Notice tone="danger" title={title} actions={actions}>
        <p>{hint}</p>
        {message && (
          <details className={css.details}>
            <summary>{t("details")}</summary>
            <p data-selectable>{message}</p>
          </details>
        )}
      </Notice>
    </div>
  );
}

/** For small acts whose place shows the unchanged state anyway (a rename, a pin). */
export function tellFailure(thrown: unknown): void {
  const { code } = toFailure(thrown);
  if (code === "cancelled") return;
  const { title, hint } = words(code);
  toast({ text: `${title} ${hint}`, tone: "danger" });
}
