// A failure in its place: what happened, what to do, and the technical words folded away.
import type { ReactNode } from "react";
import { isCode, toFailure, type Code } from "@/ipc";
import { i18n, useTranslation } from "@/shared/i18n";
import { Notice, toast } from "@/shared/kit";
import css from "./ErrorNotice.module.css";

export interface FailureWords {
  title: string;
  hint: string;
}

/** What is another thing with an agent: a program of the person's, with a login and limits of its own. */
const OF_AGENTS = [
  "key_refused",
  "no_credit",
  "provider_malformed",
  "provider_not_local",
  "provider_timed_out",
  "provider_unreachable",
  "reply_empty",
  "reply_withheld",
] as const satisfies readonly Code[];

/** Words by code; a code that this version does not know reads as an internal one. */
export function failureWords(code: string, agent = false): FailureWords {
  const own = agent && OF_AGENTS.find((one) => one === code);
  if (own) return { title: i18n.t(`agent.${own}.title`, { ns: "errors" }), hint: i18n.t(`agent.${own}.hint`, { ns: "errors" }) };
  const known = isCode(code) ? code : "internal";
  return { title: i18n.t(`${known}.title`, { ns: "errors" }), hint: i18n.t(`${known}.hint`, { ns: "errors" }) };
}

/** As a hook, so that a switch of the language is followed. */
export function useFailureWords(): (code: string, agent?: boolean) => FailureWords {
  useTranslation("errors");
  return failureWords;
}

export interface ErrorNoticeProps {
  failure: unknown;
  /** An agent was asked, not a model. */
  agent?: boolean;
  actions?: ReactNode;
  /** Something that happened earlier: shown, and not announced again whenever it comes into sight. */
  past?: boolean;
}

export function ErrorNotice({ failure, agent = false, actions, past = false }: ErrorNoticeProps) {
  const { t } = useTranslation("errors");
  const { code, message } = toFailure(failure);
  const { title, hint } = useFailureWords()(code, agent);
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
  const { title, hint } = failureWords(code);
  toast({ text: `${title} ${hint}`, tone: "danger" });
}
