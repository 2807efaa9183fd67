// A call in one line: what tool, about what, how it stands; opens to what was asked and what came of it. While it waits
// for the person, what would happen and the answers stand below it.
import { useQuery } from "@tanstack/react-query";
import { Ban, ChevronRight, CircleAlert, CircleDashed } from "lucide-react";
import { useId } from "react";
import { queries } from "@/ipc/queries";
import { formatDuration, useTranslation } from "@/shared/i18n";
import { Spinner } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { ApprovalCard } from "./ApprovalCard";
import { CallDetails } from "./CallDetails";
import { keyOf, type Known } from "./calls";
import { setOpened, useLive } from "./live";
import { EFFECT_ICONS, useToolNames } from "./panel/effects";
import { useToolsPlace, type ToolsPlace } from "./place";
import css from "./tools.module.css";

/** A longer one is cut: the row is one line, and what it opens to has all of it. */
const ABOUT = 200;

export function CallRow({ known }: { known: Known }) {
  const { t } = useTranslation("tools");
  const { name } = useToolNames();
  const place = useToolsPlace();
  const { call, effect, status, node } = known;
  const key = keyOf(call);
  const revealed = useLive(({ revealed }) => revealed);
  const held = useLive(({ opened }) => opened[key]);
  const open = held ?? (status === "failed" || (revealed !== null && call.result?.messageId === revealed));
  const id = useId();
  const Icon = EFFECT_ICONS[effect];
  const about = known.about.replace(/\s+/g, " ").trim();
  const took = node?.ended_at ? Date.parse(node.ended_at) - Date.parse(node.started_at) : null;
  return (
    <div className={css.call} data-status={status}>
      <button
        type="button"
        className={css.line}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpened(key, !open)}
      >
        <Icon aria-hidden className={css.icon} />
        <span className={css.name}>{name(call.name)}</span>
        <span className={css.about}>
          <Revealed text={about.length > ABOUT ? `${about.slice(0, ABOUT)}…` : about} />
        </span>
        <span className={css.status} data-numeric>
          {status === "later" && t("status.later")}
          {status === "running" && <Spinner label={t("status.running")} />}
          {status === "waiting" && <strong>{t("status.waiting")}</strong>}
          {status === "failed" && (
            <>
              <CircleAlert aria-hidden />
              {t("status.failed")}
            </>
          )}
          {status === "denied" && (
            <>
              <Ban aria-hidden />
              {t("status.denied")}
            </>
          )}
          {status === "stopped" && (
            <>
              <CircleDashed aria-hidden />
              {t("status.stopped")}
            </>
          )}
          {status === "done" && took !== null && formatDuration(took)}
          {status === "done" && <span className="visually-hidden">{t("status.done")}</span>}
        </span>
        <ChevronRight aria-hidden className={css.chevron} />
      </button>
      {status === "waiting" && place && <Asked known={known} place={place} />}
      {open && (
        <div id={id} className={css.inside}>
          <CallDetails known={known} place={place} />
        </div>
      )}
    </div>
  );
}

function Asked({ known: { call }, place }: { known: Known; place: ToolsPlace }) {
  const { data } = useQuery(queries.approvals(place.conversationId));
  const approval = data?.find(({ call_id }) => call_id === call.id);
  return approval ? <ApprovalCard key={approval.call_id} approval={approval} place={place} /> : null;
}
