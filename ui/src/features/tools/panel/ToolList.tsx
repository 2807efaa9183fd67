// Every tool that could be offered at a place, by what it does, each with a switch; and whether commands may run there.
import { ErrorNotice } from "@/features/errors";
import { call, type ProjectId, type ToolItem, type ToolPanel } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Notice, quiet, Switch } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { EFFECT_ICONS, EFFECTS, useToolNames } from "./effects";
import css from "./panel.module.css";

interface ToolListProps {
  tools: readonly ToolItem[];
  /** Tools are offered at all. */
  offered: boolean;
  onSwitch: (name: string, on: boolean) => void;
}

export function ToolList({ tools, offered, onSwitch }: ToolListProps) {
  const { t } = useTranslation("toolSettings");
  const { name, does } = useToolNames();
  return EFFECTS.map((effect) => {
    const here = tools.filter((tool) => tool.effect === effect);
    if (here.length === 0) return null;
    const Icon = EFFECT_ICONS[effect];
    return (
      <section key={effect} className={css.effect} aria-labelledby={`tools-${effect}`}>
        <h5 id={`tools-${effect}`} className={css.effectName}>
          <Icon aria-hidden />
          {t(`effect.${effect}`)}
        </h5>
        <p className={quiet.note}>{t(`effectHint.${effect}`)}</p>
        <ul className={css.tools}>
          {here.map((tool) => (
            <li key={tool.name}>
              <Switch
                label={name(tool.name)}
                description={
                  <>
                    <Revealed text={does(tool)} />
                    {!tool.available && <span className={css.lacking}> {t("notHere")}</span>}
                  </>
                }
                // What cannot be offered here is not shown as if it were.
                checked={tool.on && tool.available && offered}
                disabled={!offered || !tool.available}
                onChange={(on) => onSwitch(tool.name, on)}
              />
            </li>
          ))}
        </ul>
      </section>
    );
  });
}

interface CommandsProps {
  projectId: ProjectId;
  trusted: boolean;
  panel: ToolPanel;
  /** They may use the network. */
  network: boolean;
  onNetwork: (network: boolean) => void;
}

/** Whether a model may run commands in a project, with what keeps them inside it. */
export function CommandsSwitch({ projectId, trusted, panel, network, onNetwork }: CommandsProps) {
  const { t } = useTranslation("toolSettings");
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>(null);
  const { commands_allowed, sandbox } = panel;
  const change = (allowed: boolean) => {
    setFailure(null);
    call("tool_commands", { project_id: projectId, allowed }).then(
      (next) => showAnswer(client, queries.toolPanel(projectId), next),
      setFailure,
    );
  };
  return (
    <section className={css.group} aria-labelledby="tools-commands">
      <h4 id="tools-commands" className={css.heading}>
        {t("commands.title")}
      </h4>
      <Switch
        label={t("commands.allow")}
        description={t(trusted ? "commands.hint" : "commands.untrusted")}
        checked={commands_allowed}
        disabled={!trusted && !commands_allowed}
        onChange={change}
      />
      <Switch label={t("commands.network")} checked={network} disabled={!commands_allowed} onChange={onNetwork} />
      <Notice tone={sandbox === "whole" ? "info" : "warn"}>{t(`commands.sandbox.${sandbox}`)}</Notice>
      {failure !== null && <ErrorNotice failure={failure} />}
    </section>
  );
}
