// The layers of a place, the strongest on top: their files and lines, what each costs, and what is wrong with it.
import { FilePlus2, Settings2, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { openOverlay, type MemoryPlace } from "@/app/actions";
import { tellFailure } from "@/features/errors";
import { call, type Injection, type MemoryFileView, type MemoryLayer, type MemoryView } from "@/ipc";
import { formatCost, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, Dialog, IconButton, Menu, quiet, TextField, Tooltip } from "@/shared/kit";
import { editKey, useEdits } from "./edits";
import { AddLine, LineEntry } from "./Lines";
import css from "./memory.module.css";
import { Resources } from "./Resources";
import { nameOf, useRefusalWords } from "./words";

const LAYERS: readonly MemoryLayer[] = ["runtime", "session", "directory", "project", "global"];
const WAYS: readonly Injection[] = ["static", "dynamic", "lazy"];

interface LayersProps {
  place: MemoryPlace;
  view: MemoryView;
  /** The path of the file that is open. */
  open: string | null;
  onOpen: (path: string) => void;
}

export function Layers({ place, view, open, onOpen }: LayersProps) {
  const { t } = useTranslation("memory");
  const { projectId, conversationId } = place;
  const shown = LAYERS.filter(
    (layer) => (layer !== "session" || conversationId !== null) && (projectId !== null || !/^(directory|project)$/.test(layer)),
  );
  return (
    <section className={css.layers} aria-label={t("layers.label")}>
      <p className={css.hint}>{t("layers.hint")}</p>
      {shown.map((layer) => {
        const files = view.files.filter((file) => file.layer === layer);
        const lines = view.lines.filter((line) => (line.conversation_id === null ? "runtime" : "session") === layer);
        const tokens = view.tokens.find((of) => of.layer === layer)?.tokens ?? 0;
        // The nearer directory speaks over the farther one.
        if (layer === "directory") files.reverse();
        if (layer === "directory" && files.length === 0) return null;
        return (
          <section key={layer} aria-labelledby={`memory-${layer}`} className={css.layer}>
            <h2 id={`memory-${layer}`} className={css.layerName}>
              {t(`layers.${layer}`)}
              {tokens > 0 && (
                <span className={quiet.note} data-numeric title={t("tokens", { n: formatTokens(tokens) })}>
                  {formatTokens(tokens)}
                </span>
              )}
            </h2>
            <ul>
              {files.map((file) => (
                <FileEntry key={file.path} place={place} file={file} open={file.path === open} onOpen={onOpen} />
              ))}
              {lines.map((line) => (
                <LineEntry key={line.id} line={line} visit={place.line?.id === line.id ? place.line.nonce : 0} />
              ))}
            </ul>
            {layer === "project" && files.length === 0 && <p className={css.none}>{t("layers.empty")}</p>}
            {layer === "runtime" && <AddLine projectId={projectId} conversationId={null} />}
            {layer === "session" && <AddLine projectId={projectId} conversationId={conversationId} />}
            {layer === "session" && conversationId !== null && <Resources conversationId={conversationId} />}
          </section>
        );
      })}
      <footer className={css.layersFoot}>
        {projectId !== null && <AddFile onOpen={onOpen} />}
        {projectId !== null && (
          <Button
            variant="quiet"
            icon={<Settings2 aria-hidden />}
            onClick={() => openOverlay({ kind: "settings", tab: "privacy" })}
          >
            {t("excluded", { n: formatNumber(view.excluded) })}
          </Button>
        )}
      </footer>
    </section>
  );
}

interface FileEntryProps {
  place: MemoryPlace;
  file: MemoryFileView;
  open: boolean;
  onOpen: (path: string) => void;
}

function FileEntry({ place: { projectId }, file, open, onOpen }: FileEntryProps) {
  const { t } = useTranslation("memory");
  const refused = useRefusalWords();
  const { path, layer, on, tokens, same_as, imports, findings, missing } = file;
  const unsaved = useEdits((edits) => edits[editKey(projectId, path)] !== undefined);
  const name = nameOf(path, layer);
  const choose = (part: { on?: boolean; injection?: Injection | null }) => {
    if (projectId === null) return;
    const choice = { on, injection: file.choice_injection, ...part };
    call("memory_choose", { project_id: projectId, path, choice }).catch(tellFailure);
  };
  const marks = [
    unsaved && t("file.unsaved"),
    missing && t("file.missing"),
    file.refused && refused(file.refused),
    same_as && t(same_as.how === "file" ? "file.sameFile" : "file.sameText", { path: same_as.path }),
    file.changed && t("file.changed"),
    !missing && file.injection !== "static" && t(`file.${file.injection}`),
    imports.length > 0 && t("file.imports", { count: imports.length }),
    file.cost_a_day !== null && file.cost_a_day > 0 && on && !same_as && t("costDay", { cost: formatCost(file.cost_a_day) }),
  ].filter((mark) => typeof mark === "string");
  return (
    <li className={css.file} data-current={open || undefined} data-off={!on || same_as !== null || undefined}>
      {projectId !== null && (
        <input
          type="checkbox"
          className={css.check}
          checked={on}
          disabled={missing || same_as !== null}
          aria-label={t("file.on", { path })}
          onChange={(event) => choose({ on: event.target.checked })}
        />
      )}
      <button type="button" className={css.open} aria-current={open || undefined} title={path} onClick={() => onOpen(path)}>
        <span className={css.fileName}>{name}</span>
        {!missing && (
          <span className={css.tokens} data-numeric>
            {formatTokens(tokens)}
          </span>
        )}
        {marks.length > 0 && <span className={css.marks}>{marks.join(" · ")}</span>}
        {findings.length > 0 && (
          <span className={css.warned}>
            <TriangleAlert aria-hidden />
            {t("file.findings", { count: findings.length })}
          </span>
        )}
      </button>
      {projectId !== null && !missing && (
        <Menu
          align="end"
          trigger={<IconButton className={css.more} label={t("file.more", { path })} icon={<span aria-hidden>⋯</span>} />}
          items={[
            { id: "file", label: t("file.asFile"), checked: file.choice_injection === null, onSelect: () => choose({ injection: null }) },
            ...WAYS.map((way) => ({
              id: way,
              label: t(`file.${way}`),
              checked: file.choice_injection === way,
              onSelect: () => choose({ injection: way }),
            })),
          ]}
        />
      )}
    </li>
  );
}

/** A file that is not there yet: it opens empty, and is made by saving it. */
function AddFile({ onOpen }: { onOpen: (path: string) => void }) {
  const { t } = useTranslation("memory");
  const [path, setPath] = useState<string | null>(null);
  const add = () => {
    if (!path?.trim()) return;
    onOpen(path.trim());
    setPath(null);
  };
  return (
    <>
      <Tooltip text={t("file.addTitle")}>
        <Button variant="quiet" icon={<FilePlus2 aria-hidden />} onClick={() => setPath("AGENTS.md")}>
          {t("file.add")}
        </Button>
      </Tooltip>
      <Dialog
        open={path !== null}
        onClose={() => setPath(null)}
        title={t("file.addTitle")}
        footer={
          <Button variant="primary" disabled={!path?.trim()} onClick={add}>
            {t("file.addAct")}
          </Button>
        }
      >
        <TextField
          label={t("file.addLabel")}
          description={t("file.addHint")}
          value={path ?? ""}
          onChange={setPath}
          spellCheck={false}
          onKeyDown={(event) => event.key === "Enter" && !event.nativeEvent.isComposing && add()}
        />
      </Dialog>
    </>
  );
}
