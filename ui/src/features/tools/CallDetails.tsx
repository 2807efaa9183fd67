// What a call asked for and what came of it: the change as lines, the command as it ran, the result as plain text with
// the rest of a long one, and the way to the checkpoint that was made before it.
import { History } from "lucide-react";
import { goToCheckpoints, openOverlay } from "@/app/actions";
import { Diff, lineDiff } from "@/shared/diff";
import { useTranslation } from "@/shared/i18n";
import { Button, CopyButton, Notice, quiet } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { hasHidden, Revealed } from "@/shared/Revealed";
import { argumentsOf, textIn, type Known } from "./calls";
import { useOutput } from "./live";
import { LongResult } from "./LongResult";
import type { ToolsPlace } from "./place";
import css from "./tools.module.css";

export function CallDetails({ known, place }: { known: Known; place: ToolsPlace | null }) {
  const { t } = useTranslation("tools");
  const { call, node, status } = known;
  const { result } = call;
  const projectId = place?.projectId ?? null;
  const checkpoint = node?.checkpoint_id ?? null;
  const output = useOutput(place?.conversationId, call.id);
  const file = node?.touched.length === 1 && status === "done" && call.name !== "delete_file" ? node.touched[0] : undefined;
  return (
    <>
      <Wanted known={known} />
      {result === null && output !== "" && (
        <pre className={css.text} tabIndex={0} aria-label={t("output")} lang={proseLanguage(output)} data-selectable>
          {output}
        </pre>
      )}
      {result === null && status === "stopped" && <p className={quiet.note}>{t("noResult")}</p>}
      {result !== null && (
        <section className={css.part} role="group" aria-label={t("result")}>
          <div className={css.partHead}>
            <p className={css.label}>{t(status === "denied" ? "told" : "result")}</p>
            {result.text !== "" && <CopyButton text={result.text} label={t("copyResult")} />}
          </div>
          {result.text === "" && <p className={quiet.note}>{t("emptyResult")}</p>}
          {result.text !== "" && (
            <pre
              className={css.text}
              tabIndex={0}
              aria-label={t("result")}
              lang={proseLanguage(result.text)}
              data-selectable
              data-said={result.messageId}
            >
              {result.text}
            </pre>
          )}
          {node?.kept === true && <p className={quiet.note}>{t("keptByRule")}</p>}
          {result.kept && place && <LongResult kept={result.kept} conversationId={place.conversationId} />}
        </section>
      )}
      {place && projectId !== null && (checkpoint !== null || file !== undefined) && (
        <div className={css.acts}>
          {checkpoint !== null && (
            <Button
              variant="quiet"
              icon={<History aria-hidden />}
              onClick={() => goToCheckpoints({ projectId, conversationId: place.conversationId }, checkpoint)}
            >
              {t("checkpoint")}
            </Button>
          )}
          {file !== undefined && (
            <Button
              variant="quiet"
              onClick={() => openOverlay({ kind: "file", projectId, path: file, line: null })}
            >
              {t("openFile")}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** What the model asked for: a replaced text as a difference, a written one as it stands, everything else as it was written. */
function Wanted({ known: { call, about } }: { known: Known }) {
  const { t } = useTranslation("tools");
  const given = argumentsOf(call);
  const [before, after] = [textIn(given, "old"), textIn(given, "new")];
  const written = call.name === "write_file" ? textIn(given, "text") : null;
  const only = given !== null && Object.keys(given).length <= 1 ? Object.values(given) : null;
  // The row says it already.
  if (only !== null && (only.length === 0 || only[0] === about) && call.name !== "run_command") return null;
  if (call.name === "edit_file" && before !== null && after !== null) {
    return (
      <section className={css.part} role="group" aria-label={t("change")}>
        <p className={css.label}>{t("change")}</p>
        <Diff label={t("change")} difference={lineDiff(before, after)} />
        {hasHidden(after) && <HiddenNote />}
      </section>
    );
  }
  if (written !== null) return <Text label={t("written")} text={written} />;
  const command = call.name === "run_command" ? textIn(given, "command") : null;
  if (command !== null) {
    const purpose = textIn(given, "purpose") ?? "";
    return (
      <>
        <Text label={t("command")} text={command} />
        {purpose !== "" && (
          <p className={quiet.note}>
            <Revealed text={t("purpose", { purpose })} />
          </p>
        )}
      </>
    );
  }
  return <Text label={t("arguments")} text={call.arguments} />;
}

export function HiddenNote() {
  const { t } = useTranslation("tools");
  return <Notice tone="warn">{t("hidden")}</Notice>;
}

/** What a model wrote to be carried out, with everything in it to be seen. */
export function Text({ label, text }: { label: string; text: string }) {
  return (
    <section className={css.part} role="group" aria-label={label}>
      <p className={css.label}>{label}</p>
      <pre className={css.text} tabIndex={0} aria-label={label} data-selectable>
        <Revealed text={text} />
      </pre>
    </section>
  );
}
