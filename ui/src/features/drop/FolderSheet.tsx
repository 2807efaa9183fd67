// What a folder would bring, before anything of it is read into a request, and the question of
// trust. Counting goes on in the background and can be cancelled; the answer is kept.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FileText, GitBranch, ShieldOff, Terminal } from "lucide-react";
import { useEffect, useState } from "react";
import { closeOverlay } from "@/app/actions";
import { openProject } from "@/features/conversations";
import { ErrorNotice } from "@/features/errors";
import { FileNotes, passagesOf, useRefusalWords, useTicks, type Ticks } from "@/features/memory";
import { call, stream, toFailure, type MemoryFileView, type ProbeProgress, type ProbeView, type Trust } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, Progress, quiet, Switch, useAct } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import css from "./drop.module.css";

type Probing =
  | { state: "counting"; counts: ProbeProgress }
  | { state: "done"; probe: ProbeView }
  | { state: "failed"; failure: unknown };

const NOTHING: ProbeProgress = { files: 0, folders: 0, bytes: 0 };

function useProbe(path: string): Probing {
  const [probing, setProbing] = useState<Probing>({ state: "counting", counts: NOTHING });
  useEffect(() => {
    const probe_id = crypto.randomUUID();
    let live = true;
    stream("project_probe", { path, probe_id }, ({ counts }) => {
      if (live) setProbing((now) => (now.state === "done" ? now : { state: "counting", counts }));
    }).then(
      (probe) => live && setProbing({ state: "done", probe }),
      (failure) => live && setProbing({ state: "failed", failure }),
    );
    return () => {
      live = false;
      // Of a probe that has ended already, cancelling is refused or does nothing; both are fine.
      call("project_probe_cancel", { probe_id }).catch(() => {});
    };
  }, [path]);
  return probing;
}

export function FolderSheet({ path }: { path: string }) {
  const { t } = useTranslation("drop");
  const client = useQueryClient();
  const probing = useProbe(path);
  const { running, failure, act } = useAct();
  const reach = useReach(path);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const probe = probing.state === "done" ? probing.probe : null;
  const ticks = useTicks(probe?.memory ?? []);
  const shares = chosen ?? probe?.brain ?? false;
  const open = (trust: Trust) =>
    act(async () => {
      // The answer is to what is shown here. What changed since is asked about when the project is open.
      const seen = probe?.seen ?? [];
      const project = await call("project_open", { path, trust, this_computer_only: reach.only, seen });
      if (trust === "trusted") await ticks.keep(project.id);
      if (shares) await call("session_share", { project_id: project.id, on: true, ignore: true });
      closeOverlay();
      await openProject(client, project.id);
    });
  const asks = probe !== null && asksFor(probe);
  /** The safe answer is the filled button: where something was flagged, that is to open the folder without it. */
  const flagged = probe !== null && passagesOf(probe.memory).length > 0;
  const untrusted = (variant: "plain" | "primary") => (
    <Button variant={variant} disabled={running} onClick={() => void open("untrusted")}>
      {asks ? t("openWithout") : t("openUnread")}
    </Button>
  );
  const name = probe?.name ?? path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
  return (
    <Dialog
      open
      size="m"
      onClose={closeOverlay}
      title={<Revealed text={name} name />}
      description={
        <span className={css.path}>
          <Revealed text={probe?.path ?? path} name />
        </span>
      }
      footer={
        <>
          <Button variant="quiet" onClick={closeOverlay}>{t("cancel", { ns: "common" })}</Button>
          {probe && !flagged && untrusted("plain")}
          {probe && (
            <Button variant={flagged ? "plain" : "primary"} disabled={running} onClick={() => void open("trusted")}>
              {ticks.left > 0 ? t("trustWithout", { count: ticks.left }) : asks ? t("trust") : t("open")}
            </Button>
          )}
          {flagged && untrusted("primary")}
        </>
      }
    >
      {probing.state === "counting" && <Counting counts={probing.counts} />}
      {probing.state === "failed" && <Failed failure={probing.failure} />}
      {probe && <Found probe={probe} ticks={ticks} />}
      {probe && (
        <div className={css.reach}>
          <Switch label={t("only")} description={t("onlyHint")} checked={reach.only} onChange={reach.choose} />
          <Switch
            label={t("share")}
            description={t(probe.brain ? "shareThere" : "shareHint")}
            checked={shares}
            onChange={setChosen}
          />
        </div>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </Dialog>
  );
}

/** Whether the project is to ask this computer alone: as it was, else as the whole program, until the person says. */
function useReach(path: string): { only: boolean; choose: (only: boolean) => void } {
  const [chosen, choose] = useState<boolean | null>(null);
  const { data: projects } = useQuery(queries.projects());
  const { data: settings } = useQuery(queries.settings());
  const earlier = projects?.find((project) => project.path === path)?.this_computer_only;
  return { only: chosen ?? earlier ?? settings?.this_computer_only ?? false, choose };
}

function Failed({ failure }: { failure: unknown }) {
  const { t } = useTranslation("drop");
  return toFailure(failure).code === "not_a_folder" ? (
    <Notice tone="warn">{t("onlyFolders")}</Notice>
  ) : (
    <ErrorNotice failure={failure} />
  );
}

function Counting({ counts }: { counts: ProbeProgress }) {
  const { t } = useTranslation("drop");
  return <Progress label={t("counting")} value={null} detail={<Counts counts={counts} />} />;
}

function Counts({ counts }: { counts: ProbeProgress }) {
  const { t } = useTranslation("drop");
  return (
    <span data-numeric>
      {t("files", { count: counts.files, n: formatNumber(counts.files) })}, {formatBytes(counts.bytes)}
    </span>
  );
}

function Found({ probe, ticks }: { probe: ProbeView; ticks: Ticks }) {
  const { t } = useTranslation("drop");
  return (
    <div className={css.found}>
      <p className={css.facts}>
        <Counts counts={probe.counts} />
        {probe.git_branch !== null && (
          <span className={css.fact}>
            <GitBranch aria-hidden />
            <span className="visually-hidden">{t("branch")}</span>
            <Revealed text={probe.git_branch} name />
          </span>
        )}
      </p>
      {probe.warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {t(`warning.${warning}`)}
        </Notice>
      ))}
      {asksFor(probe) ? <Asked probe={probe} ticks={ticks} /> : <p className={quiet.words}>{t("noInstructions")}</p>}
      {probe.never_sent.length > 0 && (
        <section aria-labelledby="drop-never">
          <h3 id="drop-never" className={css.heading}>
            {t("neverSent")}
          </h3>
          <ul className={css.names}>
            {probe.never_sent.slice(0, 12).map((name) => (
              <li key={name}>
                <ShieldOff aria-hidden />
                {name}
              </li>
            ))}
            {probe.never_sent.length > 12 && (
              <li>{t("more", { count: probe.never_sent.length - 12 })}</li>
            )}
          </ul>
        </section>
      )}
    </div>
  );
}

/** Whether anything of the folder would take effect by itself. */
function asksFor({ memory, effects }: ProbeView): boolean {
  return memory.length > 0 || effects.length > 0;
}

/** What would take effect, with what looks like an attack, before the question of trust. */
function Asked({ probe: { memory, effects }, ticks }: { probe: ProbeView; ticks: Ticks }) {
  const { t } = useTranslation("drop");
  return (
    <>
      {memory.length > 0 && (
        <section aria-labelledby="drop-instructions">
          <h3 id="drop-instructions" className={css.heading}>
            {t("instructions")}
          </h3>
          <ul className={css.list}>
            {memory.map((file) => (
              <MemoryEntry key={file.path} file={file} ticks={ticks} />
            ))}
          </ul>
        </section>
      )}
      {effects.length > 0 && (
        <section aria-labelledby="drop-effects">
          <h3 id="drop-effects" className={css.heading}>
            {t("effects")}
          </h3>
          <ul className={css.list}>
            {effects.map(({ path, kind, name, what }) => (
              <li key={`${path}:${name}`} className={css.file}>
                <Terminal aria-hidden />
                <span className={css.fileName}>
                  <Revealed text={name} name />{" "}
                  <span className={quiet.words}>
                    <Revealed text={what} name />
                  </span>
                </span>
                <span className={quiet.words}>
                  {t(`effect.${kind}`)}, <Revealed text={path} name />
                </span>
              </li>
            ))}
          </ul>
          <p className={quiet.words}>{t("effectsHint")}</p>
        </section>
      )}
      <p className={css.question}>{t("question")}</p>
    </>
  );
}

interface EntryProps {
  file: MemoryFileView;
  ticks: Ticks;
}

function MemoryEntry({ file: { path, tokens, same_as, refused, imports, findings }, ticks }: EntryProps) {
  const { t } = useTranslation("drop");
  const refusal = useRefusalWords();
  return (
    <li>
      <div className={css.file}>
        <FileText aria-hidden />
        <span className={css.fileName}>
          <Revealed text={path} name />
        </span>
        <span className={quiet.words} data-numeric>
          {refused ? refusal(refused) : same_as ? t("sameAs", { path: same_as.path }) : t("tokens", { n: formatTokens(tokens) })}
        </span>
      </div>
      {!same_as && <FileNotes imports={imports} findings={findings} goes={{ ...ticks, path }} />}
    </li>
  );
}
