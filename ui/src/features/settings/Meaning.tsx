// Who makes vectors of messages, so that they are found by meaning too: how far that is, and the way to stop, go on, begin
// anew or choose another. Without one, words alone decide, and nothing is missing.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice, useFailureWords } from "@/features/errors";
import { call, type EmbedderChoice, type MeaningHalt, type MeaningState } from "@/ipc";
import { queries, showAnswer } from "@/ipc/queries";
import { formatBytes, formatNumber, formatTokens, useTranslation } from "@/shared/i18n";
import { Button, Notice, Progress, quiet, Spinner } from "@/shared/kit";
import { ChooseEmbedder } from "./ChooseEmbedder";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

type Act = "meaning_stop" | "meaning_resume" | "meaning_rebuild";

export function Meaning() {
  const { t } = useTranslation("recall");
  const client = useQueryClient();
  const { settings } = useSettings();
  const state = useQuery(queries.meaning());
  const [choosing, setChoosing] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const take = async (asked: Promise<MeaningState>) => {
    setFailure(null);
    try {
      showAnswer(client, queries.meaning(), await asked);
      setChoosing(false);
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  const act = (command: Act) => void take(call(command));
  const none = state.data?.embedder === null;
  return (
    <section className={css.group} aria-labelledby="recall-meaning">
      <h4 id="recall-meaning" className={css.heading}>
        {t("meaning.heading")}
      </h4>
      <p className={quiet.note}>{t("meaning.hint")}</p>
      {settings?.this_computer_only && <Notice>{t("meaning.local")}</Notice>}
      {state.isPending && <Spinner />}
      {state.isError && <ErrorNotice failure={state.error} />}
      {failure !== null && <ErrorNotice failure={failure} />}
      {state.data && state.data.embedder !== null && (
        <Chosen
          state={state.data}
          embedder={state.data.embedder}
          onAct={act}
          onChange={() => setChoosing(!choosing)}
          onNone={() => void take(call("meaning_choose", { embedder: null, most_tokens: null }))}
        />
      )}
      {state.data && (none || choosing) && (
        <ChooseEmbedder
          state={state.data}
          onChoose={(embedder, most_tokens) => take(call("meaning_choose", { embedder, most_tokens }))}
        />
      )}
    </section>
  );
}

/** What an embedder is called: the folder of a local one, the model of a provider. */
function nameOf(embedder: EmbedderChoice): string {
  return embedder.by === "local" ? embedder.name : `${embedder.model}, ${embedder.provider}`;
}

interface ChosenProps {
  state: MeaningState;
  embedder: EmbedderChoice;
  onAct: (act: Act) => void;
  onChange: () => void;
  onNone: () => void;
}

function Chosen({ state, embedder, onAct, onChange, onNone }: ChosenProps) {
  const { t } = useTranslation("recall");
  const { done, all, bytes, tokens, most_tokens, running, halted, home } = state;
  const shipped = embedder.by === "local" && state.local.some(({ name, shipped }) => shipped && name === embedder.name);
  const facts = [
    shipped && t("meaning.shipped"),
    t(home ? "meaning.home" : "meaning.away"),
    bytes > 0 && t("meaning.bytes", { size: formatBytes(bytes) }),
    most_tokens !== null && t("meaning.sent", { tokens: formatTokens(tokens), most: formatTokens(most_tokens) }),
  ].filter((words) => words !== false);
  return (
    <>
      <Progress
        label={nameOf(embedder)}
        value={all === 0 ? 1 : done / all}
        detail={t("meaning.progress", { done: formatNumber(done), count: all, all: formatNumber(all) })}
      />
      <p className={quiet.note}>{facts.join(" · ")}</p>
      {halted && <Halted halted={halted} />}
      <div className={css.itemActs}>
        {running && <Button onClick={() => onAct("meaning_stop")}>{t("meaning.stop")}</Button>}
        {!running && halted && halted.why !== "limit" && (
          <Button onClick={() => onAct("meaning_resume")}>{t(halted.why === "stopped" ? "meaning.resume" : "meaning.retry")}</Button>
        )}
        <Button variant="quiet" onClick={onChange}>
          {t("meaning.change")}
        </Button>
        <Button variant="quiet" onClick={() => onAct("meaning_rebuild")}>
          {t("meaning.rebuild")}
        </Button>
        <Button variant="quiet" onClick={onNone}>
          {t("meaning.none")}
        </Button>
      </div>
    </>
  );
}

function Halted({ halted }: { halted: MeaningHalt }) {
  const { t } = useTranslation("recall");
  const words = useFailureWords();
  if (halted.why !== "fault") return <Notice>{t(`meaning.halted.${halted.why}`)}</Notice>;
  const { title, hint } = words(halted.fault.code);
  return (
    <Notice tone="warn" title={title}>
      {hint}
    </Notice>
  );
}
