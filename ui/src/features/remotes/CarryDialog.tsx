// What a remote keeps, beside what this computer has: pushing sends what the remote lacks, pulling fetches what is chosen.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import type { CheckpointId, ProjectId, RemoteCheckpoint } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, EmptyState, Progress, quiet, Select, Spinner } from "@/shared/kit";
import css from "./remotes.module.css";
import { cancelCarrying, pull, push, useCarrying } from "./run";

interface CarryDialogProps {
  projectId: ProjectId;
  onClose: () => void;
}

export function CarryDialog({ projectId, onClose }: CarryDialogProps) {
  const { t } = useTranslation("remotes");
  const client = useQueryClient();
  const remotes = useQuery(queries.remotes());
  const usable = remotes.data?.filter(({ allowed }) => allowed) ?? [];
  const [name, setName] = useState<string | null>(null);
  const remote = usable.find((one) => one.name === name) ?? usable[0];
  const { run, carried, failure } = useCarrying();
  const [chosen, setChosen] = useState<ReadonlySet<CheckpointId>>(new Set());
  const kept = useQuery({ ...queries.remoteCheckpoints(remote?.name ?? ""), enabled: remote !== undefined });
  useEffect(() => {
    if (carried) void client.invalidateQueries({ queryKey: ["checkpoints"] });
  }, [carried, client]);
  const toSettings = () => {
    onClose();
    openOverlay({ kind: "settings", tab: "remotes" });
  };
  return (
    <Dialog
      open
      size="m"
      onClose={onClose}
      title={t("carry.title")}
      description={t("carry.text")}
      footer={
        remote && (
          <>
            <Button disabled={run !== null} onClick={() => void push(remote.name, projectId)}>
              {t("carry.push")}
            </Button>
            <Button
              variant="primary"
              disabled={run !== null || !kept.data?.some(({ here }) => !here)}
              onClick={() => void pull(remote.name, projectId, [...chosen]).then(() => setChosen(new Set()))}
            >
              {chosen.size === 0 ? t("carry.pullAll") : t("carry.pull", { count: chosen.size })}
            </Button>
          </>
        )
      }
    >
      {remotes.isError && <ErrorNotice failure={remotes.error} />}
      {remotes.data && remote === undefined && (
        <EmptyState
          title={t(remotes.data.length === 0 ? "none" : "off")}
          action={<Button onClick={toSettings}>{t("carry.settings")}</Button>}
        />
      )}
      {remote && (
        <div className={css.carry}>
          <Select
            label={t("carry.remote")}
            value={remote.name}
            onChange={setName}
            disabled={run !== null}
            options={usable.map(({ name }) => ({ value: name, label: name }))}
          />
          {run && <Running way={run.way} event={run.event} />}
          {failure !== null && <ErrorNotice failure={failure} />}
          {carried && (
            <div role="status">
              <p>{t(`carry.done.${carried.way}`, { count: carried.result.done.length, size: formatBytes(carried.result.bytes) })}</p>
              {carried.result.left_out.map(({ id, detail }) => (
                <p key={id} className={quiet.note}>
                  {t("carry.leftOut", { detail })}
                </p>
              ))}
            </div>
          )}
          {kept.isError && <ErrorNotice failure={kept.error} />}
          {kept.isPending && <Spinner />}
          {kept.data?.length === 0 && <p className={quiet.note}>{t("carry.empty")}</p>}
          {kept.data && kept.data.length > 0 && (
            <ul className={css.kept} aria-label={t("carry.list")}>
              {kept.data.map((one) => (
                <Kept
                  key={one.item.id}
                  kept={one}
                  chosen={chosen.has(one.item.id)}
                  onChoose={(on) => {
                    const next = new Set(chosen);
                    if (on) next.add(one.item.id);
                    else next.delete(one.item.id);
                    setChosen(next);
                  }}
                />
              ))}
            </ul>
          )}
        </div>
      )}
    </Dialog>
  );
}

function Running({ way, event: { done, total, bytes } }: { way: "push" | "pull"; event: { done: number; total: number; bytes: number } }) {
  const { t } = useTranslation("remotes");
  return (
    <div className={css.running}>
      <Progress
        label={t(`carry.running.${way}`)}
        value={total > 0 ? done / total : null}
        detail={[total > 0 && `${formatNumber(done)}/${formatNumber(total)}`, formatBytes(bytes)].filter(Boolean).join(" · ")}
      />
      <Button onClick={cancelCarrying}>{t("cancel", { ns: "common" })}</Button>
    </div>
  );
}

interface KeptProps {
  kept: RemoteCheckpoint;
  chosen: boolean;
  onChoose: (on: boolean) => void;
}

function Kept({ kept: { item, project, project_path, here }, chosen, onChoose }: KeptProps) {
  const { t } = useTranslation("remotes");
  const when = formatMoment(Date.parse(item.created_at));
  return (
    <li>
      <label className={css.keptRow}>
        <input
          type="checkbox"
          checked={chosen}
          disabled={here}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
        <span className={css.itemText}>
          <span>
            {when} {item.tag !== null && <strong>{item.tag}</strong>}
          </span>
          <span className={quiet.note} title={project_path}>
            {[
              project,
              item.messages > 0 && t("carry.messages", { count: item.messages, n: formatNumber(item.messages) }),
              item.files !== null && t("carry.files", { count: item.files, n: formatNumber(item.files) }),
              here && t("carry.here"),
            ]
              .filter(Boolean)
              .join(" · ")}
          </span>
        </span>
      </label>
    </li>
  );
}
