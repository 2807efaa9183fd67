// The first page of a project: where the work stopped, what waits for the person, the plan, what the last turns changed in
// files, the last checkpoints, and what other agents did there. It keeps nothing of its own: every row leads to where its matter is, and the palette
// reaches every row.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { PanelLeft, Plus } from "lucide-react";
import { useEffect, useRef } from "react";
import {
  goToCheckpoints,
  goToConversation,
  goToMessage,
  leaveToday,
  runAction,
  toggleSide,
  useChords,
  useSides,
  type TodayPlace,
} from "@/app/actions";
import { ChangesBar } from "@/features/changes";
import { useCheckpoints, useCheckpointWords } from "@/features/checkpoints";
import { CopyPart, SideBySidePart } from "@/features/copies";
import { startConversation, useTitle } from "@/features/conversations";
import { ErrorNotice } from "@/features/errors";
import { MemoryChanges } from "@/features/memory";
import { InboxBadge } from "@/features/tools";
import { SessionNotice } from "@/features/work";
import type { CheckpointItem, ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, formatWhen, useTranslation } from "@/shared/i18n";
import { Button, frame, IconButton, Kbd, quiet } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { Revealed } from "@/shared/Revealed";
import { Plan } from "./Plan";
import { Row } from "./Row";
import { Sessions } from "./Sessions";
import { Stopped } from "./Stopped";
import css from "./today.module.css";
import { aboutCalls, useChangedTurns, useWaiting } from "./useToday";

/** Checkpoints that are listed. */
const MOMENTS = 5;

export function TodayScreen({ place: { projectId, decision } }: { place: TodayPlace }) {
  const { t } = useTranslation(["today", "rail", "talk"]);
  const client = useQueryClient();
  const main = useRef<HTMLElement>(null);
  const sides = useSides();
  const chord = useChords();
  const { data: projects } = useQuery(queries.projects());
  const project = projects?.find(({ id }) => id === projectId);
  const gone = projects !== undefined && project === undefined;
  useEffect(() => {
    if (gone) leaveToday();
  }, [gone]);
  useEffect(() => {
    // A decision that is shown has the focus already.
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, []);
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
        {!sides.rail && (
          <Button icon={<Plus aria-hidden />} onClick={() => void startConversation(client, projectId)}>
            {t("new")}
            <Kbd keys={chord("new")} />
          </Button>
        )}
      </header>
      <div className={css.page}>
        <div className={css.rows}>
          <div className={css.notices}>
            <SessionNotice projectId={projectId} />
            <MemoryChanges projectId={projectId} />
          </div>
          <CopyPart projectId={projectId} />
          <Stopped projectId={projectId} />
          <Waits projectId={projectId} />
          <div className={css.plan}>
            <Plan projectId={projectId} sought={decision} />
          </div>
          <Changed projectId={projectId} />
          <SideBySidePart projectId={projectId} />
          <Moments projectId={projectId} />
          {project && <Sessions projectId={projectId} folder={project.path} />}
        </div>
      </div>
    </main>
  );
}

/** Calls that wait to be allowed, and lines that models want to be remembered. */
function Waits({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("today");
  const titleOf = useTitle();
  const waiting = useWaiting(projectId);
  const inbox = useQuery(queries.inbox(projectId)).data ?? [];
  if (waiting.length === 0 && inbox.length === 0) return null;
  return (
    <section className={css.part} aria-labelledby="today-waits">
      <h2 id="today-waits">{t("waits.title")}</h2>
      <ul>
        {waiting.map(({ conversation, approvals }) => (
          <Row
            key={conversation.id}
            name={aboutCalls(approvals)}
            note={titleOf(conversation)}
            onOpen={() => goToConversation(conversation)}
          />
        ))}
        {inbox.length > 0 && (
          <li>
            <InboxBadge projectId={projectId} />
          </li>
        )}
      </ul>
    </section>
  );
}

/** The last turns that changed files: each is reviewed and taken back as under its reply. */
function Changed({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation("today");
  const titleOf = useTitle();
  const turns = useChangedTurns(projectId);
  const { data: conversations } = useQuery(queries.conversations(projectId));
  return (
    <section className={css.part} aria-labelledby="today-changed">
      <h2 id="today-changed">{t("changed.title")}</h2>
      {turns.length === 0 && <p className={quiet.note}>{t("changed.none")}</p>}
      <ul className={css.turns}>
        {turns.map(({ turnId, left }) => {
          const conversation = conversations?.find(({ id }) => id === left.conversation_id);
          const when = formatWhen(Date.parse(left.created_at));
          const { message_id } = left;
          return (
            <li key={turnId}>
              <ChangesBar
                of={{ of: "turn", id: turnId }}
                turn={
                  conversation && message_id !== null ? (
                    <button
                      type="button"
                      className={css.source}
                      onClick={() => goToMessage(conversation.id, projectId, message_id)}
                    >
                      <span lang={proseLanguage(titleOf(conversation))}>{titleOf(conversation)}</span>, {when}
                    </button>
                  ) : (
                    <span className={quiet.note}>{when}</span>
                  )
                }
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The last checkpoints, and the way to all. */
function Moments({ projectId }: { projectId: ProjectId }) {
  const { t } = useTranslation(["today", "rail"]);
  const words = useCheckpointWords();
  const { items, list } = useCheckpoints(projectId);
  const open = (item: CheckpointItem) => goToCheckpoints({ projectId, conversationId: null }, item.id);
  return (
    <section className={css.part} aria-labelledby="today-moments">
      <header className={css.head}>
        <h2 id="today-moments">{t("checkpoints", { ns: "rail" })}</h2>
        {items.length > MOMENTS && (
          <Button variant="quiet" onClick={() => runAction("checkpoints")}>
            {t("moments.all")}
          </Button>
        )}
      </header>
      {list.isError && <ErrorNotice failure={list.error} />}
      {list.isSuccess && items.length === 0 && <p className={quiet.note}>{t("moments.none")}</p>}
      <ul className={css.moments} hidden={items.length === 0}>
        {items.slice(0, MOMENTS).map((item) => (
          <Row
            key={item.id}
            name={words.name(item)}
            note={[words.when(item), item.changed > 0 && t("moments.files", { count: item.changed, n: formatNumber(item.changed) })]
              .filter(Boolean)
              .join(" · ")}
            onOpen={() => open(item)}
          />
        ))}
      </ul>
    </section>
  );
}
