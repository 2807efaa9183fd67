// The rail: which project, a new conversation, the search, and the conversations themselves.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Archive, ChevronsUpDown, FolderOpen, House, Layers, Plus, Search, Settings2, Trash2, Upload } from "lucide-react";
import { openOverlay, runAction, showProject, useChords, usePlace } from "@/app/actions";
import { CheckpointsEntry } from "@/features/checkpoints";
import { CopiesEntry } from "@/features/copies";
import { openProject, startConversation } from "@/features/conversations";
import { tellFailure } from "@/features/errors";
import { SideWidth } from "@/features/sides";
import { TodayEntry } from "@/features/today";
import { copiesOf, copyName, originalOf } from "@/ipc/copies";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, IconButton, Kbd, Menu, type MenuAction } from "@/shared/kit";
import { Conversations } from "./Conversations";
import css from "./rail.module.css";

/** Projects that are listed, beside their copies. */
const PROJECTS = 12;

export function Rail() {
  const { t } = useTranslation("rail");
  const client = useQueryClient();
  const projectId = usePlace((place) => place.projectId);
  const memory = usePlace((place) => place.memory !== null);
  const vault = usePlace((place) => place.vault !== null);
  const chord = useChords();
  return (
    <nav className={css.rail} aria-label={t("label")} data-region tabIndex={-1}>
      <ProjectSwitcher />
      <div className={css.top}>
        <Button
          className={css.new}
          icon={<Plus aria-hidden />}
          onClick={() => void startConversation(client, projectId)}
        >
          {t("new")}
          <Kbd keys={chord("new")} />
        </Button>
        <button type="button" className={css.search} onClick={() => openOverlay({ kind: "search" })}>
          <Search aria-hidden />
          <span>{t("search")}</span>
          <Kbd keys={chord("search")} />
        </button>
      </div>
      <Conversations projectId={projectId} />
      <div className={css.places}>
        <button
          type="button"
          className={css.placeEntry}
          aria-current={memory ? "page" : undefined}
          onClick={() => runAction("memory")}
        >
          <Layers aria-hidden />
          <span>{t("memory")}</span>
          <Kbd keys={chord("memory")} />
        </button>
        <CheckpointsEntry />
        <button
          type="button"
          className={css.placeEntry}
          aria-current={vault ? "page" : undefined}
          onClick={() => runAction("vault")}
        >
          <Archive aria-hidden />
          <span>{t("agents")}</span>
          <Kbd keys={chord("vault")} />
        </button>
      </div>
      <footer className={css.foot}>
        <IconButton
          label={t("settings")}
          shortcut={chord("settings")}
          icon={<Settings2 aria-hidden />}
          onClick={() => runAction("settings")}
        />
        <IconButton
          label={t("trash.title")}
          shortcut={chord("trash")}
          icon={<Trash2 aria-hidden />}
          onClick={() => openOverlay({ kind: "trash" })}
        />
        <IconButton
          label={t("import")}
          shortcut={chord("import")}
          icon={<Upload aria-hidden />}
          onClick={() => runAction("import")}
        />
        <span className={css.space} />
        <IconButton
          label={t("start")}
          shortcut={chord("start")}
          icon={<House aria-hidden />}
          onClick={() => runAction("start")}
        />
      </footer>
      <SideWidth side="rail" />
    </nav>
  );
}

function ProjectSwitcher() {
  const { t } = useTranslation("rail");
  const client = useQueryClient();
  const projectId = usePlace((place) => place.projectId);
  const { data: projects = [] } = useQuery(queries.projects());
  const current = projects.find(({ id }) => id === projectId);
  // Copies stand below what they are of.
  const listed = projects
    .filter(({ id }) => originalOf(projects, id)?.id === id)
    .slice(0, PROJECTS)
    .flatMap((project) => [
      { project, label: project.name },
      ...copiesOf(projects, project.id).map((copy) => ({
        project: copy,
        label: t("copyIn", { name: copyName(copy, project), project: project.name }),
      })),
    ]);
  const items: (MenuAction | "separator")[] = [
    {
      id: "all",
      label: t("all"),
      checked: current === undefined,
      onSelect: () => showProject(null),
    },
    ...listed.map(({ project, label }) => ({
      id: project.id,
      label,
      checked: project.id === projectId,
      onSelect: () => void openProject(client, project.id).catch(tellFailure),
    })),
    "separator",
    {
      id: "open",
      label: t("openFolder"),
      icon: <FolderOpen aria-hidden />,
      onSelect: () => void runAction("openFolder"),
    },
  ];
  return (
    <>
      <div className={css.switcher}>
        <Menu
          trigger={
            <Button variant="quiet" className={css.switch} title={current?.path}>
              <span className="visually-hidden">{t("project")}</span>
              <span className={css.switchName}>{current?.name ?? t("all")}</span>
              <ChevronsUpDown aria-hidden />
            </Button>
          }
          items={items}
        />
      </div>
      {current && (
        <div className={css.below}>
          <TodayEntry projectId={current.id} />
          <CopiesEntry project={current} />
          {current.trust === "untrusted" && (
            <button
              type="button"
              className={css.untrusted}
              onClick={() => openOverlay({ kind: "settings", tab: "projects" })}
            >
              {t("untrusted")}
            </button>
          )}
        </div>
      )}
    </>
  );
}
