// The next fold before it is made: what it would do to the request, keep and leave behind. Its text can be edited;
// nothing changes until it is adopted, and then it can be taken back.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { closeOverlay } from "@/app/actions";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type ConversationId, type FoldPreview } from "@/ipc";
import { formatCost, formatTokens, i18n, useTranslation } from "@/shared/i18n";
import { Button, Dialog, Notice, quiet, TextArea, toast, useAct } from "@/shared/kit";
import { charsOf } from "./cards";
import { Facts } from "./Facts";
import { Findings, NotWhole } from "./Receipt";
import css from "./summaries.module.css";
import { useSummaryWords } from "./words";
import { Writing } from "./Writing";

export function PreviewDialog({ conversationId }: { conversationId: ConversationId }) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const [since] = useState(() => new Date().toISOString());
  const { data: preview, error: failure } = useQuery({
    // Each dialog has one of its own made.
    queryKey: ["foldPreview", conversationId, since],
    queryFn: () => call("summary_preview", { id: conversationId }),
    gcTime: 0,
  });
  /** What was written over the candidate's text. */
  const [edited, setEdited] = useState<string | null>(null);
  const text = edited ?? preview?.candidate.summary ?? "";
  const adopting = useAct();
  const waits = preview === undefined && failure === null;
  const cancel = () => call("summary_try_cancel", { id: conversationId });
  const close = () => {
    if (waits) void cancel().catch(tellFailure);
    closeOverlay();
  };
  const adopt = async ({ candidate: { id, summary } }: FoldPreview) => {
    const run = async () => {
      const made = await (text === summary ? call("summary_adopt", { id }) : call("summary_edit", { id, text }));
      toast({
        text: t("said.COMPLETED", { span: words.span(made) }),
        action: {
          label: i18n.t("undo", { ns: "common" }),
          run: () => void call("summary_undo", { id: made.id }).catch(tellFailure),
        },
      });
    };
    if (await adopting.act(run)) closeOverlay();
  };
  const stopped = failure !== null && failure.code === "cancelled";
  return (
    <Dialog
      open
      size="l"
      onClose={close}
      title={preview ? t("preview.titleOf", { span: words.span(preview.candidate) }) : t("preview.title")}
      description={t("preview.hint")}
      footer={
        <>
          <Button onClick={close}>{t("cancel", { ns: "common" })}</Button>
          <Button
            variant="primary"
            disabled={preview === undefined || text.trim() === "" || adopting.running}
            onClick={() => preview && void adopt(preview)}
          >
            {t("try.adopt")}
          </Button>
        </>
      }
    >
      {waits && <Writing what={t("preview.writing")} since={since} onCancel={cancel} />}
      {stopped ? <p className={quiet.note}>{t("preview.stopped")}</p> : failure !== null && <ErrorNotice failure={failure} />}
      {preview && <Laid preview={preview} text={text} onText={setEdited} />}
      {adopting.failure !== null && <ErrorNotice failure={adopting.failure} />}
    </Dialog>
  );
}

interface LaidProps {
  preview: FoldPreview;
  text: string;
  onText: (text: string) => void;
}

/** The candidate beside what it comes to. */
function Laid({ preview, text, onText }: LaidProps) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { candidate, check, tokens_before, tokens_after, reread_tokens, reread_cost, missing_constraints, missing_more } = preview;
  const { original_chars, receipt } = candidate;
  const left = check.left_behind.filter((fact) => !text.includes(fact.text));
  const add = {
    label: (fact: string) => t("preview.add", { text: fact }),
    icon: "add" as const,
    run: (fact: string) => onText(`${text.trimEnd()}\n${fact}`),
  };
  return (
    <div className={css.beside}>
      <div className={css.controls}>
        <TextArea
          label={t("text")}
          value={text}
          onChange={onText}
          rows={12}
          description={`${words.size(original_chars, charsOf(text))} · ${words.saved(original_chars, charsOf(text))}`}
        />
        {receipt.kept.length > 0 && (
          <details>
            <summary>{t("receipt.kept", { count: receipt.kept.length })}</summary>
            <p className={quiet.note}>{t("receipt.keptHint")}</p>
            <Facts facts={receipt.kept} onSource={null} act={() => null} />
          </details>
        )}
      </div>
      <div className={css.receipt}>
        <p data-numeric>
          {t("preview.request", { before: formatTokens(tokens_before), after: formatTokens(tokens_after) })}
        </p>
        {reread_tokens > 0 && (
          <p className={quiet.note} data-numeric>
            {t("preview.reread", { tokens: formatTokens(reread_tokens) })}
            {reread_cost !== null && reread_cost > 0 && ` ${t("preview.rereadCost", { cost: formatCost(reread_cost) })}`}
          </p>
        )}
        {missing_constraints.length > 0 && (
          <Notice tone="warn" title={t("receipt.missing", { count: missing_constraints.length + missing_more })}>
            <ul>
              {missing_constraints.map(({ text }) => (
                <li key={text}>{text}</li>
              ))}
              {missing_more > 0 && <li>{t("receipt.missingMore", { count: missing_more })}</li>}
            </ul>
          </Notice>
        )}
        <NotWhole summary={candidate} />
        <Findings check={check} />
        {left.length > 0 && (
          <section aria-label={t("receipt.left", { count: left.length })}>
            <h3>{t("receipt.left", { count: left.length })}</h3>
            <Facts facts={left} onSource={null} act={() => add} />
          </section>
        )}
      </div>
    </div>
  );
}
