// Answers that were remembered: about which calls, what was said, when; each can be taken back.
import { Ban, Check } from "lucide-react";
import { useState } from "react";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type ToolRule } from "@/ipc";
import { formatMoment, useTranslation } from "@/shared/i18n";
import { announce, Button, Dialog, quiet, toast } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { useToolNames } from "./effects";
import css from "./panel.module.css";

interface RulesProps {
  rules: readonly ToolRule[];
}

export function Rules({ rules }: RulesProps) {
  const { t } = useTranslation("toolSettings");
  const { name } = useToolNames();
  /** A denial keeps something from happening: taking it back is asked about. */
  const [asking, setAsking] = useState<ToolRule | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const revoke = (rule: ToolRule) => {
    setAsking(null);
    setFailure(null);
    const { id } = rule;
    const run = () => void call("tool_rule_restore", { id }).then(() => announce(t("rules.restored")), tellFailure);
    call("tool_rule_revoke", { id }).then(
      () => toast({ text: t("rules.revoked"), action: { label: t("rules.undo"), run } }),
      setFailure,
    );
  };
  return (
    <section className={css.group} aria-labelledby="tools-rules">
      <h4 id="tools-rules" className={css.heading}>
        {t("rules.title")}
      </h4>
      <p className={quiet.note}>{t("rules.hint")}</p>
      {rules.length === 0 && <p className={quiet.note}>{t("rules.none")}</p>}
      <ul>
        {rules.map((rule) => {
          const Icon = rule.verdict === "allow" ? Check : Ban;
          return (
            <li key={rule.id} className={css.rule}>
              <Icon aria-hidden className={css[rule.verdict]} />
              <div className={css.ruleText}>
                <span>
                  {t(`rules.${rule.verdict}`)} · <strong>{name(rule.tool)}</strong>
                </span>
                <span data-selectable>
                  <ScopeWords rule={rule} />
                </span>
                <span className={quiet.note}>
                  {[rule.project_id === null && t("rules.everywhere"), formatMoment(Date.parse(rule.created_at))]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </div>
              <Button
                variant="quiet"
                aria-label={t("rules.revokeOne", { tool: name(rule.tool) })}
                onClick={() => (rule.verdict === "deny" ? setAsking(rule) : revoke(rule))}
              >
                {t("rules.revoke")}
              </Button>
            </li>
          );
        })}
      </ul>
      {failure !== null && <ErrorNotice failure={failure} />}
      <Dialog
        open={asking !== null}
        onClose={() => setAsking(null)}
        title={t("rules.confirm", { tool: asking ? name(asking.tool) : "" })}
        description={t("rules.confirmText")}
        footer={
          <>
            <Button onClick={() => setAsking(null)}>{t("cancel", { ns: "common" })}</Button>
            <Button variant="danger" onClick={() => asking && revoke(asking)}>
              {t("rules.revoke")}
            </Button>
          </>
        }
      />
    </section>
  );
}

/** Which calls a rule is about. */
function ScopeWords({ rule: { scope } }: { rule: ToolRule }) {
  const { t } = useTranslation("toolSettings");
  switch (scope.kind) {
    case "tool":
      return t("rules.scope.tool");
    case "paths":
      return (
        <>
          {t("rules.scope.paths")} <code className={css.code}><Revealed text={scope.pattern} /></code>
        </>
      );
    case "command":
      return (
        <>
          {t("rules.scope.command")} <code className={css.code}><Revealed text={scope.line} /></code>
        </>
      );
    case "exactly":
      return t("rules.scope.exactly");
  }
}
