// What a summary keeps of its messages: kind by kind; what it leaves behind, which can be kept with one press; the facts
// that go with it; and lines that claim what no message says.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type FoldCheck, type FoldRetention, type SummaryLine } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, i18n, useTranslation } from "@/shared/i18n";
import { Notice, quiet, toast, useAct } from "@/shared/kit";
import type { Summary } from "./cards";
import { Facts, toMessage, type FactAct } from "./Facts";
import { Marked } from "./Lines";
import css from "./summaries.module.css";
import { useSummaryWords } from "./words";

/** Characters of a fact that a toast says. */
const SHORT = 60;

interface ReceiptProps {
  summary: Summary;
  /** Whether it holds: facts can be kept and dropped. */
  acts: boolean;
}

export function Receipt({ summary, acts }: ReceiptProps) {
  const { t } = useTranslation("summaries");
  const { id, conversation_id, receipt } = summary;
  const client = useQueryClient();
  const { data: check, error } = useQuery(queries.foldCheck(conversation_id, id));
  const settings = useQuery(queries.settings()).data;
  const { running, failure, act } = useAct();
  const { kept } = receipt;
  // Nothing goes with a summary that follows the designs to the letter.
  const may = acts && settings?.summary.strict === false;
  const change = async (command: "summary_keep" | "summary_drop", text: string) => {
    const run = async () => {
      await call(command, { id, text });
      // The next act is on the version that this one made.
      await client.invalidateQueries(queries.summaries(conversation_id));
    };
    if (await act(run)) told(command === "summary_keep" ? "kept" : "dropped", text, id);
  };
  const keep: FactAct = {
    label: (text) => t("receipt.keep", { text }),
    icon: "add",
    run: (text) => void change("summary_keep", text),
  };
  const drop: FactAct = {
    label: (text) => t("receipt.drop", { text }),
    icon: "remove",
    run: (text) => void change("summary_drop", text),
  };
  const left = check?.left_behind ?? [];
  return (
    <div className={css.receipt}>
      <NotWhole summary={summary} />
      {error && <ErrorNotice failure={error} />}
      {check && <Findings check={check} />}
      {left.length > 0 && (
        <details open>
          <summary>{t("receipt.left", { count: left.length })}</summary>
          <p className={quiet.note}>{t("receipt.leftHint")}</p>
          <Facts facts={left} onSource={toMessage(conversation_id)} disabled={running} act={() => (may ? keep : null)} />
        </details>
      )}
      {kept.length > 0 && (
        <details>
          <summary>{t("receipt.kept", { count: kept.length })}</summary>
          <p className={quiet.note}>{t("receipt.keptHint")}</p>
          <Facts
            facts={kept}
            onSource={toMessage(conversation_id)}
            disabled={running}
            act={({ by }) => (may && by !== "gate" ? drop : null)}
          />
        </details>
      )}
      {failure !== null && <ErrorNotice failure={failure} />}
    </div>
  );
}

/** Says of a summary whose model was not done that it was not, and what to do. */
export function NotWhole({ summary: { receipt } }: { summary: Summary }) {
  const { t } = useTranslation("summaries");
  if (!receipt.cut) return null;
  return (
    <Notice tone="warn" title={t("receipt.cut")}>
      {t("receipt.cutHint")}
    </Notice>
  );
}

/** Says what was done, with the way back: the version from before. */
function told(what: "kept" | "dropped", text: string, before: string): void {
  const short = text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
  toast({
    text: i18n.t(`receipt.said.${what}`, { ns: "summaries", text: short }),
    action: {
      label: i18n.t("undo", { ns: "common" }),
      run: () => void call("summary_adopt", { id: before }).catch(tellFailure),
    },
  });
}

/** How much is kept of every kind, what that comes to, and what is claimed without support. */
export function Findings({ check: { retention, gate, unsupported } }: { check: FoldCheck }) {
  const words = useSummaryWords();
  return (
    <>
      <Shares retention={retention} />
      <p className={quiet.note}>{words.gate(gate)}</p>
      {unsupported.length > 0 && <Unsupported lines={unsupported} />}
    </>
  );
}

/** How much is kept of every kind that stands in the messages. */
export function Shares({ retention: { shares } }: { retention: FoldRetention }) {
  const { t } = useTranslation("summaries");
  if (shares.length === 0) return null;
  return (
    <ul className={css.shares} aria-label={t("receipt.shares")}>
      {shares.map(({ category, kept, in_source }) => (
        <li key={category} data-numeric>
          {t(`receipt.categories.${category}`)} {formatNumber(kept)}/{formatNumber(in_source)}
          <span className={css.meter} aria-hidden>
            <span style={{ inlineSize: `${(kept / in_source) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Unsupported({ lines }: { lines: readonly SummaryLine[] }) {
  const { t } = useTranslation("summaries");
  return (
    <Notice tone="warn" title={t("receipt.unsupported", { count: lines.length })}>
      <ul>
        {lines.map((line, place) => (
          <li key={place}>
            <Marked line={line} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
