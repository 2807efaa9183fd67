// What models may call and do: tools, commands, remembered answers, how far a turn may go, and the servers that bring
// more. All of it is of one place, which is chosen once.
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { openOverlay, usePlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { SkillsEntry } from "@/features/skills";
import { CommandsSwitch, PlaceSelect, Rules, ServersPage, ToolList } from "@/features/tools";
import type { ProjectId, ToolSettings } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, quiet, Spinner, Switch } from "@/shared/kit";
import { PatternsField } from "./PatternsField";
import { RestingField } from "./RestingField";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

/** The numbers with their ends, which the host holds them to; an empty field, where it may be, is no limit. */
const ENDS = {
  max_rounds: { least: 1, most: 1_000, unit: 1, empty: false },
  max_tokens: { least: 1, most: 1_000_000_000, unit: 1, empty: true },
  max_seconds: { least: 1, most: 1_440, unit: 60, empty: true },
  command_seconds: { least: 1, most: 3_600, unit: 1, empty: false },
} as const;

type Parts = Record<"tools" | "servers", ReactNode>;

export function ToolParts({ children }: { children: (parts: Parts) => ReactNode }) {
  const [projectId, setProjectId] = useState(usePlace.getState().projectId);
  const place = <PlaceSelect value={projectId} onChange={setProjectId} />;
  return children({
    tools: <ToolsPage projectId={projectId} place={place} />,
    servers: <ServersPage key={projectId} projectId={projectId} />,
  });
}

function ToolsPage({ projectId, place }: { projectId: ProjectId | null; place: ReactNode }) {
  const { t } = useTranslation("toolSettings");
  const { settings, change, store } = useSettings();
  const projects = useQuery(queries.projects());
  const panel = useQuery(queries.toolPanel(projectId));
  if (!settings) return null;
  const { tools } = settings;
  const set = (part: Partial<ToolSettings>) => change({ tools: { ...tools, ...part } });
  const limit = (key: keyof typeof ENDS) => {
    const { least, most, unit, empty } = ENDS[key];
    const check = (text: string) => {
      const none = empty && text.trim() === "";
      const fits = /^\s*\d+\s*$/.test(text) && Number(text) >= least && Number(text) <= most;
      const ends = { least: formatNumber(least), most: formatNumber(most) };
      return none || fits ? null : t(empty ? "limits.wrongOrEmpty" : "limits.wrong", ends);
    };
    return (
      <RestingField
        className={css.amount}
        label={t(`limits.${key}`)}
        description={t(`limits.${key}_hint`)}
        placeholder={empty ? t("limits.unlimited") : undefined}
        inputMode="numeric"
        // Rounded up: a limit of seconds that a person never typed is not shown as none.
        stored={empty && tools[key] === 0 ? "" : String(Math.ceil(tools[key] / unit))}
        check={check}
        onStore={(text) => store({ tools: { ...tools, [key]: Number(text.trim() || "0") * unit } })}
      />
    );
  };
  const project = projects.data?.find(({ id }) => id === projectId);
  return (
    <div className={css.page}>
      <Switch
        label={t("on")}
        description={t(tools.on ? "onHint" : "offHint")}
        checked={tools.on}
        onChange={(on) => set({ on })}
      />
      <section className={css.group} aria-labelledby="tools-list">
        <h4 id="tools-list" className={css.heading}>
          {t("list.title")}
        </h4>
        <p className={quiet.note}>{t("list.hint")}</p>
        {place}
        {project?.trust === "untrusted" && (
          <p className={css.lacking}>
            {t("list.untrusted")}{" "}
            <Button variant="quiet" onClick={() => openOverlay({ kind: "settings", tab: "projects" })}>
              {t("list.toProjects")}
            </Button>
          </p>
        )}
        {panel.isError && <ErrorNotice failure={panel.error} />}
        {panel.isPending && <Spinner />}
        {panel.data && (
          <ToolList
            tools={panel.data.tools.map((tool) => ({ ...tool, on: !tools.off.includes(tool.name) }))}
            offered={tools.on}
            onSwitch={(name, on) =>
              set({ off: on ? tools.off.filter((other) => other !== name) : [...tools.off, name] })
            }
          />
        )}
      </section>
      <SkillsEntry projectId={projectId} />
      {project && panel.data && (
        <CommandsSwitch
          key={project.id}
          projectId={project.id}
          trusted={project.trust === "trusted"}
          panel={panel.data}
          network={tools.network.includes(project.id)}
          onNetwork={(network) => {
            const others = tools.network.filter((id) => id !== project.id);
            set({ network: network ? [...others, project.id] : others });
          }}
        />
      )}
      <PatternsField
        label={t("commands.reads")}
        placeholder="~/.config/tool"
        stored={tools.reads}
        onStore={(reads) => store({ tools: { ...tools, reads } })}
      />
      <PatternsField
        label={t("commands.keep")}
        description={t("commands.keepHint")}
        placeholder={"read_file docs/*\nmcp__db__*"}
        stored={tools.keep}
        onStore={(keep) => store({ tools: { ...tools, keep } })}
      />
      {panel.data && <Rules rules={panel.data.rules} />}
      <section className={css.group} aria-labelledby="tools-limits">
        <h4 id="tools-limits" className={css.heading}>
          {t("limits.title")}
        </h4>
        <p className={quiet.note}>{t("limits.hint")}</p>
        {limit("max_rounds")}
        {limit("max_tokens")}
        {limit("max_seconds")}
        {limit("command_seconds")}
      </section>
    </div>
  );
}
