// A turn as it was carried out: each call of the model and below it the calls of tools that it asked for, in the order in
// which they began, with times, tokens and costs. A call of the model that follows goes on beside the one before, so that
// a turn of many rounds is no staircase.
import { useQuery } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { useModelNames } from "@/features/models";
import type { ConversationId, RunNode, TurnId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatCost, formatDuration, formatMoment, formatTokens, useTranslation } from "@/shared/i18n";
import { Revealed } from "@/shared/Revealed";
import { EFFECT_ICONS, useToolNames } from "./panel/effects";
import css from "./tools.module.css";

interface RunTableProps {
  conversationId: ConversationId;
  turnId: TurnId;
  /** Whom the turn asked. */
  provider: string;
}

export function RunTable({ conversationId, turnId, provider }: RunTableProps) {
  const { t } = useTranslation("tools");
  const { name } = useToolNames();
  const { alone } = useModelNames();
  const nodes = useQuery(queries.run(conversationId, turnId)).data?.nodes ?? [];
  if (!nodes.some(({ kind }) => kind === "tool")) return null;
  const cost = nodes.reduce((sum, node) => sum + (node.cost ?? 0), 0);
  const tokens = (kind: RunNode["kind"], { input_tokens, output_tokens }: NonNullable<RunNode["usage"]>) =>
    kind === "tool"
      ? formatTokens(output_tokens)
      : t("run.inOut", { input: formatTokens(input_tokens), output: formatTokens(output_tokens) });
  return (
    <details className={css.run}>
      <summary>{t("run.title", { count: nodes.length })}</summary>
      <div className={css.scroll} tabIndex={0} role="region" aria-label={t("run.label")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("run.step")}</th>
              <th scope="col">{t("run.took")}</th>
              <th scope="col" title={t("run.inOutHint")}>
                {t("run.tokens")}
              </th>
              {cost > 0 && <th scope="col">{t("run.cost")}</th>}
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => {
              const Icon = node.kind === "model" ? Sparkles : EFFECT_ICONS[node.effect];
              const { status, started_at, ended_at, usage } = node;
              const said = status === "done" ? null : t(`status.${status}`);
              return (
                <tr key={node.id} data-status={status}>
                  <th scope="row" data-kind={node.kind}>
                    <Icon aria-hidden />
                    <span>{node.kind === "model" ? alone(node.model, provider) : name(node.tool)}</span>
                    {node.kind === "tool" && node.about !== "" && node.about !== node.tool && (
                      <code title={node.about}>
                        <Revealed text={node.about.slice(0, 80)} />
                      </code>
                    )}
                    {said !== null && <em>{said}</em>}
                  </th>
                  <td title={formatMoment(Date.parse(started_at))}>
                    {ended_at === null ? "" : formatDuration(Date.parse(ended_at) - Date.parse(started_at))}
                  </td>
                  <td>{usage === null ? "" : tokens(node.kind, usage)}</td>
                  {cost > 0 && <td>{node.cost ? formatCost(node.cost) : ""}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}
