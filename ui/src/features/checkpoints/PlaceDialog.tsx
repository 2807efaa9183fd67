// Where a project keeps its checkpoints: on this computer, and where the person wants it a copy in its own folder. And the
// folders that others left in it, which count only when the person takes them over.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ErrorNotice } from "@/features/errors";
import { call, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatBytes, formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, Progress, quiet, Spinner, Switch, toast, useAct } from "@/shared/kit";
import { cancelPlacing, setPlace, usePlaceRun } from "./place";
import { PlaceFacts } from "./PlaceNotice";
import css from "./restore.module.css";
import rows from "./rows.module.css";

export function PlaceDialog({ projectId, onClose }: { projectId: ProjectId; onClose: () => void }) {
  const { t } = useTranslation("checkpoints");
  const client = useQueryClient();
  const { data: place, error, isPending } = useQuery(queries.checkpointPlace(projectId));
  const { placing, failure } = usePlaceRun();
  const { running: taking, failure: refused, act } = useAct();
  const mine = placing?.projectId === projectId ? placing : null;
  const busy = placing !== null || (place?.working ?? false);
  const renew = () => client.invalidateQueries({ queryKey: ["checkpoints"] });
  const bring = async (inProject: boolean) => {
    await setPlace(projectId, inProject ? "project" : "here");
    await renew();
  };
  const take = (name: string) =>
    act(async () => {
      const { taken, left_out, sealed } = await call("checkpoint_place_take", { project_id: projectId, name });
      const said = [
        t("place.taken", { count: taken.length }),
        left_out > 0 && t("place.leftOut", { count: left_out }),
        sealed && t("place.sealed"),
      ];
      toast({ text: said.filter(Boolean).join(" ") });
      await renew();
    });
  const inProject = mine ? mine.to === "project" : place?.kept === "project";
  const { done, total } = mine?.event ?? { done: 0, total: 0 };
  const found = place?.found ?? [];
  return (
    <Dialog open size="m" onClose={onClose} title={t("place.title")} description={t("place.text")}>
      {isPending && <Spinner />}
      {error !== null && <ErrorNotice failure={error} />}
      {place && (
        <Switch
          label={t("place.inProject")}
          description={t("place.inProjectHint")}
          checked={inProject}
          disabled={busy}
          onChange={(next) => void bring(next)}
        />
      )}
      {place?.path && !mine && <p className={rows.path}>{place.path}</p>}
      {busy && (
        <>
          <Progress
            label={t(mine?.to === "here" ? "place.deleting" : "place.copying")}
            value={total > 0 ? done / total : null}
            detail={total > 0 ? t("place.of", { done: formatNumber(done), total: formatNumber(total) }) : null}
          />
          {(mine ?? place?.working) && (
            <Button onClick={() => cancelPlacing(projectId)}>{t("cancel", { ns: "common" })}</Button>
          )}
        </>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
      {place && !busy && (
        <PlaceFacts place={place}>
          {(facts) => (
            <Notice tone="warn">
              {facts} {place.lost > 0 && t("place.lostHint")}
            </Notice>
          )}
        </PlaceFacts>
      )}
      {found.length > 0 && (
        <section aria-labelledby="checkpoints-found">
          <h3 id="checkpoints-found">{t("place.found")}</h3>
          <p className={quiet.note}>{t("place.foundHint")}</p>
          {refused !== null && <ErrorNotice failure={refused} />}
          <ul>
            {found.map(({ name, bytes, taken }) => (
              <li key={name} className={css.planned}>
                <div>
                  <p className={rows.path}>{name}</p>
                  <p className={quiet.note} data-numeric>
                    {formatBytes(bytes)}
                    {taken && ` · ${t("place.takenAlready")}`}
                  </p>
                </div>
                <div className={css.choice}>
                  <Button
                    aria-label={t("foreign.takeOne", { name })}
                    disabled={taking || busy}
                    onClick={() => void take(name)}
                  >
                    {t("foreign.take")}
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
}
