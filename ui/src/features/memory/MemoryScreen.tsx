// The Memory screen: the layers of a place, one of its files, and what all of them say together.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, Bot, RefreshCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { goToMemory, leaveMemory, openOverlay, useAction, useMedia, type MemoryPlace } from "@/app/actions";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { InboxBadge } from "@/features/tools";
import { call, type MemoryView, type ProjectId } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { formatCost, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, EmptyState, frame, IconButton, Notice, quiet, Spinner } from "@/shared/kit";
import { clearLines, refreshMemory } from "./acts";
import { MemoryChanges } from "./Changes";
import { editKey, ownerOf, setEdit } from "./edits";
import { Effective } from "./Effective";
import { FilePane } from "./FilePane";
import { Layers } from "./Layers";
import css from "./memory.module.css";
import { ShareDialog } from "./ShareDialog";

/** Room for all three panes; else the merged result is a tab of the file. */
const WIDE = "(min-width: 1200px)";

export function MemoryScreen({ place }: { place: MemoryPlace }) {
  const { t } = useTranslation("memory");
  const { projectId, conversationId, at } = place;
  useAction("memoryRefresh", () => void refreshMemory(place));
  useAction("memoryClear", () => void clearLines(place));
  const [sharing, setSharing] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // A line that is shown has the focus already.
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, []);
  const view = useQuery(queries.memory({ project_id: projectId, conversation_id: conversationId, dir: null }));
  const project = useQuery(queries.projects()).data?.find(({ id }) => id === projectId);
  const tokens = view.data?.tokens.reduce((sum, of) => sum + of.tokens, 0) ?? 0;
  const cost = view.data?.files.reduce((sum, file) => sum + (file.on && !file.same_as ? (file.cost_a_day ?? 0) : 0), 0) ?? 0;
  return (
    <main ref={main} className={`${frame.main} ${css.main}`} data-region tabIndex={-1} aria-label={t("title")}>
      <header className={`${frame.header} ${css.header}`}>
        <IconButton label={t("back")} icon={<ArrowLeft aria-hidden />} onClick={leaveMemory} />
        <h1 className={css.title}>{t("title")}</h1>
        <span className={quiet.note}>{project?.name ?? t("global")}</span>
        <span className={css.space} />
        <InboxBadge projectId={projectId} />
        <span className={quiet.note} data-numeric>
          {t("tokens", { n: formatTokens(tokens) })}
          {cost > 0 && ` · ${t("costDay", { cost: formatCost(cost) })}`}
        </span>
        {projectId !== null && (
          <IconButton label={t("share.title")} icon={<Bot aria-hidden />} onClick={() => setSharing(true)} />
        )}
        <IconButton label={t("refresh")} icon={<RefreshCw aria-hidden />} onClick={() => void refreshMemory(place)} />
      </header>
      {sharing && projectId !== null && <ShareDialog projectId={projectId} onClose={() => setSharing(false)} />}
      {view.isError && <ErrorNotice failure={view.error} />}
      {view.isPending && <Spinner />}
      {view.data && <Panes place={place} view={view.data} at={at} />}
    </main>
  );
}

interface PanesProps {
  place: MemoryPlace;
  view: MemoryView;
  at: MemoryPlace["at"];
}

function Panes({ place, view, at }: PanesProps) {
  const { t } = useTranslation("memory");
  const wide = useMedia(WIDE);
  const { projectId } = place;
  const own = view.files.filter(({ layer }) => layer === "project" || layer === "directory");
  const first = own.find(({ same_as }) => same_as === null) ?? view.files.find(({ missing }) => !missing);
  const path = at?.path ?? first?.path ?? null;
  const open = (path: string, line = 1) => goToMemory(place, path, line);
  const effective = <Effective place={place} view={view} onSource={open} />;
  const isEmpty = projectId !== null && own.length === 0 && at === null;
  return (
    <>
      {view.trust === "untrusted" && (
        <Notice
          tone="warn"
          actions={<Button onClick={() => openOverlay({ kind: "settings", tab: "projects" })}>{t("answer")}</Button>}
        >
          {t("untrusted")}
        </Notice>
      )}
      {view.watching?.how === "polled" && <Notice>{t("polled", { why: view.watching.why })}</Notice>}
      {view.watching?.how === "partly" && (
        <Notice>{t("partly", { folders: view.watching.folders, of: view.watching.of })}</Notice>
      )}
      {projectId !== null && <MemoryChanges projectId={projectId} />}
      <div className={css.panes} data-wide={wide || undefined}>
        <Layers place={place} view={view} open={path} onOpen={open} />
        {isEmpty ? (
          <FirstFile id={projectId} onOpen={open} />
        ) : path === null ? (
          <EmptyState title={t("edit.none")} />
        ) : (
          <FilePane
            key={path}
            projectId={ownerOf(projectId, path)}
            path={path}
            file={view.files.find((file) => file.path === path)}
            at={at}
            onLine={(line) => open(path, line)}
            effective={wide ? null : effective}
          />
        )}
        {wide && effective}
      </div>
    </>
  );
}

/** What a first memory file could begin with; made by one press, or changed first. */
function FirstFile({ id, onOpen }: { id: ProjectId; onOpen: (path: string) => void }) {
  const { t } = useTranslation("memory");
  const client = useQueryClient();
  const draft = useQuery(queries.memoryDraft(id));
  const [busy, setBusy] = useState(false);
  if (draft.isError) return <ErrorNotice failure={draft.error} />;
  if (!draft.data) return <Spinner />;
  const { path, text } = draft.data;
  const create = async () => {
    setBusy(true);
    try {
      const saved = await call("memory_save", { project_id: id, path, text, base: null });
      const document = saved.state === "saved" ? saved.document : saved.now;
      showAnswer(client, queries.memoryFile(id, path), document);
      onOpen(path);
    } catch (thrown) {
      tellFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  const change = () => {
    setEdit(editKey(id, path), { base: { text: "", hash: null }, text });
    onOpen(path);
  };
  return (
    <section className={css.first} aria-labelledby="memory-first">
      <h2 id="memory-first">{t("empty.title")}</h2>
      <p>{t("empty.text")}</p>
      <pre className={css.draft} tabIndex={0} aria-label={t("empty.label", { path })} data-selectable>
        {text}
      </pre>
      <div className={css.row}>
        <Button variant="primary" disabled={busy} onClick={() => void create()}>
          {t("empty.create", { path })}
        </Button>
        <Button onClick={change}>{t("empty.edit")}</Button>
      </div>
    </section>
  );
}
