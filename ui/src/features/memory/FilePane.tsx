// One memory file: its text, how it differs from what is on the disk or was, its versions, and what to do when another
// program wrote it meanwhile. What was typed and not saved is in edits.ts and is never thrown away unasked.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Save } from "lucide-react";
import { Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import { useAction } from "@/app/actions";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type MemoryDocument, type MemoryFileView, type Passage, type ProjectId, type Saved } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { Diff, lineDiff, type Hunk } from "@/shared/diff";
import { formatMoment, useTranslation } from "@/shared/i18n";
import { announce, Button, Notice, quiet, Select, Spinner, Tabs, toast } from "@/shared/kit";
import { later } from "@/shared/later";
import { editKey, setEdit, useEdits, type Edit } from "./edits";
import { FileNotes } from "./Findings";
import { History } from "./History";
import css from "./memory.module.css";
import { merge } from "./merge";
import { nameOf, numbered } from "./words";

const Editor = later(() => import("./Editor"), "Editor");

type Tab = "edit" | "diff" | "history" | "effective";

interface FilePaneProps {
  projectId: ProjectId | null;
  path: string;
  /** What is known of it; nothing of a file that is not there yet. */
  file: MemoryFileView | undefined;
  /** The line to show. */
  at: { line: number; nonce: number } | null;
  onLine: (line: number) => void;
  /** In a narrow window the merged result is a tab here. */
  effective: ReactNode;
}

export function FilePane(props: FilePaneProps) {
  const document = useQuery(queries.memoryFile(props.projectId, props.path));
  if (document.isError) return <div className={css.pane}><ErrorNotice failure={document.error} /></div>;
  if (!document.data) return <div className={css.pane}><Spinner /></div>;
  return <Open {...props} document={document.data} />;
}

function Open({ projectId, path, file, at, onLine, effective, document }: FilePaneProps & { document: MemoryDocument }) {
  const { t } = useTranslation("memory");
  const client = useQueryClient();
  const key = editKey(projectId, path);
  const edit = useEdits((edits) => edits[key]);
  const [tab, setTab] = useState<Tab>("edit");
  /** What the text is compared with: a version, else the file on the disk. */
  const [against, setAgainst] = useState<number | null>(null);
  useEffect(() => {
    if (at) setTab("edit");
  }, [at]);
  const text = edit?.text ?? document.text;
  // The same text on the disk and here is no conflict, whoever wrote it.
  const unsaved = edit !== undefined && (text !== document.text || document.hash === null);
  const conflict = unsaved && edit.base.hash !== document.hash;
  const name = nameOf(path, file?.layer ?? "project");

  const change = (next: string) => {
    const base: Edit["base"] = edit?.base ?? document;
    setEdit(key, { base: { text: base.text, hash: base.hash }, text: next });
  };
  const take = (saved: Saved): boolean => {
    const now = saved.state === "saved" ? saved.document : saved.now;
    showAnswer(client, queries.memoryFile(projectId, path), now);
    return saved.state === "saved";
  };
  const save = async (base: string | null) => {
    try {
      const saved = await call("memory_save", { project_id: projectId, path, text, base });
      if (!take(saved)) return false;
      // Not what was typed while it was written.
      const typed = useEdits.getState()[key];
      const document = saved.state === "saved" ? saved.document : null;
      setEdit(key, typed && document && typed.text !== text ? { base: document, text: typed.text } : undefined);
      announce(t("edit.saved", { path: name }));
      return true;
    } catch (thrown) {
      tellFailure(thrown);
      return false;
    }
  };
  const back = (words: string) => {
    const undo = { label: t("undo"), run: () => setEdit(key, edit) };
    toast({ text: words, action: undo });
  };
  const drop = (words: string) => {
    setEdit(key, undefined);
    back(words);
  };
  const mergeBoth = () => {
    const merged = merge(edit!.base.text, text, document.text);
    setEdit(key, { base: document, text: merged.text });
    setAgainst(null);
    setTab("diff");
    back(merged.clashes === 0 ? t("conflict.merged") : t("conflict.clash", { count: merged.clashes }));
  };
  /** What the text began with: a file that appeared since is not overwritten. */
  const began = edit ? edit.base.hash : document.hash;
  const editable = document.writable && (file?.refused ?? null) === null;
  useAction("save", () => void save(began), unsaved ? null : t("nothingToSave"));

  const goes = projectId === null ? undefined : {
    path,
    has: (_: string, passage: Passage) => !passage.left_out,
    set: (of: string, { hash }: Passage, on: boolean) =>
      void call("memory_allow", { project_id: projectId, path: of, hash, on }).catch(tellFailure),
  };

  return (
    <section className={css.pane} aria-label={name}>
      <header className={css.paneHead}>
        <h2 className={css.paneName} title={path}>
          {name}
        </h2>
        {unsaved && <span className={css.unsaved}>{t("edit.unsaved")}</span>}
        <span className={css.space} />
        {unsaved && !conflict && document.hash !== null && (
          <Button variant="quiet" onClick={() => drop(t("edit.discarded"))}>
            {t("edit.discard")}
          </Button>
        )}
        <Button
          variant={unsaved ? "primary" : "plain"}
          icon={<Save aria-hidden />}
          disabled={!unsaved || !editable}
          onClick={() => void save(began)}
        >
          {t("edit.save")}
        </Button>
      </header>
      {!document.writable && <Notice>{t("edit.readOnly")}</Notice>}
      {document.hash === null && !conflict && <Notice>{t("edit.new")}</Notice>}
      {conflict && (
        <Notice
          tone="warn"
          title={t("conflict.title")}
          actions={
            <>
              <Button onClick={() => drop(t("conflict.reloaded"))}>{t("conflict.reload")}</Button>
              <Button onClick={() => void save(document.hash).then((kept) => kept && toast({ text: t("conflict.kept") }))}>
                {t("conflict.keep")}
              </Button>
              <Button variant="primary" onClick={mergeBoth}>
                {t("conflict.merge")}
              </Button>
            </>
          }
        >
          {t(document.hash === null ? "conflict.gone" : "conflict.text")}
        </Notice>
      )}
      <Tabs<Tab>
        label={t("edit.tabs")}
        value={tab === "effective" && effective === null ? "edit" : tab}
        onChange={setTab}
        tabs={[
          {
            value: "edit",
            label: t("edit.edit"),
            content: (
              <div className={css.editing}>
                <Suspense fallback={<Spinner />}>
                  <Editor
                    label={t("edit.label", { path: name })}
                    text={text}
                    readOnly={!editable}
                    findings={unsaved ? undefined : file?.findings.filter(({ in_file }) => in_file === undefined)}
                    at={at}
                    onChange={change}
                  />
                </Suspense>
                {file && <FileNotes imports={file.imports} findings={file.findings} onLine={onLine} goes={goes} />}
              </div>
            ),
          },
          {
            value: "diff",
            label: t("edit.diff"),
            content: (
              <Difference
                projectId={projectId}
                path={path}
                label={t("diff.label", { path: name })}
                disk={document.text}
                text={text}
                against={against}
                onAgainst={setAgainst}
                onBack={editable ? change : undefined}
              />
            ),
          },
          {
            value: "history",
            label: t("edit.history"),
            content: (
              <History
                projectId={projectId}
                path={path}
                document={document}
                onCompare={(seq) => {
                  setAgainst(seq);
                  setTab("diff");
                }}
                onRestored={take}
              />
            ),
          },
          ...(effective === null ? [] : [{ value: "effective" as const, label: t("edit.effective"), content: effective }]),
        ]}
      />
    </section>
  );
}

interface DifferenceProps {
  projectId: ProjectId | null;
  path: string;
  label: string;
  disk: string;
  text: string;
  against: number | null;
  onAgainst: (seq: number | null) => void;
  /** Takes the text with a stretch of the other one back in it, where it may be written. */
  onBack: ((text: string) => void) | undefined;
}

/** How the text differs from the file on the disk, or from a version; a stretch of that comes back by one press. */
function Difference({ projectId, path, label, disk, text, against, onAgainst, onBack }: DifferenceProps) {
  const { t } = useTranslation("memory");
  const versions = numbered(useQuery(queries.memoryVersions(projectId, path)).data ?? []);
  const version = useQuery({ ...queries.memoryVersion(against ?? 0), enabled: against !== null });
  const original = against === null ? disk : version.data?.text.replaceAll("\r\n", "\n");
  const difference = useMemo(() => (original === undefined ? null : lineDiff(original, text)), [original, text]);
  const back = (at: number) => (
    <div className={css.back}>
      <Button variant="quiet" onClick={() => onBack?.(withBack(text, difference!.hunks[at]!))}>
        {t("diff.revert")}
      </Button>
    </div>
  );
  return (
    <div className={css.comparing}>
      <div className={css.against}>
        <Select
          label={t("diff.against")}
          quiet
          value={String(against ?? "")}
          onChange={(value) => onAgainst(value === "" ? null : Number(value))}
          options={[
            { value: "", label: t("diff.disk") },
            ...versions.map(({ seq, n, at }) => ({ value: String(seq), label: t("diff.version", { n, at: formatMoment(Date.parse(at)) }) })),
          ]}
        />
      </div>
      {version.isError && against !== null ? (
        <ErrorNotice failure={version.error} />
      ) : difference === null ? (
        <Spinner />
      ) : difference.hunks.length === 0 && original !== text ? (
        <p className={quiet.note}>{t("diff.ending")}</p>
      ) : (
        <Diff label={label} difference={difference} hunk={onBack && ((at) => ({ head: back(at), going: false }))} />
      )}
    </div>
  );
}

/** The text with what the other one says in the place of a hunk. */
function withBack(text: string, { lines }: Hunk): string {
  const all = text.split("\n");
  const said = lines.flatMap(({ after }) => after ?? []);
  const from = said.length > 0 ? said[0]! - 1 : 0;
  all.splice(from, said.length, ...lines.filter(({ kind }) => kind !== "added").map((line) => line.text));
  return all.join("\n");
}
