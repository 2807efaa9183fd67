// The files that other agents read by themselves: in which of them memory is kept, and what would change in each. Nothing
// is written before it was shown.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call, type ProjectId, type Share, type SharedFile, type ShareFile, type SharePlan, type ShareWish } from "@/ipc";
import { queries } from "@/ipc/queries";
import { Diff, lineDiff } from "@/shared/diff";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, quiet, Spinner, Switch, toast, useAct } from "@/shared/kit";
import css from "./memory.module.css";

/** How a file stands that cannot be written now. */
const STUCK = new Set(["waits", "broken", "unreadable"]);

export function ShareDialog({ projectId, onClose }: { projectId: ProjectId; onClose: () => void }) {
  const { t } = useTranslation("memory");
  const files = useQuery(queries.shareFiles(projectId));
  if (files.data) return <Files projectId={projectId} files={files.data} onClose={onClose} />;
  // It is there in a moment; until then there is nothing to tick.
  if (!files.isError) return null;
  return (
    <Dialog open onClose={onClose} title={t("share.title")} description={t("share.intro")}>
      <ErrorNotice failure={files.error} />
    </Dialog>
  );
}

interface FilesProps {
  projectId: ProjectId;
  files: readonly SharedFile[];
  onClose: () => void;
}

function Files({ projectId, files, onClose }: FilesProps) {
  const { t } = useTranslation("memory");
  const kept = files.filter(({ how, state }) => how !== null && state.code !== "gone");
  const [ticked, setTicked] = useState<ReadonlySet<ShareFile>>(() => new Set(kept.map(({ file }) => file)));
  const [how, setHow] = useState<Share>(() => kept[0]?.how ?? { global: false, text: false });
  const { running, failure, act } = useAct();
  const wishes: ShareWish[] = files
    .filter(({ file, how, state }) => !STUCK.has(state.code) && (ticked.has(file) || how !== null))
    .map(({ file }) => ({ file, how: ticked.has(file) ? how : null }));
  const plans = useQuery({ ...queries.sharePlans(projectId, wishes), enabled: wishes.length > 0 });
  const changes = plans.data?.filter(({ before, after }) => before !== after) ?? [];
  // Also where the text stays: what is followed from now on may be another choice.
  const chosen = wishes.some(({ file, how }) => {
    const now = files.find((it) => it.file === file)?.how ?? null;
    return how?.global !== now?.global || how?.text !== now?.text;
  });
  const tick = (file: ShareFile, on: boolean) => {
    const next = new Set(ticked);
    if (on) next.add(file);
    else next.delete(file);
    setTicked(next);
  };
  const write = async () => {
    if (!(await act(() => call("share_write", { project_id: projectId, plans: plans.data ?? [] })))) return;
    toast({ text: changes.length === 0 ? t("share.saved") : t("share.written", { count: changes.length }) });
    onClose();
  };
  return (
    <Dialog
      open
      size="l"
      onClose={() => !running && onClose()}
      title={t("share.title")}
      description={t("share.intro")}
      footer={
        <>
          <Button disabled={running} onClick={onClose}>
            {t("cancel", { ns: "common" })}
          </Button>
          <Button
            variant="primary"
            disabled={running || !plans.data || (changes.length === 0 && !chosen)}
            onClick={() => void write()}
          >
            {changes.length === 0 ? t("share.save") : t("share.write", { count: changes.length })}
          </Button>
        </>
      }
    >
      <div className={css.share}>
        <ul className={css.shareFiles}>
          {files.map((file) => (
            <Entry key={file.file} of={file} ticked={ticked.has(file.file)} onTick={(on) => tick(file.file, on)} />
          ))}
        </ul>
        <Switch
          label={t("share.global")}
          description={t("share.globalHint")}
          checked={how.global}
          onChange={(global) => setHow({ ...how, global })}
          disabled={running || ticked.size === 0}
        />
        {(ticked.has("claude") || ticked.has("gemini")) && (
          <Switch
            label={t("share.text")}
            description={t("share.textHint")}
            checked={how.text}
            onChange={(text) => setHow({ ...how, text })}
            disabled={running}
          />
        )}
        {plans.isError && <ErrorNotice failure={plans.error} />}
        {plans.isPending && wishes.length > 0 && <Spinner />}
        {changes.map((plan) => (
          <Change key={plan.wish.file} plan={plan} />
        ))}
        {plans.data && changes.length === 0 && <p className={quiet.note}>{t("share.same")}</p>}
        {failure !== null && <ErrorNotice failure={failure} />}
      </div>
    </Dialog>
  );
}

interface EntryProps {
  of: SharedFile;
  ticked: boolean;
  onTick: (on: boolean) => void;
}

function Entry({ of: { path, readers, state }, ticked, onTick }: EntryProps) {
  const { t } = useTranslation("memory");
  const detail = state.code === "unreadable" ? state.detail : "";
  return (
    <li>
      <label className={css.shareFile}>
        <input
          type="checkbox"
          checked={ticked}
          disabled={STUCK.has(state.code)}
          onChange={(event) => onTick(event.target.checked)}
        />
        <span className={css.sharePath}>{path}</span>
        <span className={quiet.note}>{readers}</span>
        {state.code !== "off" && (
          <span className={state.code === "current" ? quiet.note : css.shareWarned}>{t(`share.state.${state.code}`, { detail })}</span>
        )}
      </label>
    </li>
  );
}

function Change({ plan: { path, before, after, by_hand } }: { plan: SharePlan }) {
  const { t } = useTranslation("memory");
  return (
    <section className={css.changedFile} aria-label={path}>
      <h3>
        {path} {before === null && <span className={quiet.note}>{t("changes.new")}</span>}
        {after === null && <span className={quiet.note}>{t("changes.gone")}</span>}
      </h3>
      {by_hand.length > 0 && (
        <Notice>
          {t("share.byHand")}
          <ul className={css.byHand}>
            {by_hand.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Diff label={t("changes.diff", { path })} difference={lineDiff(before, after)} />
    </section>
  );
}
