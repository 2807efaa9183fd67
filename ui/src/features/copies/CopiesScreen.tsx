// The copies of a project beside each other, a column each: who works there and how far that is, what was said last, which
// files changed, and the ways to look at it and to take it over.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, CircleAlert, CircleHelp, CircleStop, Ellipsis, GitBranch, Folder, PanelLeft, Plus, Trash2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { goToConversation, leaveCopies, openOverlay, toggleSide, useChords, useSides, type CopiesPlace } from "@/app/actions";
import { startConversation } from "@/features/conversations";
import { ErrorNotice, tellFailure, useFailureWords } from "@/features/errors";
import { useIsAgent, useModelNames } from "@/features/models";
import { call, type Project } from "@/ipc";
import { copiesOf, copyName } from "@/ipc/copies";
import { queries } from "@/ipc/queries";
import { Counts } from "@/shared/diff";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, EmptyState, frame, IconButton, Menu, quiet, Spinner } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { Revealed } from "@/shared/Revealed";
import css from "./copies.module.css";
import { useCopyWork, type CopyWork } from "./useCopyWork";

/** Files that are named. */
const FILES = 8;

/** Letters of the end of a reply that are shown: more than fit. */
const END = 800;

export function CopiesScreen({ place: { projectId } }: { place: CopiesPlace }) {
  const { t } = useTranslation(["copies", "talk"]);
  const main = useRef<HTMLElement>(null);
  const sides = useSides();
  const chord = useChords();
  const { data: projects } = useQuery(queries.projects());
  const project = projects?.find(({ id }) => id === projectId);
  const copies = copiesOf(projects ?? [], projectId);
  const gone = projects !== undefined && project === undefined;
  useEffect(() => {
    if (gone) leaveCopies();
  }, [gone]);
  useEffect(() => main.current?.focus({ preventScroll: true }), []);
  const start = project?.trust === "trusted" ? () => openOverlay({ kind: "startCopies", projectId }) : null;
  return (
    <main ref={main} className={frame.main} data-region tabIndex={-1} aria-label={t("title")}>
      <header className={frame.header}>
        <IconButton
          label={sides.rail ? t("hideRail", { ns: "talk" }) : t("showRail", { ns: "talk" })}
          shortcut={chord("rail")}
          aria-expanded={sides.rail}
          icon={<PanelLeft aria-hidden />}
          onClick={() => toggleSide("rail")}
        />
        <h1>{t("title")}</h1>
        <span className={css.project} title={project?.path}>
          {project && <Revealed text={project.name} name />}
        </span>
        {start && (
          <Button icon={<Plus aria-hidden />} onClick={start}>
            {t("new")}
          </Button>
        )}
      </header>
      <div className={css.page}>
        {project && copies.length === 0 && (
          <EmptyState
            title={t("empty.title")}
            action={
              start && (
                <Button variant="primary" onClick={start}>
                  {t("begin")}
                </Button>
              )
            }
          >
            {t("empty.text", { project: project.name })}
          </EmptyState>
        )}
        {project && copies.length > 0 && (
          <div className={css.board}>
            {copies.map((copy) => (
              <Column key={copy.id} copy={copy} original={project} />
            ))}
          </div>
        )}
      </div>
    </main>
  );
}

function Column({ copy, original }: { copy: Project; original: Project }) {
  const { t } = useTranslation("copies");
  const client = useQueryClient();
  const { alone } = useModelNames();
  const work = useCopyWork(copy.id);
  const { talk, detail, said } = work;
  const name = copyName(copy, original);
  const branch = copy.copy?.branch ?? null;
  const open = () => (talk ? goToConversation(talk) : void startConversation(client, copy.id));
  return (
    <section className={css.column} aria-labelledby={`copy-${copy.id}`}>
      <header className={css.head}>
        <h2 id={`copy-${copy.id}`} title={copy.path}>
          <Revealed text={name} name />
        </h2>
        <Menu
          align="end"
          trigger={<IconButton label={t("more", { name })} icon={<Ellipsis aria-hidden />} />}
          items={[
            {
              id: "remove",
              label: t("remove.open"),
              icon: <Trash2 aria-hidden />,
              danger: true,
              onSelect: () => openOverlay({ kind: "removeCopy", copyId: copy.id }),
            },
          ]}
        />
        <p className={css.where}>
          {detail && <span>{alone(detail.model, detail.provider)}</span>}
          <span className={css.branch} title={branch ?? copy.path}>
            {branch === null ? <Folder aria-hidden /> : <GitBranch aria-hidden />}
            <span>{branch ?? t("plain")}</span>
          </span>
        </p>
      </header>
      <State work={work} onOpen={open} />
      <div className={css.said} lang={proseLanguage(said)} data-selectable>
        <p>{said.length > END ? `…${said.slice(-END)}` : said}</p>
      </div>
      <Files copy={copy} />
      <div className={css.acts}>
        <Button onClick={open}>{t("open")}</Button>
        <Button onClick={() => openOverlay({ kind: "changes", of: { of: "copy", id: copy.id }, projectId: copy.id, all: false })}>
          {t("review")}
        </Button>
        <Button onClick={() => openOverlay({ kind: "mergeCopy", copyId: copy.id })}>{t("merge.open", { project: original.name })}</Button>
      </div>
    </section>
  );
}

const ICONS = { nothing: null, done: Check, stopped: CircleStop, failed: CircleAlert } as const;

function State({ work: { talk, detail, state, reply }, onOpen }: { work: CopyWork; onOpen: () => void }) {
  const { t } = useTranslation("copies");
  const words = useFailureWords();
  const isAgent = useIsAgent();
  if (state === undefined) return <p className={css.state} aria-busy />;
  if (state === "waits") {
    return (
      <p className={css.state} data-state={state}>
        <Button icon={<CircleHelp aria-hidden />} onClick={onOpen}>
          {t("state.waits")}
        </Button>
      </p>
    );
  }
  if (state === "working") {
    return (
      <p className={css.state} data-state={state}>
        <Spinner label={t("state.working")} />
        <span>{t("state.working")}</span>
        <Button variant="quiet" onClick={() => void call("stop", { id: talk!.id }).catch(tellFailure)}>
          {t("stop")}
        </Button>
      </p>
    );
  }
  const Icon = ICONS[state];
  const reason = state === "failed" && reply?.fault ? words(reply.fault.code, isAgent(detail?.provider ?? "")).title : "";
  return (
    <p className={css.state} data-state={state}>
      {Icon && <Icon aria-hidden />}
      <span>
        {t(`state.${state}`)}
        {reason !== "" && <span className={quiet.note}> {reason}</span>}
      </span>
    </p>
  );
}

/** What is different in it from what it began with. */
function Files({ copy }: { copy: Project }) {
  const { t } = useTranslation("copies");
  const { data, error } = useQuery(queries.changes({ of: "copy", id: copy.id }));
  if (error) {
    return (
      <div className={css.files}>
        <ErrorNotice failure={error} past />
      </div>
    );
  }
  const files = data?.files ?? [];
  return (
    <div className={css.files} aria-busy={data === undefined}>
      {data?.known === "whole" && (
        <p className={css.total}>
          {files.length === 0 ? (
            <span className={quiet.note}>{t("files.none")}</span>
          ) : (
            <>
              <span>{t("files.count", { count: files.length, n: formatNumber(files.length) })}</span>
              <Counts added={data.added} removed={data.removed} />
            </>
          )}
        </p>
      )}
      {data?.known === "gone" && <p className={quiet.note}>{t("copy.gone", { ns: "changes" })}</p>}
      <ul hidden={files.length === 0}>
        {files.slice(0, FILES).map(({ path, added, removed, kind }) => (
          <li key={path}>
            <span className={css.path} title={path}>
              <Revealed text={path} name />
            </span>
            {added !== null && removed !== null ? (
              <Counts added={added} removed={removed} />
            ) : (
              <span className={quiet.note}>{t(`kind.${kind}`, { ns: "changes" })}</span>
            )}
          </li>
        ))}
        {files.length > FILES && <li className={quiet.note}>{t("files.more", { n: formatNumber(files.length - FILES) })}</li>}
      </ul>
    </div>
  );
}
