// The Checkpoints screen: moments on the left, and on the right what the chosen one is and how it differs from now or
// from another one. Arrow keys in the list go through time.
import { useEffect, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, CloudUpload, Ellipsis, FolderInput, Upload } from "lucide-react";
import { leaveCheckpoints, openOverlay, runAction, useChords, type CheckpointsPlace } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { CarryDialog } from "@/features/remotes";
import { SealedNotice } from "@/features/sealing";
import { queries } from "@/ipc/queries";
import { formatBytes, useTranslation } from "@/shared/i18n";
import { Button, EmptyState, frame, IconButton, Kbd, Menu, Notice, Spinner } from "@/shared/kit";
import css from "./checkpoints.module.css";
import { CleanDialog } from "./CleanDialog";
import { ImportDialog } from "./FileDialogs";
import { ForeignDialog } from "./ForeignDialog";
import { MomentView } from "./MomentView";
import { PlaceDialog } from "./PlaceDialog";
import { PlaceNotice } from "./PlaceNotice";
import { Timeline } from "./Timeline";
import { UnfinishedNotice } from "./UnfinishedNotice";
import { useCheckpoints } from "./useCheckpoints";

/** How long a moment stays chosen, in milliseconds, before it is looked at: who goes through time asks for none. */
const REST = 120;

export function CheckpointsScreen({ place }: { place: CheckpointsPlace }) {
  const { t } = useTranslation("checkpoints");
  const { projectId } = place;
  const { list, items, newest } = useCheckpoints(projectId);
  const project = useQuery(queries.projects()).data?.find(({ id }) => id === projectId);
  const chord = useChords();
  const [chosen, setChosen] = useState(place.id);
  const [open, setOpen] = useState<"clean" | "import" | "foreign" | "carry" | "place" | null>(null);
  const close = () => setOpen(null);
  const foreign = useQuery(queries.foreignCheckpoints(projectId)).data ?? [];
  const item = items.find(({ id }) => id === chosen) ?? items[0];
  const shown = useRested(item);
  return (
    <main className={frame.main} data-region tabIndex={-1} aria-label={t("checkpoints", { ns: "rail" })}>
      <header className={`${frame.header} ${css.header}`}>
        <IconButton label={t("leave")} icon={<ArrowLeft aria-hidden />} onClick={leaveCheckpoints} />
        <h1>{t("checkpoints", { ns: "rail" })}</h1>
        <span className={css.project}>{project?.name}</span>
        <Button onClick={() => runAction("checkpointNow")}>
          {t("now")}
          <Kbd keys={chord("checkpointNow")} />
        </Button>
        <Menu
          align="end"
          trigger={<IconButton label={t("elsewhere")} icon={<Ellipsis aria-hidden />} />}
          items={[
            { id: "import", label: t("file.importOpen"), icon: <Upload aria-hidden />, onSelect: () => setOpen("import") },
            { id: "carry", label: t("carry"), icon: <CloudUpload aria-hidden />, onSelect: () => setOpen("carry") },
            { id: "place", label: t("place.open"), icon: <FolderInput aria-hidden />, onSelect: () => setOpen("place") },
          ]}
        />
      </header>
      {list.isError && <ErrorNotice failure={list.error} />}
      <div className={css.banner}>
        <SealedNotice />
      </div>
      {foreign.length > 0 && (
        <div className={css.banner}>
          <Notice actions={<Button onClick={() => setOpen("foreign")}>{t("foreign.look")}</Button>}>
            {t("foreign.found", { count: foreign.length })}
          </Notice>
        </div>
      )}
      <PlaceNotice projectId={projectId} onLook={() => setOpen("place")} />
      {newest?.files_off && (
        <div className={css.banner}>
          <Notice tone="warn">{t(`filesOff.${newest.files_off}`)}</Notice>
        </div>
      )}
      {newest?.disk_full && (
        <div className={css.banner}>
          <Notice tone="warn">{t("diskFull")}</Notice>
        </div>
      )}
      {newest?.disk_low && !newest.disk_full && (
        <div className={css.banner}>
          <Notice tone="warn">{t("diskLow")}</Notice>
        </div>
      )}
      {newest?.unfinished.map((unfinished) => (
        <UnfinishedNotice key={unfinished.plan_id} unfinished={unfinished} items={items} projectId={projectId} />
      ))}
      {list.isPending && <Spinner />}
      {newest && item === undefined && (
        <div className={css.alone}>
          <EmptyState
            title={t("empty.title")}
            action={
              <Button variant="primary" onClick={() => runAction("checkpointNow")}>
                {t("now")}
              </Button>
            }
          >
            {t("empty.text")}
          </EmptyState>
        </div>
      )}
      {newest && item && (
        <div className={css.split}>
          <section className={css.list} aria-label={t("list")}>
            <Timeline items={items} chosen={item.id} onChoose={setChosen} />
            {list.hasNextPage && (
              <Button variant="quiet" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {t("older")}
              </Button>
            )}
            <footer className={css.foot}>
              <span data-numeric>
                {newest.cap === null
                  ? formatBytes(newest.bytes)
                  : t("space", { used: formatBytes(newest.bytes), cap: formatBytes(newest.cap) })}
              </span>
              <Button variant="quiet" onClick={() => setOpen("clean")}>
                {t("clean.open")}
              </Button>
              <Button variant="quiet" onClick={() => openOverlay({ kind: "settings", tab: "checkpoints" })}>
                {t("rules")}
              </Button>
            </footer>
          </section>
          {shown && <MomentView key={shown.id} item={shown} items={items} projectId={projectId} />}
        </div>
      )}
      {open === "clean" && <CleanDialog projectId={projectId} onClose={close} />}
      {open === "import" && <ImportDialog projectId={projectId} onImported={setChosen} onClose={close} />}
      {open === "foreign" && (
        <ForeignDialog projectId={projectId} items={foreign} onImported={setChosen} onClose={close} />
      )}
      {open === "carry" && <CarryDialog projectId={projectId} onClose={close} />}
      {open === "place" && <PlaceDialog projectId={projectId} onClose={close} />}
    </main>
  );
}

/** The value once it has not become another one for a moment; a change of the same item is shown at once. */
function useRested<T extends { id: string }>(value: T | undefined): T | undefined {
  const [rested, setRested] = useState(value?.id);
  const id = value?.id;
  useEffect(() => {
    const timer = setTimeout(() => setRested(id), REST);
    return () => clearTimeout(timer);
  }, [id]);
  const [last, setLast] = useState(value);
  if (value !== last && value?.id === rested) setLast(value);
  return last;
}
