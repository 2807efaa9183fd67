// How this conversation is folded: by which policy, how short, and now.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { openOverlay } from "@/app/actions";
import { ErrorNotice } from "@/features/errors";
import { call, type ConversationItem, type Folding, type SummaryPanel, type SummaryPolicy } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet, Select, useAct } from "@/shared/kit";
import { endOf } from "./cards";
import { RateSlider } from "./RateSlider";
import { RecallFields } from "./RecallFields";
import { Sketch } from "./Sketch";
import css from "./summaries.module.css";
import { formatRate, POLICIES, useSummaryWords } from "./words";

interface FoldingControlsProps {
  panel: SummaryPanel;
  conversation: Pick<ConversationItem, "id" | "message_count">;
}

export function FoldingControls({ panel, conversation: { id, message_count } }: FoldingControlsProps) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const client = useQueryClient();
  const { running, failure, act } = useAct();
  const settings = useQuery(queries.settings()).data?.summary;
  const [moving, setMoving] = useState<number | null>(null);
  const [looking, setLooking] = useState(false);
  const { policy, rate, folding, distance, busy, records, shown } = panel;
  const end = Math.max(0, ...records.filter((record) => shown.includes(record.id)).map(endOf));
  const take = (next: SummaryPanel) => showAnswer(client, queries.summaries(id), next);
  // One after the other, each on what the one before made: a choice that is made while another is kept is none to lose.
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const set = (part: Partial<Folding>) => {
    const keep = async () => {
      const now = client.getQueryData(queries.summaries(id).queryKey)?.folding ?? folding;
      take(await call("folding_set", { conversation_id: id, ...now, ...part }));
    };
    last.current = last.current.then(() => act(keep));
  };
  const foldNow = () =>
    void act(async () => {
      await call("summary_run", { id });
      await client.invalidateQueries(queries.summaries(id));
    });
  const cannot = running || busy !== null || distance === null || message_count <= end;
  const name = (of: SummaryPolicy) => t(`policies.${of}.name`);
  return (
    <div className={css.controls}>
      <Select<SummaryPolicy | "default">
        label={t("policy")}
        value={folding.policy ?? "default"}
        onChange={(next) => set({ policy: next === "default" ? null : next })}
        options={[
          { value: "default", label: t("default", { value: name(settings?.policy ?? policy) }) },
          ...POLICIES.map((value) => ({ value, label: name(value) })),
        ]}
      />
      <p className={quiet.note}>{t(`policies.${policy}.hint`)}</p>
      {policy === "segments" && (
        <>
          <RateSlider
            value={moving ?? rate}
            onChange={(next) => {
              setMoving(next);
              setLooking(true);
            }}
            onCommit={(next) => {
              setMoving(null);
              if (next !== rate) set({ rate: next });
            }}
            description={t("rateHint")}
          />
          {folding.rate !== null && settings && (
            <p>
              <Button variant="quiet" onClick={() => set({ rate: null })}>
                {t("default", { value: formatRate(settings.rate) })}
              </Button>
            </p>
          )}
        </>
      )}
      {(policy === "rolling" || policy === "running") && <p className={quiet.note}>{t(`length.${policy}`)}</p>}
      {distance !== null && busy === null && (
        <Sketch conversationId={id} rate={moving ?? rate} open={looking} onOpen={setLooking} />
      )}
      {settings && (
        <RecallFields
          recall={folding.recall ?? settings.recall}
          strict={settings.strict}
          onChange={(recall) => set({ recall })}
          settings={{
            recall: settings.recall,
            follows: folding.recall === undefined,
            onFollow: () => set({ recall: undefined }),
          }}
        />
      )}
      <div className={css.acts}>
        <Button disabled={cannot} onClick={foldNow}>
          {t("foldNow")}
        </Button>
        <Button variant="quiet" disabled={cannot} onClick={() => openOverlay({ kind: "fold", conversationId: id })}>
          {t("preview.open")}
        </Button>
        {distance !== null && (
          <span className={quiet.note} data-numeric>
            {busy === null ? words.nextFold(distance) : t("busy")}
          </span>
        )}
      </div>
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}
